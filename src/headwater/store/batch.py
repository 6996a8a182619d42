"""The rows that one transaction will write: each key once, merged as the database would merge them."""

from __future__ import annotations

from typing import Any

from headwater.store import statements
from headwater.store.memory import JobState, RunState
from headwater.store.session import Session


class Batch:
    """Filled by the fold, written by `flush_facts`, then by `flush_jobs` once edges are settled."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.diagnostics: list[tuple[Any, ...]] = []
        self.namespaces: dict[int, tuple[str, int, int]] = {}
        self.sources: dict[str, tuple[str, str, int, int]] = {}
        self.datasets: dict[int, tuple[Any, ...]] = {}
        self.symlinks: dict[tuple[int, int], str] = {}
        self.jobs: dict[int, JobState] = {}
        self.job_links: dict[tuple[int, int], int] = {}
        self.runs: dict[int, RunState] = {}
        self.touched: dict[int, set[int]] = {}  # job -> its runs that this batch changed
        self.io: dict[tuple[int, int, int], int] = {}
        self.versions: dict[tuple[int, int, str], tuple[int, int, str | None, int | None]] = {}
        self.schemas: dict[bytes, bytes] = {}
        self.dataset_schemas: dict[tuple[int, bytes, int], tuple[int, int]] = {}
        self.fields: dict[tuple[int, str], None] = {}
        self.mappings: list[tuple[int, bytes]] = []
        self.mapping_edges: list[tuple[Any, ...]] = []
        self.claims: dict[tuple[int, int, int, int], tuple[int, int, bytes]] = {}
        self.facets: dict[tuple[int, int, int, str], tuple[int, bytes]] = {}
        self.blobs: dict[bytes, bytes] = {}
        self.search: list[tuple[int, int, int, str, str]] = []

    def span(self, rows: dict[Any, tuple[int, int]], key: Any, at: int) -> None:
        """Widen the [first, last] of a row to hold `at`."""
        old = rows.get(key)
        rows[key] = (at, at) if old is None else (min(old[0], at), max(old[1], at))

    def version(self, key: tuple[int, int, str], at: int, lifecycle: str | None) -> None:
        """A write: its times, and the newest thing said of the dataset's life."""
        lifecycle_at = at if lifecycle else None
        old = self.versions.get(key)
        if old is not None:
            first, last, old_lifecycle, old_lifecycle_at = old
            if (lifecycle_at or -1, lifecycle or "") < (old_lifecycle_at or -1, old_lifecycle or ""):
                lifecycle, lifecycle_at = old_lifecycle, old_lifecycle_at
            self.versions[key] = (min(first, at), max(last, at), lifecycle, lifecycle_at)
        else:
            self.versions[key] = (at, at, lifecycle, lifecycle_at)

    def claim(self, key: tuple[int, int, int, int], at: int, run: bytes) -> None:
        """A job says how a dataset is made; the newest run that says so is kept beside it."""
        old = self.claims.get(key)
        if old is None:
            self.claims[key] = (at, at, run)
        else:
            first, last, old_run = old
            self.claims[key] = (
                min(first, at),
                max(last, at),
                run if (at, run) > (last, old_run) else old_run,
            )

    def flush_facts(self, session: Session) -> None:
        """Write everything but jobs and edges."""
        work: list[tuple[statements.Statement, list[tuple[Any, ...]]]] = [
            (statements.EVENT, self.events),
            (statements.DIAGNOSTIC, self.diagnostics),
            (statements.NAMESPACE, [(id, *row) for id, row in self.namespaces.items()]),
            (statements.SOURCE, [(name, *row) for name, row in self.sources.items()]),
            (statements.DATASET, [*self.datasets.values()]),
            (statements.SYMLINK, [(*key, kind) for key, kind in self.symlinks.items()]),
            (statements.RUN, [run.row() for run in self.runs.values()]),
            (statements.IO, [(*key, at) for key, at in self.io.items()]),
            (statements.JOB_LINK, [(*key, at) for key, at in self.job_links.items()]),
            (statements.VERSION, [(*key, *row) for key, row in self.versions.items()]),
            (statements.SCHEMA, [*self.schemas.items()]),
            (statements.DATASET_SCHEMA, [(*key, *row) for key, row in self.dataset_schemas.items()]),
            (statements.FIELD, [*self.fields]),
            (statements.MAPPING, self.mappings),
            (statements.MAPPING_EDGE, self.mapping_edges),
            (
                statements.CLAIM,
                [(*key, first, last, False, run) for key, (first, last, run) in self.claims.items()],
            ),
            (statements.FACET, [(*key, *row) for key, row in self.facets.items()]),
            (statements.BLOB, [*self.blobs.items()]),
            (statements.SEARCH, self.search),
        ]
        session.insert(work)
        if self.search:
            session.index_search([(id, folded) for id, _, _, _, folded in self.search])

    def flush_jobs(self, session: Session, edges: dict[tuple[int, int, int], tuple[int, bool]]) -> None:
        """Write the jobs and the edges that changed."""
        session.insert(
            [
                (statements.JOB, [job.row() for job in self.jobs.values()]),
                (statements.EDGE, [(*key, *row) for key, row in edges.items()]),
            ]
        )
