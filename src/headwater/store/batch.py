"""The rows that one transaction will write: each key once, merged as the database would merge them."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

from headwater.store import statements
from headwater.store.memory import JobState, RunState
from headwater.store.session import Session

T = TypeVar("T", str, bytes)
_Said = tuple[int, T] | None  # when, and what


class Batch:
    """Filled by the fold, written by `flush_facts`, then by `flush_jobs` once edges are settled."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.diagnostics: list[tuple[Any, ...]] = []
        self.namespaces: dict[int, tuple[str, int, int]] = {}
        self.new_jobs: Counter[int] = Counter()  # by namespace
        self.new_datasets: Counter[int] = Counter()
        self.sources: dict[str, tuple[str, str, int, int]] = {}
        self.datasets: dict[int, tuple[Any, ...]] = {}
        self.symlinks: dict[tuple[int, int], str] = {}
        self.jobs: dict[int, JobState] = {}
        self.job_links: dict[tuple[int, int], int] = {}
        self.runs: dict[int, RunState] = {}
        self.touched: dict[int, set[int]] = {}  # job -> its runs that this batch changed
        self.leases: dict[int, tuple[int, int]] = {}  # run -> seconds, until when
        self.io: dict[tuple[int, int, int], int] = {}
        self.versions: dict[tuple[int, int, str], tuple[int, int, _Said[str], _Said[bytes]]] = {}
        self.schemas: dict[bytes, bytes] = {}
        self.dataset_schemas: dict[tuple[int, bytes], tuple[int, int, bytes, bool]] = {}
        self.fields: dict[tuple[int, str], None] = {}
        self.mappings: list[tuple[int, bytes]] = []
        self.mapping_edges: list[tuple[Any, ...]] = []
        self.claims: dict[tuple[int, int, int, int], tuple[int, int, bytes]] = {}
        self.facets: dict[tuple[int, int, int, str], tuple[int, bytes, bytes | None]] = {}
        self.blobs: dict[bytes, bytes] = {}
        self.search: list[tuple[int, int, int, str, str]] = []

    def version(self, key: tuple[int, int, str], at: int, lifecycle: str | None, schema: bytes | None) -> None:
        """A write: its times, and the newest thing said of the dataset's life and of its columns."""
        life = (at, lifecycle) if lifecycle else None
        made = (at, schema) if schema else None
        old = self.versions.get(key)
        if old is None:
            self.versions[key] = (at, at, life, made)
        else:
            self.versions[key] = (min(old[0], at), max(old[1], at), _newer(old[2], life), _newer(old[3], made))

    def schema(self, key: tuple[int, bytes], at: int, run: bytes, written: bool) -> None:
        """A schema seen on a dataset; the first run to show it is kept beside it."""
        old = self.dataset_schemas.get(key)
        if old is None:
            self.dataset_schemas[key] = (at, at, run, written)
        else:
            first, last, old_run, old_written = old
            earliest = run if (at, run) < (first, old_run) else old_run
            self.dataset_schemas[key] = (min(first, at), max(last, at), earliest, written or old_written)

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
            (
                statements.NAMESPACE,
                [(id, *row, self.new_jobs[id], self.new_datasets[id]) for id, row in self.namespaces.items()],
            ),
            (statements.SOURCE, [(name, *row) for name, row in self.sources.items()]),
            (statements.DATASET, [*self.datasets.values()]),
            (statements.SYMLINK, [(*key, kind) for key, kind in self.symlinks.items()]),
            (statements.RUN, [run.row() for run in self.runs.values()]),
            (statements.LEASE, [(run_id, *lease) for run_id, lease in self.leases.items()]),
            (statements.IO, [(*key, at) for key, at in self.io.items()]),
            (statements.JOB_LINK, [(*key, at) for key, at in self.job_links.items()]),
            (statements.VERSION, [_version_row(key, row) for key, row in self.versions.items()]),
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

    def flush_jobs(self, session: Session, edges: dict[tuple[int, int, int], bool]) -> None:
        """Write the jobs and the edges that changed."""
        session.insert(
            [
                (statements.JOB, [job.row() for job in self.jobs.values()]),
                (statements.EDGE, [(*key, current) for key, current in edges.items()]),
            ]
        )


def _newer(a: _Said[T], b: _Said[T]) -> _Said[T]:
    return b if a is None else a if b is None else max(a, b)


def _version_row(key: tuple[int, int, str], row: tuple[int, int, _Said[str], _Said[bytes]]) -> tuple[Any, ...]:
    first, last, life, made = row
    life_at, lifecycle = life or (None, None)
    made_at, schema = made or (None, None)
    return (*key, first, last, lifecycle, life_at, schema, made_at)
