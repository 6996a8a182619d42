"""A page of a list by key: the rows after a place in an order, so that the last page costs what the first does."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, func, select, tuple_

from headwater.store.tables import namespace


class Key(Struct, frozen=True):
    """What a list can be sorted by: an expression that is never null, and whether it is a number or a text."""

    column: ColumnElement[Any]
    type: type


class Order(Struct, frozen=True):
    """A way to sort: by which key, and which end first."""

    by: str
    descending: bool


class Place(Struct, frozen=True):
    """Where a page ended: the key and the id of its last row."""

    key: int | str
    id: int


class Rows(Struct, frozen=True):
    """The ids of a page, and where the next one begins, if there is more."""

    ids: list[int]
    end: Place | None


def page_of(
    db: Connection,
    statement: Select[Any],
    id: ColumnElement[Any],
    keys: Mapping[str, Key],
    order: Order,
    after: Place | None,
    limit: int,
) -> Rows:
    """The next ids of a statement that selects them and says which are wanted."""
    key = keys[order.by].column
    statement = statement.add_columns(key.label("key"))
    if after is not None:
        here, there = tuple_(key, id), tuple_(after.key, after.id)
        statement = statement.where(here < there if order.descending else here > there)
    ends = (key.desc(), id.desc()) if order.descending else (key, id)
    rows = db.execute(statement.order_by(*ends).limit(limit + 1)).all()
    shown = rows[:limit]
    end = Place(shown[-1].key, shown[-1][0]) if len(rows) > limit else None
    return Rows([row[0] for row in shown], end)


def count_of(db: Connection, statement: Select[Any]) -> int:
    """How many rows a statement selects in all."""
    return db.execute(select(func.count()).select_from(statement.subquery())).scalar_one()


def namespaces_like(db: Connection, text: str) -> list[int]:
    """The namespaces that have a text in their name: they are few, and joining them to every row is not cheap."""
    return list(db.execute(select(namespace.c.id).where(namespace.c.name.icontains(text, autoescape=True))).scalars())


def namespace_ids(db: Connection, name: str) -> list[int]:
    """The id of a namespace, or nothing if there is none of that name."""
    return list(db.execute(select(namespace.c.id).where(namespace.c.name == name)).scalars())
