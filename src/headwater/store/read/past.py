"""The table graph as it was at a time, by event time; the questions are those of graph.Now.

Names joined by symlinks count as one dataset at every time: a link says what was always so.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection

from headwater.store.read.bulk import for_ids, prefer_lookups
from headwater.store.read.graph import Claim, ColumnEdge, job_links, mapping_sources
from headwater.store.tables import OUTPUT

Edge = tuple[int, int, int]


class Past:
    """The graph at `at`, in microseconds. Jobs that were looked up are remembered for the next question."""

    def __init__(self, db: Connection, at: int) -> None:
        prefer_lookups(db)
        self.db = db
        self.at = at
        self._edges: dict[int, list[Edge]] = {}  # job -> (job, direction, dataset)
        self._written: set[tuple[int, int]] = set()  # (job, dataset under the name that the job used)
        self._runs: dict[int, int] = {}  # job -> the run whose datasets were its edges

    def jobs_of(self, datasets: Iterable[int], direction: int | None = None) -> list[Edge]:
        wanted = set(datasets)
        sql = """SELECT DISTINCT e.job_id FROM {ids} i CROSS JOIN dataset d CROSS JOIN edge e
                 WHERE d.root_id = i.id AND e.dataset_id = d.id"""
        jobs = [job for (job,) in for_ids(self.db, sql, wanted)]
        return [
            (dataset, way, job)
            for job, way, dataset in self.datasets_of(jobs)
            if dataset in wanted and direction in (None, way)
        ]

    def datasets_of(self, jobs: Iterable[int]) -> list[Edge]:
        jobs = list(jobs)
        self._load(job for job in jobs if job not in self._edges)
        return [edge for job in jobs for edge in self._edges[job]]

    def claims_on(self, datasets: Iterable[int]) -> list[Claim]:
        sql = """SELECT c.job_id, c.dataset_id, d.root_id, c.kind, c.mapping_id, c.last_at, c.run, p.hash
                 FROM {ids} i CROSS JOIN dataset d CROSS JOIN claim c CROSS JOIN mapping p
                 WHERE d.root_id = i.id AND c.dataset_id = d.id AND p.id = c.mapping_id
                   AND c.first_at <= :at"""
        return self._in_force(for_ids(self.db, sql, datasets, at=self.at))

    def claims_from(self, datasets: Iterable[int]) -> list[Claim]:
        sql = """SELECT DISTINCT c.mapping_id, d.root_id
                 FROM {ids} i CROSS JOIN dataset s CROSS JOIN mapping_edge m
                      CROSS JOIN claim c CROSS JOIN dataset d
                 WHERE s.root_id = i.id AND m.in_dataset_id = s.id AND c.mapping_id = m.mapping_id
                   AND d.id = c.dataset_id AND c.first_at <= :at"""
        using = set(for_ids(self.db, sql, datasets, at=self.at))
        # Whether such a claim was in force depends on the others about the same dataset.
        claims = self.claims_on({dataset for _, dataset in using})
        return [claim for claim in claims if (claim.mapping, claim.dataset) in using]

    def claims_by(self, jobs: Iterable[int]) -> list[Claim]:
        sql = """SELECT c.job_id, c.dataset_id, d.root_id, c.kind, c.mapping_id, c.last_at, c.run, p.hash
                 FROM {ids} i CROSS JOIN claim c CROSS JOIN dataset d CROSS JOIN mapping p
                 WHERE c.job_id = i.id AND d.id = c.dataset_id AND p.id = c.mapping_id
                   AND c.first_at <= :at"""
        return self._in_force(for_ids(self.db, sql, jobs, at=self.at))

    def links(self, jobs: Iterable[int]) -> list[tuple[int, int]]:
        return job_links(self.db, jobs, self.at)

    def sources(self, mappings: Iterable[int]) -> dict[int, set[int]]:
        return mapping_sources(self.db, mappings)

    def column_edges(self, datasets: Iterable[int], up: bool, names: Iterable[str] | None) -> list[ColumnEdge]:
        wanted = set(datasets)
        claims = self.claims_on(wanted) if up else self.claims_from(wanted)
        by_mapping = defaultdict(list)
        for claim in claims:
            by_mapping[claim.mapping].append(claim)
        sql = """SELECT m.mapping_id, s.root_id, m.in_field, m.out_field, m.direct, m.transformations
                 FROM {ids} i CROSS JOIN mapping_edge m CROSS JOIN dataset s
                 WHERE m.mapping_id = i.id AND s.id = m.in_dataset_id"""
        return [
            ColumnEdge(root, in_field, c.dataset, out_field, direct, transformations, c.job, mapping)
            for mapping, root, in_field, out_field, direct, transformations in for_ids(self.db, sql, by_mapping)
            for c in by_mapping[mapping]
            if up or root in wanted
        ]

    def edge_runs(self, jobs: Collection[int]) -> dict[int, int]:
        self.datasets_of(jobs)
        return {job: self._runs[job] for job in jobs if job in self._runs}

    def counts(self, jobs: Collection[int], datasets: Collection[int]) -> Counter[tuple[str, int, int]]:
        found = Counter(("dataset", dataset, direction) for dataset, direction, _ in self.jobs_of(datasets))
        found.update(("job", job, direction) for job, direction, _ in self.datasets_of(jobs))
        return found

    def _in_force(self, rows: Iterable[Any]) -> list[Claim]:
        """Of each job's claims on a dataset that it wrote then, the one that held: see settle_claims."""
        made: dict[tuple[int, int], list[tuple[tuple[int, bytes, int, bytes], Claim]]] = defaultdict(list)
        for job, dataset, root, kind, mapping, last_at, run, digest in rows:
            rank = (min(last_at, self.at), bytes(run), kind, bytes(digest))
            made[job, dataset].append((rank, Claim(job, root, kind, mapping)))
        self.datasets_of({job for job, _ in made if job})
        claims = []
        for (job, dataset), ranked in made.items():
            if job == 0 or (job, dataset) in self._written:
                last_run = max(ranked)[0][1]
                claims.append(max((rank[2], rank, claim) for rank, claim in ranked if rank[1] == last_run)[2])
        return claims

    def _load(self, jobs: Iterable[int]) -> None:
        """Read the edges of jobs: the datasets that their last run to name any had named by then."""
        jobs = set(jobs)
        sql = """SELECT i.id, (SELECT r.id FROM run r
                               WHERE r.job_id = i.id AND r.started_at <= :at AND r.named_at <= :at
                               ORDER BY r.started_at DESC, r.uuid DESC LIMIT 1) FROM {ids} i"""
        runs = {run: job for job, run in for_ids(self.db, sql, jobs, at=self.at) if run is not None}
        sql = """SELECT io.run_id, io.direction, d.id, d.root_id
                 FROM {ids} i CROSS JOIN io CROSS JOIN dataset d
                 WHERE io.run_id = i.id AND d.id = io.dataset_id AND io.first_at <= :at"""
        found: dict[int, dict[Edge, None]] = {job: {} for job in jobs}
        for run, direction, dataset, root in for_ids(self.db, sql, runs, at=self.at):
            found[runs[run]][runs[run], direction, root] = None
            if direction == OUTPUT:
                self._written.add((runs[run], dataset))
        self._edges.update((job, list(edges)) for job, edges in found.items())
        self._runs.update((job, run) for run, job in runs.items())
