"""The rows of a statement for many ids, and what deletion through the API hides."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Dialect,
    Select,
    Table,
    and_,
    bindparam,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.sql.compiler import SQLCompiler

from headwater.store.read.bulk import id_array

LARGEST = 5_000

# One parameter whatever the number of ids, so that the statement is compiled and planned once.
_SQLITE_IDS = text("SELECT value FROM json_each(:ids)").bindparams(ids="[]")
_POSTGRES_IDS = func.any(bindparam("ids", [], type_=ARRAY(BigInteger)))


def rows_for(db: Connection, statement: Select[Any], column: ColumnElement[Any], ids: Iterable[Any]) -> Sequence[Any]:
    """Every row of the statement whose column is one of the ids, which are all numbers or all hashes.

    A statement that is made once is looked up fastest: finding its compiled form costs more than a short query.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return ()
    if isinstance(wanted[0], int):
        return _execute(db, statement, column, wanted)
    rows: list[Any] = []
    for start in range(0, len(wanted), LARGEST):
        rows.extend(db.execute(statement.where(column.in_(wanted[start : start + LARGEST]))).all())
    return rows


def _execute(db: Connection, statement: Select[Any], column: ColumnElement[Any], ids: list[int]) -> Sequence[Any]:
    """Plain tuples from the driver: a graph has thousands of rows, and a layer over each would show."""
    if not db.in_transaction():
        db.begin()
    sql, order, fixed = _compiled(statement, column, db.dialect)
    # A driver takes parameters either in order or by name.
    params = {**fixed, "ids": id_array(db.dialect.name, ids)}
    cursor = db.connection.cursor()
    try:
        cursor.execute(sql, params if order is None else [params[name] for name in order])
        return cursor.fetchall()
    finally:
        cursor.close()


@lru_cache(maxsize=256)
def _compiled(
    statement: Select[Any], column: ColumnElement[Any], dialect: Dialect
) -> tuple[str, list[str] | None, dict[str, Any]]:
    """The text of a statement, the order of its parameters if that counts, and those that are always the same."""
    among = column.in_(_SQLITE_IDS) if dialect.name == "sqlite" else column == _POSTGRES_IDS
    compiled = statement.where(among).compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
    assert isinstance(compiled, SQLCompiler)
    return compiled.string, compiled.positiontup if compiled.positional else None, dict(compiled.params)


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
