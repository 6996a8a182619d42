"""One statement for many ids, with the ids as a single parameter: the same text whatever their number.

A graph answer takes dozens of these, so they go to the driver itself: through SQLAlchemy each cost four times
as much. They are part of the connection's transaction like any other statement.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Connection

IDS = {
    "sqlite": "(SELECT value AS id FROM json_each(:ids))",
    "postgresql": "(SELECT unnest(CAST(:ids AS bigint[])) AS id)",
}
NAMES = {
    "sqlite": "(SELECT value FROM json_each(:names))",
    "postgresql": "(SELECT unnest(CAST(:names AS text[])))",
}
OTHER_WAYS = ("seqscan", "hashjoin", "mergejoin", "material")
_encode = msgspec.json.Encoder().encode


def for_ids(
    db: Connection, sql: str, ids: Iterable[int], names: Iterable[str] | None = None, **params: Any
) -> list[Any]:
    """Rows of `sql`, as tuples. {ids} in it is a table with one column, id; {names}, after IN, the names.

    Write `FROM {ids} i CROSS JOIN t WHERE t.x = i.id`: SQLite keeps the order of a cross join, so each id is
    one lookup in an index however large the table is. No ids, no query.
    """
    values = list(ids)
    if not values:
        return []
    dialect = db.dialect.name
    params["ids"] = id_array(dialect, values)
    if names is not None:
        params["names"] = _encode(list(names)).decode() if dialect == "sqlite" else list(names)
    if not db.in_transaction():
        db.begin()
    driver: Any = db.connection.driver_connection
    rows: list[Any] = driver.execute(_statement(sql, dialect), params).fetchall()
    return rows


def prefer_lookups(db: Connection) -> None:
    """For the rest of the transaction, let PostgreSQL follow indexes from id to id.

    It cannot know how few rows a list of ids brings, and would rather read whole tables into a hash.
    """
    if db.dialect.name == "postgresql":
        db.exec_driver_sql(";".join(f"SET LOCAL enable_{way} = off" for way in OTHER_WAYS))


def id_array(dialect: str, ids: list[int]) -> str:
    """Ids as one parameter, in the words of the database: PostgreSQL's driver takes far longer over a list."""
    text = _encode(ids).decode()
    return text if dialect == "sqlite" else f"{{{text[1:-1]}}}"


@cache
def _statement(sql: str, dialect: str) -> str:
    statement = sql.replace("{ids}", IDS[dialect]).replace("{names}", NAMES[dialect])
    return statement if dialect == "sqlite" else re.sub(r":([a-z]\w*)", r"%(\1)s", statement)
