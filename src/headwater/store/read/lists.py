"""The rows of a statement for many ids, and what deletion through the API hides."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    func,
    or_,
    select,
    text,
)

LARGEST = 5_000

# One parameter whatever the number of ids, so that the statement is compiled and planned once.
_SQLITE_IDS = text("SELECT value FROM json_each(:ids)")
_POSTGRES_IDS = func.any(bindparam("ids", type_=ARRAY(BigInteger)))


def rows_for(db: Connection, statement: Select[Any], column: ColumnElement[Any], ids: Iterable[Any]) -> Sequence[Any]:
    """Every row of the statement whose column is one of the ids, which are all numbers or all hashes.

    A statement that is made once is looked up fastest: finding its compiled form costs more than a short query.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return ()
    if isinstance(wanted[0], int):
        sqlite = db.dialect.name == "sqlite"
        values = msgspec.json.encode(wanted).decode() if sqlite else wanted
        return db.execute(_narrowed(statement, column, sqlite), {"ids": values}).all()
    rows: list[Any] = []
    for start in range(0, len(wanted), LARGEST):
        rows.extend(db.execute(statement.where(column.in_(wanted[start : start + LARGEST]))).all())
    return rows


@lru_cache(maxsize=256)
def _narrowed(statement: Select[Any], column: ColumnElement[Any], sqlite: bool) -> Select[Any]:
    return statement.where(column.in_(_SQLITE_IDS) if sqlite else column == _POSTGRES_IDS)


def visible(table: Table) -> ColumnElement[bool]:
    """Not deleted through the API, or mentioned again since."""
    return or_(table.c.deleted_at.is_(None), table.c.deleted_at < table.c.updated_at)


def hidden(table: Table) -> ColumnElement[bool]:
    """Deleted through the API and not mentioned since."""
    return and_(table.c.deleted_at.is_not(None), table.c.deleted_at >= table.c.updated_at)


def count_hidden(db: Connection, table: Table, namespace_id: int | None) -> int:
    """How many jobs or datasets are hidden. They are few and have an index, so a list is counted from indexes only."""
    statement = select(func.count()).select_from(table).where(hidden(table))
    if namespace_id is not None:
        # An expression, lest SQLite walk the namespace's own index, which has everything in it.
        statement = statement.where(table.c.namespace_id + 0 == namespace_id)
    return db.execute(statement).scalar_one()
