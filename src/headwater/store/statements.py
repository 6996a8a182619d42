"""The write statements: each says once how a new row merges with a stored one, for both databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, SmallInteger, Table, Text
from sqlalchemy.types import TypeEngine

from headwater.store import tables
from headwater.store.arrays import Array, BigInts, Booleans, Byteas, SmallInts, Texts

# PostgreSQL takes a whole batch as one array a column, so that a commit costs one statement a table.
_ARRAYS: tuple[tuple[type[TypeEngine[Any]], type[Array]], ...] = (
    (Boolean, Booleans),
    (SmallInteger, SmallInts),
    (BigInteger, BigInts),
    (Integer, BigInts),
    (LargeBinary, Byteas),
    (Text, Texts),
)


@dataclass(frozen=True)
class Statement:
    """One INSERT in both dialects; rows are tuples in the order of the table's columns."""

    table: str
    arrays: tuple[type[Array], ...]
    sqlite: str
    postgresql: str


def _array(column: Column[object]) -> type[Array]:
    return next(array for kind, array in _ARRAYS if isinstance(column.type, kind))


def _merge(table: str, column: str, rule: str, dialect: str) -> str:
    """`column = …` for ON CONFLICT: 'min' and 'max' ignore nulls, 'new' takes the new value, else an expression."""
    stored, new = f"{table}.{column}", f"excluded.{column}"
    if rule in ("min", "max"):
        names = {"sqlite": {"min": "min", "max": "max"}, "postgresql": {"min": "LEAST", "max": "GREATEST"}}
        value = f"COALESCE({names[dialect][rule]}({stored}, {new}), {stored}, {new})"
    else:
        value = new if rule == "new" else rule
    return f"{column} = {value}"


def _insert(
    table: Table,
    *,
    merge: Mapping[str, str] | None = None,
    where: str = "",
    without: Sequence[str] = (),
    key: Sequence[str] = (),
    append: bool = False,
) -> Statement:
    """Insert rows; on a stored key apply `merge` where `where` holds, or leave the stored row if there is none."""
    columns = [column for column in table.columns if column.name not in without]
    names = ", ".join(column.name for column in columns)
    keys = ", ".join(key or [column.name for column in table.primary_key])
    texts = {}
    for dialect in ("sqlite", "postgresql"):
        if append:
            conflict = ""
        elif merge is None:
            conflict = f" ON CONFLICT ({keys}) DO NOTHING"
        else:
            updates = ", ".join(_merge(table.name, column, rule, dialect) for column, rule in merge.items())
            conflict = f" ON CONFLICT ({keys}) DO UPDATE SET {updates}" + (f" WHERE {where}" if where else "")
        if dialect == "sqlite":
            values = f"VALUES ({', '.join('?' * len(columns))})"
        else:
            values = f"SELECT * FROM unnest({', '.join(['%s'] * len(columns))})"
        texts[dialect] = f"INSERT INTO {table.name} ({names}) {values}{conflict}"
    return Statement(table.name, tuple(_array(column) for column in columns), texts["sqlite"], texts["postgresql"])


def _newest(table: str, value: str, at: str) -> str:
    """The value with the greater time, then the greater value; a null says nothing."""
    newer = f"({table}.{at}, {table}.{value}) < (excluded.{at}, excluded.{value})"
    return f"CASE WHEN {table}.{at} IS NULL OR {newer} THEN excluded.{value} ELSE {table}.{value} END"


EVENT = _insert(tables.event, append=True)
DIAGNOSTIC = _insert(tables.diagnostic, append=True)
NAMESPACE = _insert(
    tables.namespace,
    without=("owner", "description", "deleted_at"),
    merge={
        "created_at": "min",
        "updated_at": "max",
        "jobs": "namespace.jobs + excluded.jobs",
        "datasets": "namespace.datasets + excluded.datasets",
    },
)
_NEWER_SOURCE = "(excluded.updated_at, excluded.url) >= (source.updated_at, source.url)"
SOURCE = _insert(
    tables.source,
    without=("description",),
    merge={
        "type": f"CASE WHEN {_NEWER_SOURCE} THEN excluded.type ELSE source.type END",
        "url": f"CASE WHEN {_NEWER_SOURCE} THEN excluded.url ELSE source.url END",
        "created_at": "min",
        "updated_at": "max",
    },
)
JOB = _insert(
    tables.job,
    without=("deleted_at",),
    merge={
        "created_at": "min",
        "updated_at": "max",
        "latest_run_id": "new",
        "edges_run_id": "new",
        "parent_job_id": "new",
        "parent_at": "new",
    },
)
DATASET = _insert(
    tables.dataset,
    without=("deleted_at",),
    merge={"created_at": "min", "updated_at": "max", "alive_at": "max", "dropped_at": "max"},
)
SYMLINK = _insert(tables.symlink, merge={"type": "new"}, where="excluded.type > symlink.type")
RUN = _insert(
    tables.run,
    merge={
        column.name: "new"
        for column in tables.run.columns
        if column.name not in ("id", "uuid", "external_id", "declared")
    },
)
LEASE = _insert(tables.lease, merge={"seconds": "new", "until": "max"})
IO = _insert(tables.io, merge={"first_at": "min"})
EDGE = _insert(tables.edge, merge={"current": "new"})
JOB_LINK = _insert(tables.job_link, merge={"first_at": "min"})
VERSION = _insert(
    tables.version,
    merge={
        "first_at": "min",
        "last_at": "max",
        "lifecycle": _newest("version", "lifecycle", "lifecycle_at"),
        "lifecycle_at": "max",
        "schema": _newest("version", "schema", "schema_at"),
        "schema_at": "max",
    },
)
SCHEMA = _insert(tables.schema)
DATASET_SCHEMA = _insert(
    tables.dataset_schema,
    merge={
        "run": "CASE WHEN (excluded.first_at, excluded.run) < (dataset_schema.first_at, dataset_schema.run) "
        "THEN excluded.run ELSE dataset_schema.run END",
        "first_at": "min",
        "last_at": "max",
        "written": "max",
    },
)
FIELD = _insert(tables.field)
MAPPING = _insert(tables.mapping, append=True)
MAPPING_EDGE = _insert(tables.mapping_edge, append=True)
CLAIM = _insert(
    tables.claim,
    merge={
        "run": "CASE WHEN (excluded.last_at, excluded.run) > (claim.last_at, claim.run) "
        "THEN excluded.run ELSE claim.run END",
        "first_at": "min",
        "last_at": "max",
    },
)
FACET = _insert(
    tables.facet,
    merge={"at": "new", "hash": "new", "body": "new"},
    where="(excluded.at, excluded.hash) > (facet.at, facet.hash)",
)
BLOB = _insert(tables.blob)
SEARCH = _insert(tables.search, append=True)
