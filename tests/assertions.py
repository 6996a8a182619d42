"""What a database remembers, told in names: for tests that read as documentation."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, select

from headwater.store import tables
from headwater.store.database import Database
from headwater.store.packing import unpack
from tests.events import DATASETS, JOBS, run_bytes

Picture = dict[Any, Any]
_DIRECTIONS = {tables.INPUT: "input", tables.OUTPUT: "output"}


class Names:
    """Each id of a database, as the name that a person knows it by."""

    def __init__(self, connection: Connection) -> None:
        namespaces = {row.id: row.name for row in _rows(connection, tables.namespace)}
        self.jobs = {row.id: (namespaces[row.namespace_id], row.name) for row in _rows(connection, tables.job)}
        self.datasets = {row.id: (namespaces[row.namespace_id], row.name) for row in _rows(connection, tables.dataset)}
        self.roots = {row.id: self.datasets[row.root_id] for row in _rows(connection, tables.dataset)}
        self.runs = {row.id: bytes(row.uuid).hex() for row in _rows(connection, tables.run)}
        self.jobs[0] = self.datasets[0] = ("", "-")  # 0 stands for nobody, never for a row
        self.runs[0] = "-"

    def job(self, id: int | None) -> tuple[str, str] | None:
        return None if id is None else self.jobs[id]

    def run(self, id: int | None) -> str | None:
        return None if id is None else self.runs[id]


def observable(database: Database) -> Picture:
    """Everything remembered but diagnostics, order of arrival and ids; equal pictures mean equal answers."""
    with database.read() as connection:
        names = Names(connection)
        return {
            "namespaces": {row.name: (row.created_at, row.updated_at) for row in _rows(connection, tables.namespace)},
            "sources": {
                row.name: (row.type, row.url, row.created_at, row.updated_at)
                for row in _rows(connection, tables.source)
            },
            "jobs": _jobs(connection, names),
            "runs": _runs(connection, names),
            "datasets": _datasets(connection, names),
            "edges": {
                (names.jobs[row.job_id], _DIRECTIONS[row.direction], names.datasets[row.dataset_id])
                for row in _rows(connection, tables.edge)
                if row.current
            },
            "claims": _claims(connection, names),
            "job links": {
                (names.jobs[row.from_job_id], names.jobs[row.to_job_id], row.first_at)
                for row in _rows(connection, tables.job_link)
            },
            "symlinks": {
                (names.datasets[row.dataset_id], names.datasets[row.target_id], row.type)
                for row in _rows(connection, tables.symlink)
            },
            "facets": _facets(connection, names),
            "events": {
                unpack(row.body): (
                    row.type,
                    row.event_time,
                    names.run(row.run_id),
                    names.job(row.job_id),
                    row.dataset_id and names.datasets[row.dataset_id],
                )
                for row in _rows(connection, tables.event)
            },
            "search": sorted(_searchable(connection, names)),
        }


def _rows(connection: Connection, table: Table) -> list[Any]:
    return list(connection.execute(select(table)))


def _jobs(connection: Connection, names: Names) -> Picture:
    return {
        names.jobs[row.id]: {
            "created": row.created_at,
            "updated": row.updated_at,
            "latest run": names.run(row.latest_run_id),
            "edges of": names.run(row.edges_run_id),
            "parent": names.job(row.parent_job_id),
            "parent at": row.parent_at,
        }
        for row in _rows(connection, tables.job)
    }


def _runs(connection: Connection, names: Names) -> Picture:
    touched = defaultdict(set)
    for row in _rows(connection, tables.io):
        touched[row.run_id].add((_DIRECTIONS[row.direction], names.datasets[row.dataset_id], row.first_at))
    return {
        names.runs[row.id]: {
            "external id": row.external_id,
            "declared": bool(row.declared),
            "state": row.state,
            "started": row.started_at,
            "updated": row.updated_at,
            "ended": row.ended_at,
            "lost": row.lost_at,
            "named": row.named_at,
            "job": names.job(row.job_id),
            "parent": names.run(row.parent_id),
            "root": names.run(row.root_id),
            "io": touched[row.id],
        }
        for row in _rows(connection, tables.run)
    }


def _datasets(connection: Connection, names: Names) -> Picture:
    schemas = {bytes(row.hash): unpack(row.fields) for row in _rows(connection, tables.schema)}
    seen, fields, versions = defaultdict(set), defaultdict(set), defaultdict(set)
    for row in _rows(connection, tables.dataset_schema):
        seen[row.dataset_id].add(
            (schemas[bytes(row.schema)], bytes(row.run).hex(), row.first_at, row.last_at, bool(row.written))
        )
    for row in _rows(connection, tables.field):
        fields[row.dataset_id].add(row.name)
    for row in _rows(connection, tables.version):
        versions[row.dataset_id].add(
            (
                names.runs[row.run_id],
                row.version,
                row.first_at,
                row.last_at,
                row.lifecycle,
                row.lifecycle_at,
                None if row.schema is None else schemas[bytes(row.schema)],
                row.schema_at,
            )
        )
    return {
        names.datasets[row.id]: {
            "node": names.roots[row.id],
            "created": row.created_at,
            "updated": row.updated_at,
            "alive": row.alive_at,
            "dropped": row.dropped_at,
            "schemas": seen[row.id],
            "fields": fields[row.id],
            "versions": versions[row.id],
        }
        for row in _rows(connection, tables.dataset)
    }


def _mappings(connection: Connection, names: Names) -> dict[int, frozenset[Any]]:
    edges: dict[int, set[Any]] = {row.id: set() for row in _rows(connection, tables.mapping)}
    for row in _rows(connection, tables.mapping_edge):
        edges[row.mapping_id].add(
            (
                names.datasets[row.in_dataset_id],
                row.in_field,
                row.out_field,
                bool(row.direct),
                row.transformations,
            )
        )
    return {id: frozenset(made) for id, made in edges.items()}


def _claims(connection: Connection, names: Names) -> set[Any]:
    mappings = _mappings(connection, names)
    return {
        (
            names.jobs[row.job_id],
            names.datasets[row.dataset_id],
            row.kind,
            mappings[row.mapping_id],
            row.first_at,
            row.last_at,
            bool(row.current),
            bytes(row.run).hex(),
        )
        for row in _rows(connection, tables.claim)
    }


def _facets(connection: Connection, names: Names) -> Picture:
    bodies = {bytes(row.hash): unpack(row.body) for row in _rows(connection, tables.blob)}
    owners = {tables.JOB: names.jobs, tables.DATASET: names.datasets}
    return {
        (
            row.kind,
            owners.get(row.kind, names.runs)[row.owner_id],
            names.datasets[row.other_id],
            row.name,
        ): (row.at, bodies[bytes(row.hash)] if row.body is None else unpack(row.body))
        for row in _rows(connection, tables.facet)
    }


def _searchable(connection: Connection, names: Names) -> list[Any]:
    owners: dict[int, dict[int, Any]] = {tables.JOB: names.jobs, tables.DATASET: names.datasets}
    return [
        (row.kind, owners.get(row.kind, {}).get(row.owner_id, ("", "-")), row.name, row.folded)
        for row in _rows(connection, tables.search)
    ]


def assert_consistent(database: Database) -> None:
    """What is derived agrees with what it is derived from: edges with runs, nodes with links, claims with edges."""
    with database.read() as connection:
        runs = {row.id: row for row in _rows(connection, tables.run)}
        touched = defaultdict(set)
        for row in _rows(connection, tables.io):
            touched[row.run_id].add((row.direction, row.dataset_id))
        ever, current = defaultdict(set), defaultdict(set)
        for row in _rows(connection, tables.edge):
            ever[row.job_id].add((row.direction, row.dataset_id))
            if row.current:
                current[row.job_id].add((row.direction, row.dataset_id))
        for job in _rows(connection, tables.job):
            own = [run for run in runs.values() if run.job_id == job.id and run.started_at is not None]
            newest = sorted(own, key=lambda run: (run.started_at, bytes(run.uuid)), reverse=True)
            latest = next((run.id for run in newest if not run.declared), None)
            naming = next((run.id for run in newest if touched[run.id]), None)
            assert (job.latest_run_id, job.edges_run_id) == (latest, naming), f"job {job.name} points at an old run"
            assert current[job.id] == (touched[naming] if naming else set()), f"edges of job {job.name} are stale"
            assert ever[job.id] >= {edge for run in own for edge in touched[run.id]}, f"job {job.name} lost an edge"
        roots = {row.id: row.root_id for row in _rows(connection, tables.dataset)}
        assert all(roots[root] == root for root in roots.values()), "a node must be its own root"
        assert all(roots[row.dataset_id] == roots[row.target_id] for row in _rows(connection, tables.symlink)), (
            "linked names must be one node"
        )
        holds: dict[tuple[int, int], int] = defaultdict(int)
        for row in _rows(connection, tables.claim):
            holds[row.job_id, row.dataset_id] += row.current
        assert set(holds.values()) <= {1}, "exactly one claim of a job on a dataset holds"


# -- short questions -------------------------------------------------------------------------------


def the_run(database: Database, run: int = 1) -> Picture:
    """What is remembered of run 1, 2, …"""
    with database.read() as connection:
        found: Picture = _runs(connection, Names(connection))[run_bytes(run).hex()]
        return found


def the_job(database: Database, job: str = "load", namespace: str = JOBS) -> Picture:
    """What is remembered of a job."""
    with database.read() as connection:
        found: Picture = _jobs(connection, Names(connection))[namespace, job]
        return found


def the_dataset(database: Database, name: str, namespace: str = DATASETS) -> Picture:
    """What is remembered of a dataset under one of its names."""
    with database.read() as connection:
        found: Picture = _datasets(connection, Names(connection))[namespace, name]
        return found


def is_gone(database: Database, name: str, namespace: str = DATASETS) -> bool:
    """Whether a dataset was dropped or renamed away and not seen since."""
    found = the_dataset(database, name, namespace)
    return found["dropped"] is not None and (found["alive"] is None or found["alive"] <= found["dropped"])


def the_facet(database: Database, owner: Any, name: str) -> bytes | None:
    """The bytes of a facet: `owner` is "job", "run", or a dataset's name; or (run, dataset) for one use of it."""
    with database.read() as connection:
        facets = _facets(connection, Names(connection))
    found = [value for key, value in facets.items() if key[3] == name and _owns(owner, key)]
    assert len(found) <= 1, f"several facets {name!r} for {owner!r}"
    return found[0][1] if found else None


def _owns(owner: Any, key: Any) -> bool:
    kind, of, other, _ = key
    if owner == "job":
        return bool(kind == tables.JOB)
    if owner == "run":
        return bool(kind == tables.RUN)
    if isinstance(owner, tuple):
        return kind in (tables.INPUT_FACET, tables.OUTPUT_FACET) and (of, other) == (
            run_bytes(owner[0]).hex(),
            (DATASETS, owner[1]),
        )
    return bool(kind == tables.DATASET and of == (DATASETS, owner))


# -- lineage as text -------------------------------------------------------------------------------


def edges(database: Database) -> set[str]:
    """Current edges: "orders, customers -> load -> report" for each job that has any."""
    with database.read() as connection:
        names = Names(connection)
        sides: dict[Any, dict[int, set[str]]] = defaultdict(lambda: {tables.INPUT: set(), tables.OUTPUT: set()})
        for row in _rows(connection, tables.edge):
            if row.current:
                sides[names.jobs[row.job_id]][row.direction].add(_short(names.roots[row.dataset_id]))
    return {
        " -> ".join(
            filter(
                None,
                (", ".join(sorted(side[tables.INPUT])), _short(job), ", ".join(sorted(side[tables.OUTPUT]))),
            )
        )
        for job, side in sides.items()
    }


def assert_edges(database: Database, *expected: str) -> None:
    """The current edges of all jobs are exactly these, each "orders, customers -> load -> report"."""
    assert edges(database) == set(expected)


def column_edges(database: Database) -> dict[str, tuple[bool, list[Any]]]:
    """Column lineage that holds now: "orders.price -> stats.total" to (direct, transformations).

    "*" stands for a whole dataset; a claim counts while its job still writes the dataset.
    """
    found: dict[str, tuple[bool, list[Any]]] = {}
    with database.read() as connection:
        names = Names(connection)
        writes = {
            (row.job_id, names.roots[row.dataset_id])
            for row in _rows(connection, tables.edge)
            if row.current and row.direction == tables.OUTPUT
        }
        mappings = _mappings(connection, names)
        for row in _rows(connection, tables.claim):
            node = names.roots[row.dataset_id]
            if row.current and (row.job_id == 0 or (row.job_id, node) in writes):
                for source, in_field, out_field, direct, transformations in mappings[row.mapping_id]:
                    edge = f"{_short(source)}.{in_field or '*'} -> {_short(node)}.{out_field or '*'}"
                    said = found.get(edge, (False, []))
                    found[edge] = (said[0] or direct, said[1] + msgspec.json.decode(transformations))
    return found


def assert_lineage(database: Database, *expected: str) -> None:
    """The column lineage that holds now is exactly this, each "orders.price -> supplier_stats.total_price"."""
    assert set(column_edges(database)) == set(expected)


def _short(name: tuple[str, str]) -> str:
    return name[1] if name[0] in (JOBS, DATASETS) else f"{name[0]}/{name[1]}"
