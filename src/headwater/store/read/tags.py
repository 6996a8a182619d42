"""Tags that people made, and what they put them on."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, select

from headwater.store.read.bulk import for_ids
from headwater.store.read.lists import rows_for
from headwater.store.tables import DATASET, tag, tagging


class TagRow(Struct, frozen=True, gc=False):
    """One tag."""

    name: str
    description: str | None


def list_tags(db: Connection, limit: int, offset: int) -> list[TagRow]:
    """A page of tags by name."""
    rows = db.execute(select(tag.c.name, tag.c.description).order_by(tag.c.name).limit(limit).offset(offset))
    return [TagRow(*row) for row in rows]


@cache
def _of_kind(kind: int) -> Select[Any]:
    statement = select(tagging.c.owner_id, tagging.c.field, tagging.c.tag).where(tagging.c.kind == kind)
    return statement.order_by(tagging.c.tag)


def tags_on(db: Connection, kind: int, owner_ids: Iterable[int]) -> dict[int, dict[str, list[str]]]:
    """Owner -> field ('' is the whole of it) -> tags by name. Owners without tags are left out."""
    found: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = rows_for(db, _of_kind(kind), tagging.c.owner_id, owner_ids)
    for owner, field, name in rows:
        found[owner][field].append(name)
    return found


def dataset_tags(db: Connection, roots: Iterable[int]) -> dict[int, dict[str, list[str]]]:
    """Dataset -> field ('' is the whole of it) -> tags by name, under whichever of its names they were put on."""
    sql = """SELECT DISTINCT d.root_id, t.field, t.tag FROM {ids} i CROSS JOIN dataset d CROSS JOIN tagging t
             WHERE d.root_id = i.id AND t.kind = :kind AND t.owner_id = d.id ORDER BY t.tag"""
    found: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for root, field, name in for_ids(db, sql, roots, kind=DATASET):
        found[root][field].append(name)
    return found
