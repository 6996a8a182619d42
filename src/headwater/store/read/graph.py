"""The table graph, one step at a time: which jobs touch these datasets, which datasets these jobs.

Datasets are always nodes (root ids): names that symlinks join are one. `Now` is the current graph; `Past` in
past.py answers the same for a time. lineage/graph.py walks either; `table_graph` is the plain both-ways walk.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

from msgspec import Struct
from sqlalchemy import Connection

from headwater.store.read.bulk import for_ids, prefer_lookups
from headwater.store.tables import INPUT, OUTPUT


class Claim(NamedTuple):
    """Job `job` says how `dataset` is made; job 0 is the dataset's own word, with no job between."""

    job: int
    dataset: int
    kind: int
    mapping: int


class ColumnEdge(NamedTuple):
    """One input column of one output column. `transformations` is JSON text, an array of objects."""

    source: int
    source_column: str
    target: int
    target_column: str
    direct: bool
    transformations: str
    job: int  # 0: the dataset says it of itself
    mapping: int


class View(Protocol):
    """The graph as of some time."""

    def jobs_of(self, datasets: Iterable[int], direction: int | None = None) -> list[tuple[int, int, int]]:
        """(dataset, direction, job) for every edge of these datasets, or those of one direction."""

    def datasets_of(self, jobs: Iterable[int]) -> list[tuple[int, int, int]]:
        """(job, direction, dataset) for every edge of these jobs."""

    def claims_on(self, datasets: Iterable[int]) -> list[Claim]:
        """The claims in force on how these datasets are made."""

    def claims_from(self, datasets: Iterable[int]) -> list[Claim]:
        """The claims in force that use these datasets."""

    def claims_by(self, jobs: Iterable[int]) -> list[Claim]:
        """The claims in force that these jobs make."""

    def links(self, jobs: Iterable[int]) -> list[tuple[int, int]]:
        """(from job, to job) for every explicit link of these jobs."""

    def sources(self, mappings: Iterable[int]) -> dict[int, set[int]]:
        """The input datasets of each mapping; one without inputs is absent."""

    def column_edges(self, datasets: Iterable[int], up: bool, names: Iterable[str] | None) -> list[ColumnEdge]:
        """What columns of these datasets are made of (up) or go into; only named ones, unless None."""

    def edge_runs(self, jobs: Collection[int]) -> dict[int, int]:
        """The run that the edges of each job come from."""

    def counts(self, jobs: Collection[int], datasets: Collection[int]) -> Counter[tuple[str, int, int]]:
        """How many edges ('job' or 'dataset', id, direction) has."""


# A claim of a job counts while the job still writes the dataset. An EXISTS would read as well, but PostgreSQL
# then looks at every claim there is.
CLAIM = """claim c LEFT JOIN edge w
           ON w.job_id = c.job_id AND w.direction = 1 AND w.dataset_id = c.dataset_id AND w.current"""
IN_FORCE = "c.current AND (c.job_id = 0 OR w.job_id IS NOT NULL)"

COLUMN_EDGE = f"""SELECT s.root_id, m.in_field, d.root_id, m.out_field, m.direct, m.transformations,
                         c.job_id, c.mapping_id
                  FROM {{ids}} i CROSS JOIN %s
                  WHERE m.mapping_id = c.mapping_id AND c.dataset_id = d.id AND s.id = m.in_dataset_id
                    AND %s.root_id = i.id AND {IN_FORCE}"""
UP = COLUMN_EDGE % (f"dataset d CROSS JOIN {CLAIM} CROSS JOIN mapping_edge m CROSS JOIN dataset s", "d")
DOWN = COLUMN_EDGE % (f"dataset s CROSS JOIN mapping_edge m CROSS JOIN {CLAIM} CROSS JOIN dataset d", "s")


class Now:
    """The current graph."""

    def __init__(self, db: Connection) -> None:
        prefer_lookups(db)
        self.db = db

    def jobs_of(self, datasets: Iterable[int], direction: int | None = None) -> list[tuple[int, int, int]]:
        sql = """SELECT d.root_id, e.direction, e.job_id
                 FROM {ids} i CROSS JOIN dataset d CROSS JOIN edge e
                 WHERE d.root_id = i.id AND e.dataset_id = d.id AND e.direction IN (:one, :other) AND e.current"""
        one, other = (INPUT, OUTPUT) if direction is None else (direction, direction)
        # A job that uses two names of one dataset has two rows; rare, so not the database's work.
        return list(dict.fromkeys(for_ids(self.db, sql, datasets, one=one, other=other)))

    def datasets_of(self, jobs: Iterable[int]) -> list[tuple[int, int, int]]:
        sql = """SELECT e.job_id, e.direction, d.root_id
                 FROM {ids} i CROSS JOIN edge e CROSS JOIN dataset d
                 WHERE e.job_id = i.id AND e.current AND d.id = e.dataset_id"""
        return list(dict.fromkeys(for_ids(self.db, sql, jobs)))

    def claims_on(self, datasets: Iterable[int]) -> list[Claim]:
        sql = f"""SELECT c.job_id, d.root_id, c.kind, c.mapping_id
                  FROM {{ids}} i CROSS JOIN dataset d CROSS JOIN {CLAIM}
                  WHERE d.root_id = i.id AND c.dataset_id = d.id AND {IN_FORCE}"""
        return list(map(Claim._make, for_ids(self.db, sql, datasets)))

    def claims_from(self, datasets: Iterable[int]) -> list[Claim]:
        sql = f"""SELECT c.job_id, o.root_id, c.kind, c.mapping_id FROM (
                      SELECT DISTINCT m.mapping_id
                      FROM {{ids}} i CROSS JOIN dataset d CROSS JOIN mapping_edge m
                      WHERE d.root_id = i.id AND m.in_dataset_id = d.id
                  ) u CROSS JOIN {CLAIM} CROSS JOIN dataset o
                  WHERE c.mapping_id = u.mapping_id AND o.id = c.dataset_id AND {IN_FORCE}"""
        return list(map(Claim._make, for_ids(self.db, sql, datasets)))

    def claims_by(self, jobs: Iterable[int]) -> list[Claim]:
        sql = f"""SELECT c.job_id, d.root_id, c.kind, c.mapping_id
                  FROM {{ids}} i CROSS JOIN {CLAIM} CROSS JOIN dataset d
                  WHERE c.job_id = i.id AND d.id = c.dataset_id AND {IN_FORCE}"""
        return list(map(Claim._make, for_ids(self.db, sql, jobs)))

    def links(self, jobs: Iterable[int]) -> list[tuple[int, int]]:
        return job_links(self.db, jobs)

    def sources(self, mappings: Iterable[int]) -> dict[int, set[int]]:
        return mapping_sources(self.db, mappings)

    def column_edges(self, datasets: Iterable[int], up: bool, names: Iterable[str] | None) -> list[ColumnEdge]:
        sql = UP if up else DOWN
        if names is not None:
            sql += f" AND m.{'out' if up else 'in'}_field IN {{names}}"
        return list(map(ColumnEdge._make, for_ids(self.db, sql, datasets, names)))

    def edge_runs(self, jobs: Collection[int]) -> dict[int, int]:
        sql = """SELECT j.id, j.edges_run_id FROM {ids} i CROSS JOIN job j
                 WHERE j.id = i.id AND j.edges_run_id IS NOT NULL"""
        return dict(for_ids(self.db, sql, jobs))

    def counts(self, jobs: Collection[int], datasets: Collection[int]) -> Counter[tuple[str, int, int]]:
        sql = """SELECT e.job_id, e.direction, COUNT(DISTINCT d.root_id)
                 FROM {ids} i CROSS JOIN edge e CROSS JOIN dataset d
                 WHERE e.job_id = i.id AND e.current AND d.id = e.dataset_id GROUP BY e.job_id, e.direction"""
        found = Counter({("job", id, direction): n for id, direction, n in for_ids(self.db, sql, jobs)})
        sql = """SELECT d.root_id, e.direction, COUNT(DISTINCT e.job_id)
                 FROM {ids} i CROSS JOIN dataset d CROSS JOIN edge e
                 WHERE d.root_id = i.id AND e.dataset_id = d.id AND e.current
                 GROUP BY d.root_id, e.direction"""
        found.update({("dataset", id, direction): n for id, direction, n in for_ids(self.db, sql, datasets)})
        return found


def job_links(db: Connection, jobs: Iterable[int], at: int | None = None) -> list[tuple[int, int]]:
    """(from job, to job) for every explicit link of these jobs that was known at that time."""
    sql = """SELECT l.from_job_id, l.to_job_id FROM {ids} i CROSS JOIN job_link l
             WHERE l.from_job_id = i.id AND l.first_at <= :at
             UNION
             SELECT l.from_job_id, l.to_job_id FROM {ids} i CROSS JOIN job_link l
             WHERE l.to_job_id = i.id AND l.first_at <= :at"""
    return for_ids(db, sql, jobs, at=2**62 if at is None else at)


def mapping_sources(db: Connection, mappings: Iterable[int]) -> dict[int, set[int]]:
    """The input datasets of each mapping; one without inputs is absent."""
    sql = """SELECT DISTINCT m.mapping_id, d.root_id
             FROM {ids} i CROSS JOIN mapping_edge m CROSS JOIN dataset d
             WHERE m.mapping_id = i.id AND d.id = m.in_dataset_id"""
    found: dict[int, set[int]] = defaultdict(set)
    for mapping, root in for_ids(db, sql, mappings):
        found[mapping].add(root)
    return found


class TableGraph(Struct):
    """Jobs, datasets (root ids) and the edges between them, as (job, direction, dataset)."""

    jobs: dict[int, int]
    """Each job and how many job hops from the start it is."""
    datasets: set[int]
    edges: list[tuple[int, int, int]]


def table_graph(db: Connection, jobs: Iterable[int] = (), datasets: Iterable[int] = (), depth: int = 20) -> TableGraph:
    """Everything within `depth` job hops, both ways at every step; each job reached brings all its datasets.

    Depth 0 is the start jobs (or, of start datasets, the jobs that touch them) with their own datasets.
    """
    view = Now(db)
    graph = TableGraph({}, set(datasets), [])
    frontier = set(jobs) | {job for _, _, job in view.jobs_of(graph.datasets)}
    hops = 0
    while frontier:
        graph.jobs.update(dict.fromkeys(frontier, hops))
        edges = view.datasets_of(frontier)
        graph.edges += edges
        found = {dataset for _, _, dataset in edges} - graph.datasets
        if hops == 0:
            found |= {dataset for _, _, dataset in edges}
        graph.datasets |= found
        if hops == depth:
            break
        hops += 1
        frontier = {job for _, _, job in view.jobs_of(found)} - graph.jobs.keys()
    return graph
