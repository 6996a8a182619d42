"""What is known of jobs, datasets and edges, for many at once, now or at a time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection, select

from headwater.store.packing import unpack
from headwater.store.read.bulk import for_ids
from headwater.store.read.facets import facets_of, read_facet
from headwater.store.read.lists import rows_for
from headwater.store.tables import JOB, schema

LARGE = 64 * 1024  # packed bytes beyond which an event is not opened only to learn its producer
NOT_ENDED = ("NEW", "RUNNING")


class JobType(Struct, omit_defaults=True):
    """What sort of job: batch or streaming, of which system, and its own word for it."""

    processingType: str | None = None
    integration: str | None = None
    jobType: str | None = None


class JobInfo(Struct):
    """A job and the run of it that started last."""

    namespace: str
    name: str
    created_at: int
    hidden: bool
    run: str | None
    state: str | None
    type: JobType | None
    parent: tuple[str, str] | None  # namespace and name
    run_id: int | None
    started_at: int | None
    ended_at: int | None


class DatasetInfo(Struct):
    """A dataset under the name of its node, with its other names."""

    namespace: str
    name: str
    created_at: int
    dropped: bool
    hidden: bool
    aliases: list[tuple[str, str]]


class Touched(Struct):
    """A run, who reported it, and when it first named each (direction, dataset)."""

    run: str
    declared: bool
    producer: str | None
    times: dict[tuple[int, int], int]


def jobs(db: Connection, ids: Iterable[int], at: int | None = None) -> dict[int, JobInfo]:
    """Jobs by id. With `at`, the run and its state are those of that time."""
    ids = list(ids)
    latest = "j.latest_run_id"
    if at is not None:
        latest = """(SELECT l.id FROM run l WHERE l.job_id = j.id AND l.started_at <= :at AND NOT l.declared
                     ORDER BY l.started_at DESC, l.uuid DESC LIMIT 1)"""
    sql = f"""SELECT j.id, n.name, j.name, j.created_at, j.updated_at, j.deleted_at, r.uuid, r.state,
                     CASE r.state WHEN 'LOST' THEN r.lost_at ELSE r.ended_at END, pn.name, p.name, r.id, r.started_at
              FROM {{ids}} i CROSS JOIN job j JOIN namespace n ON n.id = j.namespace_id
                   LEFT JOIN run r ON r.id = {latest}
                   LEFT JOIN job p ON p.id = j.parent_job_id LEFT JOIN namespace pn ON pn.id = p.namespace_id
              WHERE j.id = i.id"""
    facets = facets_of(db, JOB, ids, ["jobType"])
    found = {}
    for row in for_ids(db, sql, ids, **_at(at)):
        id, namespace, name, created_at, updated_at, deleted_at, uuid, state, ended_at, *rest = row
        parent_namespace, parent, run_id, started_at = rest
        found[id] = JobInfo(
            namespace,
            name,
            created_at,
            is_hidden(deleted_at, updated_at),
            uuid_text(uuid),
            state_at(state, ended_at, at),
            read_facet(facets.get(id), "jobType", JobType),
            None if parent is None else (parent_namespace, parent),
            run_id,
            started_at,
            None if at is not None and ended_at is not None and ended_at > at else ended_at,
        )
    return found


class _Member(NamedTuple):
    """One name of a dataset."""

    id: int
    root_id: int
    namespace: str
    name: str
    created_at: int
    updated_at: int
    deleted_at: int | None
    alive_at: int | None
    dropped_at: int | None


def datasets(db: Connection, roots: Iterable[int], at: int | None = None) -> dict[int, DatasetInfo]:
    """Datasets by root id. With `at`, a drop after that time does not count."""
    sql = """SELECT d.id, d.root_id, n.name, d.name, d.created_at, d.updated_at, d.deleted_at,
                    d.alive_at, d.dropped_at
             FROM {ids} i CROSS JOIN dataset d JOIN namespace n ON n.id = d.namespace_id
             WHERE d.root_id = i.id ORDER BY n.name, d.name"""
    members: dict[int, list[_Member]] = defaultdict(list)
    for row in map(_Member._make, for_ids(db, sql, roots)):
        members[row.root_id].append(row)
    found = {}
    for root, rows in members.items():
        node = next((row for row in rows if row.id == root), rows[0])
        dropped = newest(row.dropped_at for row in rows)
        alive = newest(row.alive_at for row in rows)
        if at is not None:
            dropped, alive = (None if x is not None and x > at else x for x in (dropped, alive))
        found[root] = DatasetInfo(
            node.namespace,
            node.name,
            min(row.created_at for row in rows),
            dropped is not None and (alive is None or alive <= dropped),
            all(is_hidden(row.deleted_at, row.updated_at) for row in rows),
            [(row.namespace, row.name) for row in rows if row is not node],
        )
    return found


def columns(db: Connection, roots: Iterable[int], at: int | None = None) -> dict[int, Raw]:
    """The schema of each dataset that has one: a JSON array of {name, type, fields}."""
    # Dataset -> schema -> whether a writer showed it, and when it was last seen by then.
    seen: dict[int, dict[bytes, tuple[bool, int]]] = defaultdict(dict)

    def see(root: int, hash: bytes, written: bool, time: int) -> None:
        seen[root][hash] = max((written, time), seen[root].get(hash, (written, time)))

    sql = """SELECT d.root_id, s.schema, s.written, s.first_at, s.last_at
             FROM {ids} i CROSS JOIN dataset d CROSS JOIN dataset_schema s
             WHERE d.root_id = i.id AND s.dataset_id = d.id"""
    for root, hash, written, first_at, last_at in for_ids(db, sql, roots):
        if at is None or last_at <= at:
            see(root, bytes(hash), bool(written), last_at)
        elif first_at <= at:
            see(root, bytes(hash), bool(written), first_at)
    if at is not None:
        # A schema that went and came back is told from one that stayed only by the writes.
        sql = """SELECT d.root_id, v.schema, MAX(v.first_at)
                 FROM {ids} i CROSS JOIN dataset d CROSS JOIN version v
                 WHERE d.root_id = i.id AND v.dataset_id = d.id AND v.schema IS NOT NULL AND v.first_at <= :at
                 GROUP BY d.root_id, v.schema"""
        several = [root for root, schemas in seen.items() if len(schemas) > 1]
        for root, hash, time in for_ids(db, sql, several, at=at):
            see(root, bytes(hash), True, time)
    last = {root: max((rank, hash) for hash, rank in schemas.items())[1] for root, schemas in seen.items()}
    fields = schema_fields(db, set(last.values()))
    return {root: fields[hash] for root, hash in last.items() if hash in fields}


def schemas_changed(db: Connection, roots: Iterable[int], at: int | None = None) -> dict[int, int]:
    """When the newest schema of each dataset came that had another before; only what its writers showed counts."""
    until = "" if at is None else "AND s.first_at <= :at"
    sql = f"""SELECT d.root_id, MAX(s.first_at) FROM {{ids}} i CROSS JOIN dataset d CROSS JOIN dataset_schema s
              WHERE d.root_id = i.id AND s.dataset_id = d.id AND s.written {until}
              GROUP BY d.root_id HAVING COUNT(DISTINCT s.schema) > 1"""
    return dict(for_ids(db, sql, roots, at=at) if at is not None else for_ids(db, sql, roots))


def schema_fields(db: Connection, hashes: Iterable[bytes]) -> dict[bytes, Raw]:
    """The fields of each schema, as JSON."""
    rows = rows_for(db, select(schema.c.hash, schema.c.fields), schema.c.hash, hashes)
    return {bytes(hash): Raw(unpack(fields)) for hash, fields in rows}


def runs_behind(db: Connection, runs: Mapping[int, int], at: int | None = None) -> dict[int, Touched]:
    """For each job, given the run that its edges come from: that run, and when it named which dataset."""
    sql = "SELECT r.id, r.uuid, r.declared FROM {ids} i CROSS JOIN run r WHERE r.id = i.id"
    producer = producers(db, runs.values())
    by_run = {
        id: Touched(uuid_text(uuid) or "", bool(declared), producer.get(id), {})
        for id, uuid, declared in for_ids(db, sql, runs.values())
    }
    sql = """SELECT io.run_id, io.direction, d.root_id, MIN(io.first_at)
             FROM {ids} i CROSS JOIN io CROSS JOIN dataset d
             WHERE io.run_id = i.id AND d.id = io.dataset_id AND io.first_at <= :at
             GROUP BY io.run_id, io.direction, d.root_id"""
    for run, direction, root, first_at in for_ids(db, sql, runs.values(), at=2**62 if at is None else at):
        by_run[run].times[direction, root] = first_at
    return {job: by_run[run] for job, run in runs.items() if run in by_run}


class _Producer(Struct):
    producer: str = ""


_producer = msgspec.json.Decoder(_Producer)


def producers(db: Connection, run_ids: Iterable[int]) -> dict[int, str]:
    """Who sent the first event of each run, unless that event is pruned or very large."""
    # "+ 0" keeps PostgreSQL from reading the log in order of id until it meets the run.
    sql = f"""SELECT e.run_id, e.body FROM (
                  SELECT (SELECT MIN(x.id + 0) FROM event x WHERE x.run_id = i.id) AS id FROM {{ids}} i
              ) f CROSS JOIN event e WHERE e.id = f.id AND LENGTH(e.body) < {LARGE}"""
    found = {}
    for run_id, body in for_ids(db, sql, run_ids):
        found[run_id] = _producer.decode(unpack(body)).producer
    return found


def _at(at: int | None) -> dict[str, Any]:
    return {} if at is None else {"at": at}


def newest(times: Iterable[int | None]) -> int | None:
    """The latest of some times, if there is any."""
    return max((time for time in times if time is not None), default=None)


def is_hidden(deleted_at: int | None, updated_at: int) -> bool:
    """Deleted through the API, and not heard of since."""
    return deleted_at is not None and deleted_at >= updated_at


def state_at(state: str | None, ended_at: int | None, at: int | None) -> str | None:
    """A run's state at a time, given what it is now."""
    if state is None or at is None or state in NOT_ENDED or (ended_at is not None and ended_at <= at):
        return state
    return "RUNNING"


def uuid_text(uuid: bytes | None) -> str | None:
    return None if uuid is None else str(UUID(bytes=bytes(uuid)))
