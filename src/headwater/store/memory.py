"""What the writer keeps in mind between transactions, so that a known name costs no query."""

from __future__ import annotations

from typing import Any

from headwater.store.session import RUN_COLUMNS, Session

Edge = tuple[int, int]  # direction, dataset id
Mapping = tuple[int, tuple[tuple[int, str, str], ...]]  # its id, and each input dataset: id, namespace, name
Stamp = tuple[int, bytes]  # a run's start and UUID: runs of a job are ordered by it

_KEEP = 20_000  # entries of each kind; past twice that, the oldest go


class RunState:
    """A run's registers and the datasets it named. `moved`: this batch changed its place among its job's runs."""

    __slots__ = (
        "declared",
        "ended_at",
        "external_id",
        "id",
        "io",
        "job_at",
        "job_id",
        "lost_at",
        "moved",
        "named_at",
        "parent_at",
        "parent_id",
        "root_id",
        "started_at",
        "state",
        "updated_at",
        "uuid",
    )

    def __init__(self, id: int, uuid: bytes, external_id: str | None = None, declared: bool = False) -> None:
        self.id = id
        self.uuid = uuid
        self.external_id = external_id
        self.declared = declared
        self.state = "NEW"
        self.job_id: int | None = None
        self.job_at: int | None = None
        self.started_at: int | None = None
        self.updated_at: int | None = None
        self.ended_at: int | None = None
        self.named_at: int | None = None
        self.parent_id: int | None = None
        self.parent_at: int | None = None
        self.root_id: int | None = None
        self.lost_at: int | None = None
        self.io: dict[Edge, int] = {}
        self.moved = False

    def row(self) -> tuple[Any, ...]:
        """In the order of the run table's columns."""
        return (
            self.id,
            self.uuid,
            self.external_id,
            self.job_id,
            self.job_at,
            self.declared,
            self.state,
            self.started_at,
            self.updated_at,
            self.ended_at,
            self.named_at,
            self.parent_id,
            self.parent_at,
            self.root_id,
            self.lost_at,
        )


class JobState:
    """A job's registers, every dataset it ever named, and which of them are its edges now."""

    __slots__ = (
        "created_at",
        "current",
        "edges_run_id",
        "edges_stamp",
        "id",
        "known",
        "latest_run_id",
        "latest_stamp",
        "name",
        "namespace_id",
        "parent_at",
        "parent_id",
        "updated_at",
    )

    def __init__(self, id: int, namespace_id: int, name: str, at: int) -> None:
        self.id = id
        self.namespace_id = namespace_id
        self.name = name
        self.created_at = at
        self.updated_at = at
        self.latest_run_id: int | None = None
        self.latest_stamp: Stamp | None = None
        self.edges_run_id: int | None = None
        self.edges_stamp: Stamp | None = None
        self.parent_id: int | None = None
        self.parent_at: int | None = None
        self.known: set[Edge] = set()
        self.current: set[Edge] = set()

    def row(self) -> tuple[Any, ...]:
        """In the order of the job table's columns, without deleted_at."""
        return (
            self.id,
            self.namespace_id,
            self.name,
            self.created_at,
            self.updated_at,
            self.latest_run_id,
            self.edges_run_id,
            self.parent_id,
            self.parent_at,
        )


class Memory:
    """Caches over one session. Forgetting any of it is safe: what is missing is read again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.namespaces: dict[str, int] = {}
        self.namespace_names: dict[int, str] = {}
        self.datasets: dict[tuple[str, str], int] = {}
        self.jobs: dict[tuple[str, str], JobState] = {}
        self.jobs_by_id: dict[int, JobState] = {}
        self.runs: dict[bytes, RunState] = {}
        self.runs_by_id: dict[int, RunState] = {}
        self.contents: dict[tuple[str, str, bytes], bytes | None] = {}  # facets stored and checked; itself if short
        self.schemas: dict[bytes, tuple[bytes, tuple[str, ...]]] = {}  # facet -> schema, its column names
        self.dataset_schemas: dict[tuple[int, bytes], None] = {}
        self.columns: dict[str, None] = {}  # names that search knows
        self.mappings: dict[bytes, int] = {}  # content -> mapping id
        self.facet_mappings: dict[bytes, Mapping] = {}  # facet -> the mapping that its content is
        self.symlinks: dict[tuple[int, int, str], None] = {}
        self.sole_claims: dict[tuple[int, int], tuple[int, int]] = {}  # (job, dataset) -> its only (kind, mapping)
        self._next: dict[str, int] = {}

    def next_id(self, table: str) -> int:
        """A fresh id; only one writer gives them at a time."""
        if table not in self._next:
            stored = self._session.rows(f"SELECT COALESCE(MAX(id), 0) FROM {table}")[0][0]
            pruned = self._session.rows("SELECT value FROM meta WHERE key = ?", (f"highest:{table}",))
            self._next[table] = max(stored, int(pruned[0][0]) if pruned else 0) + 1
        self._next[table] += 1
        return self._next[table] - 1

    def trim(self) -> None:
        """Drop the oldest of whatever has grown too large."""
        caches: tuple[dict[Any, Any], ...] = (
            self.datasets,
            self.contents,
            self.schemas,
            self.dataset_schemas,
            self.columns,
            self.mappings,
            self.facet_mappings,
            self.symlinks,
            self.sole_claims,
        )
        for cache in caches:
            _halve(cache)
        if len(self.jobs) > 2 * _KEEP:
            self.jobs.clear()
            self.jobs_by_id.clear()
        if len(self.runs) > 2 * _KEEP:
            _halve(self.runs)
            self.runs_by_id = {run.id: run for run in self.runs.values()}

    # -- loading ------------------------------------------------------------------------------------

    def load_runs(self, uuids: list[bytes]) -> None:
        """Bring the runs among `uuids` that are stored but not in mind."""
        missing = [uuid for uuid in uuids if uuid not in self.runs]
        if missing:
            self.remember_runs(self._session.rows_in(f"SELECT {RUN_COLUMNS} FROM run WHERE uuid IN", missing))

    def run_by_id(self, id: int) -> RunState:
        """The run with this id, which is stored or in mind."""
        if id not in self.runs_by_id:
            self.remember_runs(self._session.rows(f"SELECT {RUN_COLUMNS} FROM run WHERE id = ?", (id,)))
        return self.runs_by_id[id]

    def remember_run(self, run: RunState) -> RunState:
        self.runs[run.uuid] = run
        self.runs_by_id[run.id] = run
        return run

    def remember_runs(self, rows: list[tuple[Any, ...]]) -> None:
        """Bring stored runs, given as rows of RUN_COLUMNS, with the datasets they named."""
        found = {}
        for row in rows:
            run = RunState(row[0], bytes(row[1]), row[2], bool(row[5]))
            run.job_id, run.job_at, run.state = row[3], row[4], row[6]
            run.started_at, run.updated_at, run.ended_at, run.named_at = row[7:11]
            run.parent_id, run.parent_at, run.root_id, run.lost_at = row[11:15]
            found[run.id] = self.remember_run(run)
        if found:
            io = self._session.rows_in(
                "SELECT run_id, direction, dataset_id, first_at FROM io WHERE run_id IN", [*found]
            )
            for run_id, direction, dataset_id, first_at in io:
                found[run_id].io[direction, dataset_id] = first_at

    def find_job(self, namespace: str, name: str) -> JobState | None:
        """The job of this name, from mind or store."""
        known = self.jobs.get((namespace, name))
        if known is not None or namespace not in self.namespaces:
            return known
        return self._load_job(namespace, "job.namespace_id = ? AND job.name = ?", (self.namespaces[namespace], name))

    def job_by_id(self, id: int) -> JobState:
        """The job with this id, which is stored or in mind."""
        if id not in self.jobs_by_id:
            namespace = self._session.rows(
                "SELECT namespace.name FROM job JOIN namespace ON namespace.id = namespace_id WHERE job.id = ?",
                (id,),
            )[0][0]
            self._load_job(namespace, "job.id = ?", (id,))
        return self.jobs_by_id[id]

    def remember_job(self, namespace: str, job: JobState) -> JobState:
        self.jobs[namespace, job.name] = job
        self.jobs_by_id[job.id] = job
        return job

    def _load_job(self, namespace: str, where: str, parameters: tuple[Any, ...]) -> JobState | None:
        rows = self._session.rows(f"SELECT {_JOB_COLUMNS} FROM {_JOB_JOINS} WHERE {where}", parameters)
        if not rows:
            return None
        row = rows[0]
        job = JobState(row[0], row[1], row[2], row[3])
        job.updated_at, job.parent_id, job.parent_at = row[4:7]
        job.latest_run_id, job.edges_run_id = row[7], row[10]
        job.latest_stamp = None if row[8] is None else (row[8], bytes(row[9]))
        job.edges_stamp = None if row[11] is None else (row[11], bytes(row[12]))
        edges = "SELECT direction, dataset_id, current FROM edge WHERE job_id = ?"
        for direction, dataset_id, current in self._session.rows(edges, (job.id,)):
            job.known.add((direction, dataset_id))
            if current:
                job.current.add((direction, dataset_id))
        return self.remember_job(namespace, job)


_JOB_COLUMNS = (
    "job.id, job.namespace_id, job.name, job.created_at, job.updated_at, job.parent_job_id, job.parent_at, "
    "latest.id, latest.started_at, latest.uuid, edges.id, edges.started_at, edges.uuid"
)
_JOB_JOINS = (
    "job LEFT JOIN run AS latest ON latest.id = job.latest_run_id LEFT JOIN run AS edges ON edges.id = job.edges_run_id"
)


def _halve(cache: dict[Any, Any]) -> None:
    if len(cache) > 2 * _KEEP:
        for key in list(cache)[:-_KEEP]:
            del cache[key]
