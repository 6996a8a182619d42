"""The rows of a statement for many ids, and what deletion through the API hides."""

from collections.abc import Iterable, Sequence
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
    text,
)

LARGEST = 5_000

# One parameter whatever the number of ids, so that the statement is compiled and planned once.
_SQLITE_IDS = text("SELECT value FROM json_each(:ids)")
_POSTGRES_IDS = func.any(bindparam("ids", type_=ARRAY(BigInteger)))


def rows_for(db: Connection, statement: Select[Any], column: ColumnElement[Any], ids: Iterable[Any]) -> Sequence[Any]:
    """Every row of the statement whose column is one of the ids, which are all numbers or all hashes."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return []
    if isinstance(wanted[0], int):
        if db.dialect.name == "sqlite":
            encoded = msgspec.json.encode(wanted).decode()
            return db.execute(statement.where(column.in_(_SQLITE_IDS)), {"ids": encoded}).all()
        return db.execute(statement.where(column == _POSTGRES_IDS), {"ids": wanted}).all()
    rows: list[Any] = []
    for start in range(0, len(wanted), LARGEST):
        rows.extend(db.execute(statement.where(column.in_(wanted[start : start + LARGEST]))).all())
    return rows


def visible(table: Table) -> ColumnElement[bool]:
    """Not deleted through the API, or mentioned again since."""
    return or_(table.c.deleted_at.is_(None), table.c.deleted_at < table.c.updated_at)


def hidden(table: Table) -> ColumnElement[bool]:
    """Deleted through the API and not mentioned since."""
    return and_(table.c.deleted_at.is_not(None), table.c.deleted_at >= table.c.updated_at)
