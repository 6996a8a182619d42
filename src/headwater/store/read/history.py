"""How things became what they are: a dataset's schemas and writes, a run's ancestors and descendants."""

from collections.abc import Collection
from typing import Any

from msgspec import Raw, Struct
from sqlalchemy import Connection

from headwater.store.read.bulk import for_ids
from headwater.store.read.nodes import schema_fields, uuid_text

DEEPEST = 50
NOBODY = bytes(16)  # where a dataset spoke for itself


class SchemaChange(Struct, frozen=True):
    """From `at` on the dataset had this schema; `run` reported it, unless the dataset spoke for itself."""

    at: int
    run: str | None
    fields: Raw


class Write(Struct, frozen=True):
    """A run wrote the dataset between two times; version '' is one that nobody said."""

    run: str | None
    job_namespace: str | None
    job: str | None
    version: str
    first_at: int
    last_at: int
    lifecycle: str | None


class RunNode(Struct, frozen=True):
    """A run in the hierarchy; `parent_id` is the row of the run above it."""

    id: int
    uuid: str
    external_id: str | None
    parent_id: int | None
    job_namespace: str | None
    job: str | None
    state: str
    started_at: int | None
    updated_at: int | None
    ended_at: int | None


def schema_changes(db: Connection, root: int, limit: int) -> list[SchemaChange]:
    """When a dataset's schema became another, the newest first."""
    sql = """SELECT x.schema, x.at, x.run FROM (
                 SELECT p.schema, p.at, p.run, LAG(p.schema) OVER (ORDER BY p.at, p.schema, p.run) AS previous
                 FROM (
                     SELECT s.schema, s.first_at AS at, s.run
                     FROM {ids} i CROSS JOIN dataset d CROSS JOIN dataset_schema s
                     WHERE d.root_id = i.id AND s.dataset_id = d.id AND (s.written OR NOT EXISTS (
                         SELECT 1 FROM dataset o JOIN dataset_schema w ON w.dataset_id = o.id
                         WHERE o.root_id = i.id AND w.written))
                     UNION
                     SELECT v.schema, v.first_at AS at, r.uuid AS run
                     FROM {ids} i CROSS JOIN dataset d CROSS JOIN version v CROSS JOIN run r
                     WHERE d.root_id = i.id AND v.dataset_id = d.id AND v.schema IS NOT NULL AND r.id = v.run_id
                 ) p
             ) x WHERE x.previous IS NULL OR x.previous <> x.schema
             ORDER BY x.at DESC, x.schema DESC LIMIT :limit"""
    rows = for_ids(db, sql, [root], limit=limit)
    fields = schema_fields(db, {bytes(schema) for schema, _, _ in rows})
    return [
        SchemaChange(at, None if bytes(run) == NOBODY else uuid_text(run), fields[bytes(schema)])
        for schema, at, run in rows
        if bytes(schema) in fields
    ]


def writes(db: Connection, root: int, limit: int) -> list[Write]:
    """The writes of a dataset, the newest first; one without a version only where its run said none."""
    sql = """SELECT r.uuid, n.name, j.name, v.version, v.first_at, v.last_at, v.lifecycle
             FROM {ids} i CROSS JOIN dataset d CROSS JOIN version v
                  LEFT JOIN run r ON r.id = v.run_id LEFT JOIN job j ON j.id = r.job_id
                  LEFT JOIN namespace n ON n.id = j.namespace_id
             WHERE d.root_id = i.id AND v.dataset_id = d.id AND (v.version <> '' OR NOT EXISTS (
                 SELECT 1 FROM version o
                 WHERE o.dataset_id = v.dataset_id AND o.run_id = v.run_id AND o.version <> ''))
             ORDER BY v.last_at DESC, v.run_id DESC, v.version DESC LIMIT :limit"""
    return [Write(uuid_text(row[0]), *row[1:]) for row in for_ids(db, sql, [root], limit=limit)]


RUN = """SELECT r.id, r.uuid, r.external_id, r.parent_id, n.name, j.name, r.state,
                r.started_at, r.updated_at, r.ended_at
         FROM {ids} i CROSS JOIN run r
              LEFT JOIN job j ON j.id = r.job_id LEFT JOIN namespace n ON n.id = j.namespace_id"""


def runs(db: Connection, ids: Collection[int]) -> dict[int, RunNode]:
    """Runs by id."""
    return {row[0]: _run(row) for row in for_ids(db, f"{RUN} WHERE r.id = i.id", ids)}


def ancestors(db: Connection, id: int) -> list[RunNode]:
    """The runs above a run, the nearest first."""
    found: list[RunNode] = []
    seen = {id}
    parent = runs(db, [id])[id].parent_id
    while parent is not None and parent not in seen and len(found) < DEEPEST:
        seen.add(parent)
        above = runs(db, [parent]).get(parent)
        if above is None:
            break
        found.append(above)
        parent = above.parent_id
    return found


def descendants(db: Connection, id: int, limit: int) -> list[RunNode]:
    """The runs below a run, level by level, in the order they started; at most `limit`."""
    sql = f"{RUN} WHERE r.parent_id = i.id ORDER BY r.started_at, r.id LIMIT :limit"
    found: list[RunNode] = []
    seen = {id}
    level = [id]
    while level and len(found) < limit:
        below = [_run(row) for row in for_ids(db, sql, level, limit=limit - len(found))]
        below = [run for run in below if run.id not in seen]
        seen |= {run.id for run in below}
        found += below
        level = [run.id for run in below]
    return found


def _run(row: Any) -> RunNode:
    return RunNode(row[0], uuid_text(row[1]) or "", *row[2:])
