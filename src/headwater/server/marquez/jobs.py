"""Jobs as Marquez shows them: reading one, lists and versions."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Param, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, choice, page
from headwater.server.marquez.ids import (
    DatasetId,
    JobId,
    Uuid,
    job_uuid,
    job_version_uuid,
    moment,
)
from headwater.server.marquez.runs import Run, existing_job, show_runs
from headwater.store.read.facets import Facets, decode_facet, facets_of, raw_facets
from headwater.store.read.jobs import JobIo, JobRow, Name, count_jobs, current_io, list_jobs
from headwater.store.read.namespaces import find_namespace
from headwater.store.read.runs import latest_runs
from headwater.store.read.tags import tags_on
from headwater.store.tables import JOB

LATEST = 10
STATES = {state: state for state in ("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED")}
NO_IO = JobIo([], [], [])


class Job(Struct, rename="camel", gc=False):
    """A job with its latest runs."""

    id: JobId
    type: str
    name: str
    simple_name: str
    parent_job_name: str | None
    parent_job_uuid: Uuid | None
    created_at: datetime
    updated_at: datetime
    namespace: str
    inputs: list[DatasetId]
    outputs: list[DatasetId]
    location: str | None
    context: dict[str, str]
    description: str | None
    latest_run: Run | None
    latest_runs: list[Run] | None
    facets: msgspec.Raw
    current_version: Uuid | None
    labels: list[str]
    tags: list[str]


class Jobs(Struct, rename="camel", gc=False):
    """A page of jobs."""

    jobs: list[Job]
    total_count: int


class _JobType(Struct, gc=False):
    processingType: str | None = None


class _Documentation(Struct, gc=False):
    description: str | None = None


class _Location(Struct, gc=False):
    url: str | None = None


class About(Struct, frozen=True, gc=False):
    """What a job's facets say of it that Marquez has fields for."""

    type: str
    location: str | None
    description: str | None


NOTHING_SAID = About("BATCH", None, None)
ABOUT = ("jobType", "documentation", "sourceCodeLocation")


def about(facets: Facets | None) -> About:
    """The fields of a job that come from facets."""
    if not facets:
        return NOTHING_SAID
    return _about(facets.get("jobType"), facets.get("documentation"), facets.get("sourceCodeLocation"))


@lru_cache(maxsize=1024)
def _about(kind: bytes | None, documentation: bytes | None, location: bytes | None) -> About:
    said = decode_facet(kind, _JobType)
    where = decode_facet(location, _Location)
    processing = ((said and said.processingType) or "").upper()
    return About(
        {"STREAMING": "STREAM", "STREAM": "STREAM", "SERVICE": "SERVICE"}.get(processing, "BATCH"),
        where.url if where else None,
        _description(documentation),
    )


def description_of(facets: Facets | None) -> str | None:
    """What the documentation facet says."""
    return _description(facets.get("documentation")) if facets else None


def _description(body: bytes | None) -> str | None:
    said = decode_facet(body, _Documentation)
    return said.description if said else None


def simple_name(row: JobRow) -> str:
    """A job's name without its parent's before it."""
    return row.name.removeprefix(f"{row.parent}.") if row.parent else row.name


def parent_uuid(row: JobRow) -> Uuid | None:
    """The UUID of the job that this one runs under."""
    return job_uuid(row.parent_namespace or "", row.parent) if row.parent is not None else None


def ids(names: Iterable[Name]) -> list[DatasetId]:
    """Datasets by name."""
    return [DatasetId(one.namespace, one.name) for one in names]


def get_job(call: Call, db: Connection) -> Job:
    return job_of(db, call.path["namespace"], call.path["job"])


def job_of(db: Connection, namespace: str, name: str) -> Job:
    """The job of that name as clients see it, or 404."""
    return show_jobs(db, [existing_job(db, namespace, name)])[0]


def get_all_jobs(call: Call, db: Connection) -> Jobs:
    return _page(call, db, None)


def get_jobs(call: Call, db: Connection) -> Jobs:
    namespace = find_namespace(db, call.path["namespace"])
    if namespace is None:
        page(call)
        return Jobs([], 0)
    return _page(call, db, namespace.id)


def _page(call: Call, db: Connection, namespace_id: int | None) -> Jobs:
    limit, offset = page(call)
    states = _states(call)
    rows = list_jobs(db, namespace_id, limit, offset, states)
    return Jobs(show_jobs(db, rows), count_jobs(db, namespace_id, states))


def _states(call: Call) -> set[str] | None:
    given = [state for state in call.query.get("lastRunStates", ()) if state]
    if not given:
        return None
    wanted = {state.upper() for state in given}
    if unknown := wanted - STATES.keys():
        call.query["lastRunStates"][0] = min(unknown)
        choice(call, "lastRunStates", STATES, "")
    return wanted | {"LOST"} if "ABORTED" in wanted else wanted


def show_jobs(db: Connection, rows: Iterable[JobRow]) -> list[Job]:
    """The jobs as clients see them, in the same order."""
    jobs = {row.id: row for row in rows}
    facets = facets_of(db, JOB, jobs)
    edges = current_io(db, jobs)
    tags = tags_on(db, JOB, jobs)
    latest = latest_runs(db, jobs, LATEST)
    runs = show_runs(db, [run for many in latest.values() for run in many], jobs)
    shown = []
    for row in jobs.values():
        said, io = about(facets.get(row.id)), edges.get(row.id, NO_IO)
        newest = [runs[run.id] for run in latest.get(row.id, ())]
        shown.append(
            Job(
                id=JobId(row.namespace, row.name),
                type=said.type,
                name=row.name,
                simple_name=simple_name(row),
                parent_job_name=row.parent,
                parent_job_uuid=parent_uuid(row),
                created_at=moment(row.created_at),
                updated_at=moment(row.updated_at),
                namespace=row.namespace,
                inputs=ids(io.inputs),
                outputs=ids(io.outputs),
                location=said.location,
                context={},
                description=said.description,
                latest_run=newest[0] if newest else None,
                # Null, not [], for a job that never ran: the web app folds the list without a start value.
                latest_runs=newest or None,
                facets=raw_facets(facets.get(row.id)),
                current_version=_current_version(row, io),
                labels=[],
                tags=tags[row.id][""] if row.id in tags else [],
            )
        )
    return shown


def _current_version(row: JobRow, io: JobIo) -> Uuid | None:
    """The version of the run whose datasets are the job's edges."""
    if row.latest_run_id is None and row.edges_run_id is None:
        return None
    return job_version_uuid(row.namespace, row.name, io.reported)


STATES_PARAM = Param("lastRunStates", str, help=f"of the latest run: {', '.join(STATES)}")
JOB_PATH = "/api/v1/namespaces/{namespace}/jobs/{job}"
ROUTES = (
    Route(
        "GET",
        "/api/v1/jobs",
        get_all_jobs,
        "List the jobs of every namespace, the last updated first",
        (LIMIT, OFFSET, STATES_PARAM),
        answer=Jobs,
        tag="Jobs",
    ),
    Route(
        "GET",
        "/api/v1/namespaces/{namespace}/jobs",
        get_jobs,
        "List the jobs of a namespace, the last updated first",
        (LIMIT, OFFSET, STATES_PARAM),
        answer=Jobs,
        tag="Jobs",
    ),
    Route("GET", JOB_PATH, get_job, "Read a job", answer=Job, tag="Jobs"),
)
