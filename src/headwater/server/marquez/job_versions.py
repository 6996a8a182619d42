"""The versions of a job: one for each set of inputs and outputs that its runs named."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, not_found, page, path_uuid
from headwater.server.marquez.ids import DatasetId, Uuid, VersionId, job_version_uuid, moment
from headwater.server.marquez.jobs import JOB_PATH, about
from headwater.server.marquez.runs import Run, existing_job, show_runs
from headwater.store.read.datasets import datasets_by_id
from headwater.store.read.facets import facets_of
from headwater.store.read.jobs import JobRow, RunIo, jobs_by_id, run_ios
from headwater.store.read.runs import runs_by_id
from headwater.store.tables import INPUT, JOB, OUTPUT


class JobVersion(Struct, rename="camel", gc=False):
    """A job while it named the same inputs and outputs."""

    id: VersionId
    name: str
    created_at: datetime
    version: Uuid
    namespace: str
    location: str | None
    inputs: list[DatasetId]
    outputs: list[DatasetId]
    latest_run: Run | None


class JobVersions(Struct, rename="camel", gc=False):
    """A page of versions."""

    versions: list[JobVersion]
    total_count: int


def get_versions(call: Call, db: Connection) -> JobVersions:
    limit, offset = page(call)
    job = existing_job(db, call.path["namespace"], call.path["job"])
    versions = _versions(db, job)
    chosen = list(versions)[offset : offset + limit]
    return JobVersions(_show_versions(db, job, {id: versions[id] for id in chosen}), len(versions))


def get_version(call: Call, db: Connection) -> JobVersion:
    version = path_uuid(call, "version")
    job = existing_job(db, call.path["namespace"], call.path["job"])
    versions = _versions(db, job)
    if version not in versions:
        raise not_found("Job version", version)
    return _show_versions(db, job, {version: versions[version]})[0]


def _versions(db: Connection, job: JobRow) -> dict[Uuid, list[RunIo]]:
    """Version -> the runs with those datasets, newest first; the version used last comes first."""
    ios = run_ios(db, job.id)
    names = datasets_by_id(db, {id for one in ios for _, id in one.datasets})
    by_set: dict[frozenset[tuple[int, int]], list[RunIo]] = {}
    for one in ios:
        by_set.setdefault(one.datasets, []).append(one)
    found: dict[Uuid, list[RunIo]] = {}
    for datasets, some in by_set.items():
        named = [(direction, names[id].namespace, names[id].name) for direction, id in datasets]
        found[job_version_uuid(job.namespace, job.name, named)] = some
    return found


def _show_versions(db: Connection, job: JobRow, versions: dict[Uuid, list[RunIo]]) -> list[JobVersion]:
    newest = {id: one.run_id for id, some in versions.items() for one in reversed(some) if not one.declared}
    runs = runs_by_id(db, newest.values())
    shown = show_runs(db, runs.values(), {job.id: job})
    names = datasets_by_id(db, {id for some in versions.values() for _, id in some[0].datasets})
    location = about(facets_of(db, JOB, [job.id]).get(job.id)).location
    answer = []
    for version, some in versions.items():
        pairs = {direction: set[tuple[str, str]]() for direction in (INPUT, OUTPUT)}
        for direction, id in some[0].datasets:
            pairs[direction].add((names[id].root_namespace, names[id].root_name))
        run_id = newest.get(version)
        answer.append(
            JobVersion(
                id=VersionId(job.namespace, job.name, version),
                name=job.name,
                created_at=moment(some[-1].started_at),
                version=version,
                namespace=job.namespace,
                location=location,
                inputs=[DatasetId(*pair) for pair in sorted(pairs[INPUT])],
                outputs=[DatasetId(*pair) for pair in sorted(pairs[OUTPUT])],
                latest_run=shown.get(run_id) if run_id is not None else None,
            )
        )
    return answer


def version_time(db: Connection, job_id: int, version: Uuid) -> int | None:
    """When a version of a job last ran; None if it has no such version."""
    runs = _versions(db, jobs_by_id(db, [job_id])[job_id]).get(version)
    return runs[0].started_at if runs else None


ROUTES = (
    Route(
        "GET",
        f"{JOB_PATH}/versions",
        get_versions,
        "List the versions of a job, one for each set of inputs and outputs",
        (LIMIT, OFFSET),
        answer=JobVersions,
        tag="Jobs",
    ),
    Route(
        "GET",
        f"{JOB_PATH}/versions/{{version}}",
        get_version,
        "Read a version of a job",
        answer=JobVersion,
        tag="Jobs",
    ),
)
