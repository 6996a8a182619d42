"""Writing jobs: PUT, soft delete and tags. A PUT becomes an OpenLineage event, as if an agent had sent it."""

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import Event, encode_event, format_time
from headwater.server.http import Call, HttpError, Route
from headwater.server.marquez.answers import invalid, not_found, read_body, uuid_or_404
from headwater.server.marquez.ids import DatasetId, Uuid
from headwater.server.marquez.jobs import JOB_PATH, Job, job_of
from headwater.server.marquez.namespaces import existing_namespace, hide
from headwater.server.marquez.runs import existing_job, existing_run
from headwater.server.marquez.tags import add_tags, remove_tag
from headwater.store.read.datasets import find_dataset
from headwater.store.read.jobs import JobRow, jobs_by_id
from headwater.store.tables import JOB, job

PROCESSING = {"BATCH": "BATCH", "STREAM": "STREAMING", "SERVICE": "SERVICE"}


class NewJob(Struct, rename="camel", gc=False):
    """What a client says of a job."""

    type: str
    inputs: list[DatasetId] = []
    outputs: list[DatasetId] = []
    location: str | None = None
    description: str | None = None
    context: dict[str, str] | None = None
    run_id: str | None = None
    tags: list[str] | None = None


async def put_job(call: Call) -> Job:
    namespace, name, new = call.path["namespace"], call.path["job"], read_body(call, NewJob)
    if new.type not in PROCESSING:
        raise invalid(f"type must be one of {', '.join(PROCESSING)}, but is {new.type!r}", 422)
    run = uuid_or_404(new.run_id) if new.run_id else None
    await call.read(_check, namespace, name, new, run)
    await call.writer.write([job_event(namespace, name, new, run, call.clock())])
    if new.tags:
        tags, row = new.tags, await call.read(existing_job, namespace, name)
        await call.writer.run(lambda db: add_tags(db, JOB, row.id, "", tags, call.clock()))
    return await call.read(job_of, namespace, name)


def _check(db: Connection, namespace: str, name: str, new: NewJob, run: Uuid | None) -> None:
    existing_namespace(db, namespace)
    for one in (*new.inputs, *new.outputs):
        if find_dataset(db, one.namespace, one.name) is None:
            raise not_found("Dataset", one.name)
    if run is not None:
        job_id = existing_run(db, run).job_id
        row = jobs_by_id(db, [job_id])[job_id] if job_id is not None else None
        if row is None or (row.namespace, row.name) != (namespace, name):
            raise not_found("Run", run)


def job_event(namespace: str, name: str, new: NewJob, run: Uuid | None, now: int) -> Event:
    """The event that says the same: a JobEvent, or of a run that is known, a RunEvent of it."""
    facets: dict[str, object] = {
        "jobType": {"processingType": PROCESSING[new.type], "integration": "MARQUEZ", "jobType": "JOB"}
    }
    if new.description:
        facets["documentation"] = {"description": new.description}
    if new.location:
        facets["sourceCodeLocation"] = {"type": "url", "url": new.location}
    if new.context and (sql := new.context.get("sql") or new.context.get("SQL")):
        facets["sql"] = {"query": sql}
    event: dict[str, object] = {
        "eventTime": format_time(now),
        "job": {"namespace": namespace, "name": name, "facets": facets},
        "inputs": [{"namespace": one.namespace, "name": one.name} for one in new.inputs],
        "outputs": [{"namespace": one.namespace, "name": one.name} for one in new.outputs],
    }
    if run is not None:
        event |= {"eventType": "OTHER", "run": {"runId": str(run)}}
    return encode_event(event)


async def delete_job(call: Call) -> Job:
    namespace, name = call.path["namespace"], call.path["job"]
    shown = await call.read(job_of, namespace, name)
    row = await call.read(existing_job, namespace, name)
    await call.writer.run(lambda db: hide(db, job, job.c.id == row.id, call.clock()))
    return shown


async def post_tag(call: Call) -> Job:
    row, tag = await _job(call), call.path["tag"]
    if not tag:
        raise HttpError(404, "the path has no tag; expected …/tags/{tag}")
    await call.writer.run(lambda db: add_tags(db, JOB, row.id, "", [tag], call.clock()))
    return await call.read(job_of, row.namespace, row.name)


async def delete_tag(call: Call) -> Job:
    row, tag = await _job(call), call.path["tag"]
    await call.writer.run(lambda db: remove_tag(db, JOB, [row.id], "", tag))
    return await call.read(job_of, row.namespace, row.name)


async def _job(call: Call) -> JobRow:
    return await call.read(existing_job, call.path["namespace"], call.path["job"])


ROUTES = (
    Route("PUT", JOB_PATH, put_job, "Create or change a job", body=NewJob, answer=Job, tag="Jobs"),
    Route("DELETE", JOB_PATH, delete_job, "Hide a job until it is mentioned again", answer=Job, tag="Jobs"),
    Route("POST", f"{JOB_PATH}/tags/{{tag}}", post_tag, "Tag a job", answer=Job, tag="Jobs"),
    Route("DELETE", f"{JOB_PATH}/tags/{{tag}}", delete_tag, "Take a tag off a job", answer=Job, tag="Jobs"),
)
