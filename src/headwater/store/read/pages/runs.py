"""Pages of runs of every job."""

from collections.abc import Collection
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, func, select

from headwater.store.read.pages.jobs import named_like
from headwater.store.read.pages.keyset import Key, Order, Place, Rows, count_of, namespace_ids, page_of
from headwater.store.tables import job, run

KEYS = {
    "started": Key(run.c.started_at, int),
    "duration": Key(func.coalesce(run.c.ended_at, run.c.updated_at, run.c.started_at) - run.c.started_at, int),
}


class RunFilter(Struct, frozen=True):
    """Which runs; what is None does not matter. `text` and `namespace` are of the job, `uuid` is the run's own."""

    text: str | None = None
    namespace: str | None = None
    states: Collection[str] | None = None
    uuid: bytes | None = None


def run_page(db: Connection, wanted: RunFilter, order: Order, after: Place | None, limit: int) -> Rows:
    """A page of the runs that are wanted; one that only a child has named has not started, and is left out."""
    return page_of(db, _wanted(db, wanted), run.c.id, KEYS, order, after, limit)


def count_runs(db: Connection, wanted: RunFilter) -> int:
    """How many runs are wanted."""
    return count_of(db, _wanted(db, wanted))


def _wanted(db: Connection, wanted: RunFilter) -> Select[Any]:
    statement = select(run.c.id).where(run.c.started_at.is_not(None), ~run.c.declared)
    if wanted.uuid is not None:
        statement = statement.where(run.c.uuid == wanted.uuid)
    if wanted.states is not None:
        statement = statement.where(run.c.state.in_(wanted.states))
    # An expression, lest SQLite go from job to job and sort all their runs for one page.
    of_job = run.c.job_id + 0
    if wanted.namespace is not None:
        inside = job.c.namespace_id.in_(namespace_ids(db, wanted.namespace))
        statement = statement.where(of_job.in_(select(job.c.id).where(inside)))
    if wanted.text is not None:
        statement = statement.where(of_job.in_(select(job.c.id).where(named_like(db, wanted.text))))
    return statement
