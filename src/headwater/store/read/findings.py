"""What may be amiss with the stored graph: jobs without datasets, and jobs that have gone quiet."""

from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, exists, select

from headwater.store.read.lists import visible
from headwater.store.read.runs import latest_runs
from headwater.store.tables import INPUT, OUTPUT, dataset, edge, job, lease, namespace, run

SECOND_US = 1_000_000
QUIET_AFTER_US = 600 * SECOND_US  # nobody is woken for less
FORGOTTEN_US = 30 * 86_400 * SECOND_US  # a job of last year is not quiet, it is gone
SILENT_RUN_US = 3_600 * SECOND_US
LOOKED_AT = 2_000
DATASETS_LOOKED_AT = 100_000
STARTS, FEWEST_STARTS = 10, 4  # of a job, to tell what is usual
TIMES_LATE = 3


class NamedJob(Struct, frozen=True):
    """A job by name, and when it was last heard of."""

    id: int
    namespace: str
    name: str
    updated_at: int


class QuietJob(Struct, frozen=True):
    """A job that used to be heard of every `usual` microseconds; None for a run that does not end."""

    job: NamedJob
    usual: int | None


def newest_datasets(db: Connection) -> Iterable[tuple[str, str]]:
    """The namespace and name of every node, or of as many as can be looked at while somebody waits."""
    statement = (
        select(namespace.c.name, dataset.c.name)
        .join(namespace, namespace.c.id == dataset.c.namespace_id)
        .where(dataset.c.root_id == dataset.c.id, visible(dataset))
        .order_by(dataset.c.id.desc())
        .limit(DATASETS_LOOKED_AT)
    )
    return ((space, name) for space, name in db.execute(statement))


def jobs_without(db: Connection, inputs: bool, outputs: bool, limit: int) -> list[NamedJob]:
    """Jobs that have runs but lack inputs, outputs or both, as asked; not those that only run others."""
    child = job.alias("child")
    statement = _named().where(
        visible(job),
        job.c.latest_run_id.is_not(None),
        ~exists().where(child.c.parent_job_id == job.c.id),
        _touches(INPUT) if inputs else ~_touches(INPUT),
        _touches(OUTPUT) if outputs else ~_touches(OUTPUT),
    )
    rows = db.execute(statement.order_by(job.c.updated_at.desc(), job.c.id.desc()).limit(limit))
    return [NamedJob(*row) for row in rows]


def quiet_jobs(db: Connection, now: int, limit: int) -> list[QuietJob]:
    """Jobs that are later than they usually are, or whose run is open but has said nothing for long."""
    since, until = now - FORGOTTEN_US, now - QUIET_AFTER_US
    statement = (
        _named()
        .where(visible(job), job.c.updated_at > since, job.c.updated_at < until, job.c.latest_run_id.is_not(None))
        .order_by(job.c.updated_at.desc(), job.c.id.desc())
        .limit(LOOKED_AT)
    )
    candidates = [NamedJob(*row) for row in db.execute(statement)]
    found = _overdue(db, candidates, now) + _silent(db, now)
    once = {quiet.job.id: quiet for quiet in found}
    return sorted(once.values(), key=lambda quiet: -quiet.job.updated_at)[:limit]


def _overdue(db: Connection, candidates: list[NamedJob], now: int) -> list[QuietJob]:
    history = latest_runs(db, [one.id for one in candidates], STARTS)
    found = []
    for one in candidates:
        runs = history.get(one.id, [])
        starts = [run.started_at for run in runs if run.started_at is not None]
        if len(starts) < FEWEST_STARTS or runs[0].state == "RUNNING":
            continue
        usual = int(median(later - earlier for later, earlier in pairwise(starts)))
        if usual > 0 and now - starts[0] > max(TIMES_LATE * usual, QUIET_AFTER_US):
            found.append(QuietJob(one, usual))
    return found


def _silent(db: Connection, now: int) -> list[QuietJob]:
    """Open latest runs that nobody renews and that have said nothing for long."""
    statement = (
        _named()
        .join(run, run.c.id == job.c.latest_run_id)
        .where(
            visible(job),
            run.c.state == "RUNNING",
            run.c.updated_at < now - SILENT_RUN_US,
            run.c.updated_at > now - FORGOTTEN_US,
            ~exists().where(lease.c.run_id == run.c.id),
        )
        .order_by(job.c.updated_at.desc(), job.c.id.desc())
        .limit(LOOKED_AT)
    )
    return [QuietJob(NamedJob(*row), None) for row in db.execute(statement)]


def _named() -> Select[int, str, str, int]:
    return select(job.c.id, namespace.c.name, job.c.name, job.c.updated_at).join_from(
        job, namespace, namespace.c.id == job.c.namespace_id
    )


def _touches(direction: int) -> ColumnElement[bool]:
    return exists().where(edge.c.job_id == job.c.id, edge.c.direction == direction, edge.c.current)
