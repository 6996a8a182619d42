"""Every job with the state of its latest run and how the runs before it went."""

from msgspec import Struct
from sqlalchemy import Connection

from headwater.lineage.neighbourhood import Counts
from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, Param, Route
from headwater.server.pages.paging import (
    CURSOR,
    FILTER,
    LIMIT,
    NAMESPACE,
    STATES,
    TOTAL,
    cursor_for,
    order_of,
    place_of,
    sort_param,
    states_param,
    text_of,
    words_of,
)
from headwater.store.read import nodes as read
from headwater.store.read.jobs import JobRow, current_io, jobs_by_id
from headwater.store.read.nodes import JobInfo, JobType, uuid_text
from headwater.store.read.pages.jobs import KEYS, JobFilter, count_jobs, job_page, job_types
from headwater.store.read.runs import RunRow, latest_runs

REMEMBERED = 20  # runs of each job that a list shows


class PastRun(Struct, omit_defaults=True):
    """One of the last runs of a job, in short."""

    id: str
    state: str
    startedAt: str | None = None
    durationMs: int | None = None


class JobEntry(Struct):
    """A job in a list. `history` is its last runs, the oldest first; `state` and `run` are of the last of them."""

    id: str
    namespace: str
    name: str
    jobType: JobType | None
    parent: str | None
    state: str | None
    run: str | None
    startedAt: str | None
    endedAt: str | None
    durationMs: int | None
    updatedAt: str
    counts: Counts
    history: list[PastRun]


class JobPage(Struct):
    """A page of jobs. `engines` are those that any job names, to filter by; `total` counts all rows, if asked for."""

    jobs: list[JobEntry]
    engines: list[str]
    cursor: str | None
    total: int | None


def get_jobs(call: Call, db: Connection) -> JobPage:
    """A page of jobs."""
    wanted = JobFilter(
        text_of(call, "filter"),
        call.get("namespace"),
        words_of(call, "state", STATES),
        text_of(call, "processing"),
        text_of(call, "engine"),
        text_of(call, "tag"),
    )
    order = order_of(call)
    found = job_page(db, wanted, order, place_of(call, KEYS, order), call.get("limit"))
    infos, rows = read.jobs(db, found.ids), jobs_by_id(db, found.ids)
    history, io = latest_runs(db, found.ids, REMEMBERED), current_io(db, found.ids)
    jobs = []
    for id in found.ids:
        touched = io.get(id)
        counts = Counts(len(touched.inputs), len(touched.outputs)) if touched else Counts(0, 0)
        jobs.append(_entry(rows[id], infos[id], history.get(id, []), counts))
    engines = {type.integration for type in job_types(db).values() if type.integration}
    total = count_jobs(db, wanted) if call.get("total") else None
    return JobPage(jobs, sorted(engines), cursor_for(found.end, order), total)


def _entry(row: JobRow, info: JobInfo, newest_first: list[RunRow], counts: Counts) -> JobEntry:
    last = newest_first[0] if newest_first else None
    return JobEntry(
        canonical(Kind.JOB, row.namespace, row.name),
        row.namespace,
        row.name,
        info.type,
        canonical(Kind.JOB, *info.parent) if info.parent else None,
        last.state if last else None,
        uuid_text(last.uuid) if last else None,
        time_text(last.started_at) if last else None,
        time_text(last.ended_at) if last else None,
        duration(last) if last else None,
        format_time(row.updated_at),
        counts,
        [past_run(one) for one in reversed(newest_first)],
    )


def past_run(run: RunRow) -> PastRun:
    """A run as one of many."""
    return PastRun(uuid_text(run.uuid) or "", run.state, time_text(run.started_at), duration(run))


def time_text(time: int | None) -> str | None:
    """A time as it is shown, if there is one."""
    return None if time is None else format_time(time)


def duration(run: RunRow) -> int | None:
    """How long a run took, in milliseconds, if it has ended."""
    return None if run.started_at is None or run.ended_at is None else (run.ended_at - run.started_at) // 1000


ROUTES = (
    Route(
        "GET",
        "/api/v2/jobs",
        get_jobs,
        "jobs with their latest runs, in pages",
        params=(
            FILTER,
            NAMESPACE,
            states_param("the latest run"),
            Param("processing", help="only BATCH or STREAMING jobs"),
            Param("engine", help="only jobs of this integration, such as SPARK"),
            Param("tag", help="only with this tag"),
            sort_param(KEYS, "-updated"),
            LIMIT,
            TOTAL,
            CURSOR,
        ),
        answer=JobPage,
        tag="jobs",
    ),
)
