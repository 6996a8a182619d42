"""One statement for many ids, with the ids as a single parameter: the same text whatever their number."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Connection, TextClause, text

IDS = {
    "sqlite": "(SELECT value AS id FROM json_each(:ids))",
    "postgresql": "(SELECT unnest(CAST(:ids AS bigint[])) AS id)",
}
NAMES = {
    "sqlite": "(SELECT value FROM json_each(:names))",
    "postgresql": "(SELECT unnest(CAST(:names AS text[])))",
}


def for_ids(
    db: Connection, sql: str, ids: Iterable[int], names: Iterable[str] | None = None, **params: Any
) -> Sequence[Any]:
    """Rows of `sql`, in which {ids} stands for a table with one column, id. No ids, no rows, no query.
    {names}, after IN, stands for the names.

    Write `FROM {ids} i CROSS JOIN t WHERE t.x = i.id`: SQLite keeps the order of a cross join, so each id is
    one lookup in an index however large the table is.
    """
    values = list(ids)
    if not values:
        return ()
    dialect = db.dialect.name
    params["ids"] = _array(dialect, values)
    if names is not None:
        params["names"] = _array(dialect, list(names))
    return db.execute(_statement(sql, dialect), params).all()


def _array(dialect: str, values: list[Any]) -> Any:
    return msgspec.json.encode(values).decode() if dialect == "sqlite" else values


@cache
def _statement(sql: str, dialect: str) -> TextClause:
    return text(sql.replace("{ids}", IDS[dialect]).replace("{names}", NAMES[dialect]))
