"""Runs as stored, and the versions of the datasets that they read and wrote."""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Select, and_, case, func, select

from headwater.store.read.lists import rows_for
from headwater.store.tables import INPUT, OUTPUT, dataset, io, job, run, version


class RunRow(Struct, frozen=True, gc=False):
    """One run; times are microseconds. Without started_at it is known only because a child named it."""

    id: int
    uuid: bytes
    job_id: int | None
    state: str
    started_at: int | None
    updated_at: int | None
    ended_at: int | None


class IoVersion(NamedTuple):
    """A dataset that a run named, and the write that it read or made, if any is known.

    `dataset_id` is the row that the run named, `written_id` the row of the same node that was written.
    """

    dataset_id: int
    written_id: int | None
    writer_id: int | None
    writer: bytes | None  # UUID of the run that wrote it
    version: str


_COLUMNS = (
    run.c.id,
    run.c.uuid,
    run.c.job_id,
    run.c.state,
    run.c.started_at,
    run.c.updated_at,
    # To those who know no lost runs it ended when it was last heard of.
    case((run.c.state == "LOST", run.c.lost_at), else_=run.c.ended_at),
)
_SELECT = select(*_COLUMNS).where(~run.c.declared)


def find_run(db: Connection, uuid: bytes) -> RunRow | None:
    """The run of that UUID."""
    row = db.execute(_SELECT.where(run.c.uuid == uuid)).first()
    return RunRow(*row) if row else None


def runs_by_id(db: Connection, ids: Iterable[int]) -> dict[int, RunRow]:
    """The runs of these ids."""
    return {row[0]: RunRow(*row) for row in rows_for(db, _SELECT, run.c.id, ids)}


def list_runs(db: Connection, job_id: int, limit: int, offset: int) -> list[RunRow]:
    """A page of a job's runs: the last started first, after them those known only through children."""
    of_job = _SELECT.where(run.c.job_id == job_id)
    # Two statements, because the databases disagree about where NULL sorts and an index follows one of them.
    started = of_job.where(run.c.started_at.is_not(None))
    started = started.order_by(run.c.started_at.desc(), run.c.uuid.desc()).limit(limit).offset(offset)
    rows = [RunRow(*row) for row in db.execute(started)]
    if len(rows) < limit:
        others = of_job.where(run.c.started_at.is_(None)).order_by(run.c.uuid)
        skip = max(0, offset - (count_runs(db, job_id, started_only=True) if offset else 0))
        rows += [RunRow(*row) for row in db.execute(others.limit(limit - len(rows)).offset(skip))]
    return rows


def count_runs(db: Connection, job_id: int, started_only: bool = False) -> int:
    """How many runs a job has."""
    column = run.c.started_at if started_only else run.c.id
    statement = select(func.count(column)).where(run.c.job_id == job_id, ~run.c.declared)
    return db.execute(statement).scalar_one()


@cache
def _latest(each: int) -> Select[Any]:
    other = run.alias("other")
    # The start of the last run wanted bounds an index scan; a window function would read every run.
    oldest = (
        select(other.c.started_at)
        .where(other.c.job_id == job.c.id, other.c.started_at.is_not(None), ~other.c.declared)
        .order_by(other.c.started_at.desc())
        .limit(1)
        .offset(each - 1)
        .scalar_subquery()
    )
    return (
        select(*_COLUMNS)
        .select_from(job)
        .join(run, and_(run.c.job_id == job.c.id, run.c.started_at >= func.coalesce(oldest, -(2**62))))
        .where(~run.c.declared)
    )


def latest_runs(db: Connection, job_ids: Iterable[int], each: int) -> dict[int, list[RunRow]]:
    """Job -> its last started runs, newest first, at most `each`. Jobs without runs are left out."""
    found: dict[int, list[RunRow]] = {}
    for row in rows_for(db, _latest(each), job.c.id, job_ids):
        found.setdefault(row[2], []).append(RunRow(*row))
    for runs in found.values():
        runs.sort(key=lambda r: (r.started_at, r.uuid), reverse=True)
        del runs[each:]
    return found


def _inputs() -> Select[Any]:
    member, written, writer = dataset.alias("member"), version.alias("written"), run.alias("writer")
    other = version.alias("other")
    newest = (
        select(other.c.last_at)
        .where(
            other.c.dataset_id == member.c.id,
            other.c.first_at <= io.c.first_at,
            other.c.run_id != io.c.run_id,
        )
        .order_by(other.c.last_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    is_newest = and_(written.c.dataset_id == member.c.id, written.c.run_id != io.c.run_id, written.c.last_at == newest)
    return (
        select(
            io.c.run_id,
            io.c.dataset_id,
            member.c.id,
            written.c.last_at,
            written.c.run_id,
            writer.c.uuid,
            written.c.version,
        )
        .select_from(io)
        .join(dataset, dataset.c.id == io.c.dataset_id)
        .join(member, member.c.root_id == dataset.c.root_id)
        .outerjoin(written, is_newest)
        .outerjoin(writer, writer.c.id == written.c.run_id)
        .where(io.c.direction == INPUT)
    )


def _outputs() -> Select[Any]:
    other = version.alias("other")
    newest = (
        select(func.max(other.c.last_at))
        .where(other.c.dataset_id == io.c.dataset_id, other.c.run_id == io.c.run_id)
        .scalar_subquery()
    )
    mine = and_(version.c.dataset_id == io.c.dataset_id, version.c.run_id == io.c.run_id, version.c.last_at == newest)
    return (
        select(
            io.c.run_id,
            io.c.dataset_id,
            io.c.dataset_id,
            version.c.last_at,
            run.c.id,
            run.c.uuid,
            version.c.version,
        )
        .select_from(io)
        .join(run, run.c.id == io.c.run_id)
        .outerjoin(version, mine)
        .where(io.c.direction == OUTPUT)
    )


_INPUTS, _OUTPUTS = _inputs(), _outputs()


def inputs_of(db: Connection, run_ids: Iterable[int]) -> dict[int, list[IoVersion]]:
    """Run -> what it read: for each input the write that was newest when the run first named it."""
    return _newest_per_dataset(rows_for(db, _INPUTS, io.c.run_id, run_ids))


def outputs_of(db: Connection, run_ids: Iterable[int]) -> dict[int, list[IoVersion]]:
    """Run -> what it wrote, for each output the newest of its versions."""
    return _newest_per_dataset(rows_for(db, _OUTPUTS, io.c.run_id, run_ids))


def _newest_per_dataset(rows: Iterable[Any]) -> dict[int, list[IoVersion]]:
    """The newest write of each (run, dataset); at one time, a version that was said wins over none."""
    best: dict[tuple[int, int], Any] = {}
    for row in rows:
        key = (row[0], row[1])
        if (other := best.get(key)) is None or _rank(row) > _rank(other):
            best[key] = row
    found: dict[int, list[IoVersion]] = {}
    for run_id, dataset_id, written_id, _, writer_id, writer, said in best.values():
        if writer is None:
            one = IoVersion(dataset_id, None, None, None, said or "")
        else:
            one = IoVersion(dataset_id, written_id, writer_id, writer, said or "")
        if (many := found.get(run_id)) is None:
            found[run_id] = [one]
        else:
            many.append(one)
    return found


def _rank(row: Any) -> tuple[int, str]:
    at, said = row[3], row[6]
    return (-1 if at is None else at, said or "")
