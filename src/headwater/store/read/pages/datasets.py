"""Pages of datasets: one row a node, whatever the number of its names."""

from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, or_, select

from headwater.store.read.bulk import for_ids
from headwater.store.read.lists import visible
from headwater.store.read.pages.keyset import (
    Key,
    Order,
    Place,
    Rows,
    count_of,
    namespace_ids,
    namespaces_like,
    page_of,
)
from headwater.store.tables import DATASET, INPUT, dataset, tagging

KEYS = {
    "updated": Key(dataset.c.updated_at, int),
    "name": Key(dataset.c.name, str),
}


_other = dataset.alias("other")


class DatasetFilter(Struct, frozen=True):
    """Which datasets; what is None does not matter. A scheme is how a namespace begins, such as kafka or s3."""

    text: str | None = None
    namespace: str | None = None
    scheme: str | None = None
    tag: str | None = None  # on it or on a column, under any of its names


class Use(Struct):
    """How many jobs read and write a dataset now."""

    readers: int = 0
    writers: int = 0


def dataset_page(db: Connection, wanted: DatasetFilter, order: Order, after: Place | None, limit: int) -> Rows:
    """A page of the datasets that are wanted, by the id of their node."""
    return page_of(db, _wanted(db, wanted), dataset.c.id, KEYS, order, after, limit)


def count_datasets(db: Connection, wanted: DatasetFilter) -> int:
    """How many datasets are wanted."""
    return count_of(db, _wanted(db, wanted))


def _wanted(db: Connection, wanted: DatasetFilter) -> Select[Any]:
    statement = select(dataset.c.id).where(dataset.c.root_id == dataset.c.id, visible(dataset))
    if wanted.namespace is not None:
        statement = statement.where(dataset.c.namespace_id.in_(namespace_ids(db, wanted.namespace)))
    if wanted.scheme is not None:
        statement = statement.where(dataset.c.namespace_id.in_(_of_scheme(db, wanted.scheme)))
    if wanted.tag is not None:
        tagged = select(_other.c.root_id).join(tagging, tagging.c.owner_id == _other.c.id)
        tagged = tagged.where(tagging.c.kind == DATASET, tagging.c.tag == wanted.tag)
        statement = statement.where((dataset.c.id + 0).in_(tagged))
    if wanted.text is not None:
        # Names are compared in an index alone; an expression keeps SQLite from sorting all that match.
        named = or_(
            _other.c.name.icontains(wanted.text, autoescape=True),
            _other.c.namespace_id.in_(namespaces_like(db, wanted.text)),
        )
        statement = statement.where((dataset.c.id + 0).in_(select(_other.c.id).where(named)))
    return statement


def _of_scheme(db: Connection, scheme: str) -> list[int]:
    like = namespaces_like(db, scheme)
    sql = "SELECT n.id, n.name FROM {ids} i CROSS JOIN namespace n WHERE n.id = i.id"
    return [id for id, name in for_ids(db, sql, like) if name.lower().partition(":")[0] == scheme.lower()]


def uses(db: Connection, roots: list[int]) -> dict[int, Use]:
    """Node -> how many jobs use it."""
    sql = """SELECT d.root_id, e.direction, COUNT(DISTINCT e.job_id)
             FROM {ids} i CROSS JOIN dataset d CROSS JOIN edge e
             WHERE d.root_id = i.id AND e.dataset_id = d.id AND e.current
             GROUP BY d.root_id, e.direction"""
    found = {root: Use() for root in roots}
    for root, direction, count in for_ids(db, sql, roots):
        if direction == INPUT:
            found[root].readers = count
        else:
            found[root].writers = count
    return found


def mentioned(db: Connection, roots: list[int]) -> dict[int, int]:
    """Node -> when any of its names was last mentioned."""
    statement = (
        "SELECT d.root_id, MAX(d.updated_at) FROM {ids} i CROSS JOIN dataset d WHERE d.root_id = i.id GROUP BY 1"
    )
    return dict(for_ids(db, statement, roots))
