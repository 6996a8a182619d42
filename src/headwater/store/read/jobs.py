"""Jobs as stored, with the datasets of their current edges."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, func, select, true

from headwater.store.read.lists import count_hidden, rows_for, visible
from headwater.store.tables import OUTPUT, dataset, edge, io, job, namespace, run


class JobRow(Struct, frozen=True, gc=False):
    """One job; times are microseconds. `parent` is the name of the job that its runs run under."""

    id: int
    namespace: str
    name: str
    created_at: int
    updated_at: int
    latest_run_id: int | None
    edges_run_id: int | None
    parent_namespace: str | None
    parent: str | None
    deleted_at: int | None

    @property
    def hidden(self) -> bool:
        return self.deleted_at is not None and self.deleted_at >= self.updated_at


class Name(Struct, frozen=True, order=True, gc=False):
    """Namespace and name of a job or dataset."""

    namespace: str
    name: str


class JobIo(Struct, gc=False):
    """The datasets that a job reads and writes now; `reported` is (direction, namespace, name) as it said."""

    inputs: list[Name]
    outputs: list[Name]
    reported: list[tuple[int, str, str]]


_parent = job.alias("parent")
_parent_namespace = namespace.alias("parent_namespace")
_grandparent = job.alias("grandparent")
_FROM = (
    job.join(namespace, namespace.c.id == job.c.namespace_id)
    .outerjoin(_parent, _parent.c.id == job.c.parent_job_id)
    .outerjoin(_parent_namespace, _parent_namespace.c.id == _parent.c.namespace_id)
)
_COLUMNS = (
    job.c.id,
    namespace.c.name,
    job.c.name,
    job.c.created_at,
    job.c.updated_at,
    job.c.latest_run_id,
    job.c.edges_run_id,
    _parent_namespace.c.name,
    _parent.c.name,
    job.c.deleted_at,
)
_SELECT = select(*_COLUMNS).select_from(_FROM)


def find_job(db: Connection, namespace_name: str, name: str) -> JobRow | None:
    """The job of that name, or the child whose name with its parents' before it, joined by dots, is that."""
    parts = name.split(".")
    suffixes = [".".join(parts[i:]) for i in range(len(parts))]
    statement = (
        select(*_COLUMNS, _grandparent.c.name)
        .select_from(_FROM.outerjoin(_grandparent, _grandparent.c.id == _parent.c.parent_job_id))
        .where(namespace.c.name == namespace_name, job.c.name.in_(suffixes), visible(job))
    )
    found = None
    for *columns, grandparent in db.execute(statement):
        row = JobRow(*columns)
        if row.name == name:
            return row
        below = f"{row.parent}.{row.name}"
        if row.parent and name in (below, f"{grandparent}.{below}"):
            found = row
    return found


def jobs_by_id(db: Connection, ids: Iterable[int]) -> dict[int, JobRow]:
    """The jobs of these ids."""
    return {row[0]: JobRow(*row) for row in rows_for(db, _SELECT, job.c.id, ids)}


def list_jobs(
    db: Connection,
    namespace_id: int | None,
    limit: int,
    offset: int,
    states: Collection[str] | None = None,
) -> list[JobRow]:
    """A page of jobs, the most recently updated first; `states` are those of the latest run."""
    page = _matching(select(job.c.id), namespace_id, states).where(visible(job))
    page = page.order_by(job.c.updated_at.desc(), job.c.id.desc()).limit(limit).offset(offset)
    ids = list(db.execute(page).scalars())
    rows = jobs_by_id(db, ids)
    return [rows[id] for id in ids]


def count_jobs(db: Connection, namespace_id: int | None, states: Collection[str] | None = None) -> int:
    """How many jobs list_jobs has in all."""
    if states is not None:
        count = select(func.count()).select_from(job)
        return db.execute(_matching(count, namespace_id, states).where(visible(job))).scalar_one()
    made = select(func.coalesce(func.sum(namespace.c.jobs), 0))
    if namespace_id is not None:
        made = made.where(namespace.c.id == namespace_id)
    return int(db.execute(made).scalar_one()) - count_hidden(db, job, namespace_id)


def _matching(statement: Select[int], namespace_id: int | None, states: Collection[str] | None) -> Select[int]:
    wanted: ColumnElement[bool] = job.c.namespace_id == namespace_id if namespace_id is not None else true()
    if states is not None:
        statement = statement.join(run, run.c.id == job.c.latest_run_id).where(run.c.state.in_(states))
    return statement.where(wanted)


_node, _node_namespace = dataset.alias("node"), namespace.alias("node_namespace")
_CURRENT_IO = (
    select(
        edge.c.job_id,
        edge.c.direction,
        _node_namespace.c.name,
        _node.c.name,
        namespace.c.name,
        dataset.c.name,
    )
    .select_from(edge)
    .join(dataset, dataset.c.id == edge.c.dataset_id)
    .join(namespace, namespace.c.id == dataset.c.namespace_id)
    .join(_node, _node.c.id == dataset.c.root_id)
    .join(_node_namespace, _node_namespace.c.id == _node.c.namespace_id)
    .where(edge.c.current)
)


def current_io(db: Connection, job_ids: Iterable[int]) -> dict[int, JobIo]:
    """Job -> the nodes it reads and writes now. Jobs without edges are left out."""
    found: dict[int, JobIo] = {}
    for job_id, direction, space, name, said_space, said in rows_for(db, _CURRENT_IO, edge.c.job_id, job_ids):
        if (one := found.get(job_id)) is None:
            one = found[job_id] = JobIo([], [], [])
        names = one.outputs if direction == OUTPUT else one.inputs
        if (shown := Name(space, name)) not in names:
            names.append(shown)
        one.reported.append((direction, said_space, said))
    for one in found.values():
        one.inputs.sort()
        one.outputs.sort()
    return found


class RunIo(Struct, frozen=True, gc=False):
    """A run, or a declaration, and every dataset row that it named as (direction, dataset id)."""

    run_id: int
    started_at: int
    declared: bool
    datasets: frozenset[tuple[int, int]]


MOST_RUNS = 10_000


def run_ios(db: Connection, job_id: int) -> Sequence[RunIo]:
    """What each of a job's newest runs named, newest first; at most MOST_RUNS of them."""
    newest = (
        select(run.c.id, run.c.started_at, run.c.declared)
        .where(run.c.job_id == job_id, run.c.started_at.is_not(None))
        .order_by(run.c.started_at.desc(), run.c.uuid.desc())
        .limit(MOST_RUNS)
    )
    runs = db.execute(newest).all()
    named: dict[int, set[tuple[int, int]]] = {}
    statement = select(io.c.run_id, io.c.direction, io.c.dataset_id)
    for run_id, direction, dataset_id in rows_for(db, statement, io.c.run_id, [row.id for row in runs]):
        named.setdefault(run_id, set()).add((direction, dataset_id))
    return [RunIo(id, at, declared, frozenset(named.get(id, ()))) for id, at, declared in runs]
