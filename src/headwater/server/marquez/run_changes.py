"""Writing runs: create one and move it on. Each becomes an OpenLineage event, as if an agent had sent it."""

from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import encode_event, format_time, run_uuid
from headwater.server.http import Answer, Call, HttpError, Param, Route
from headwater.server.marquez.answers import path_uuid, read_body, time_or_none
from headwater.server.marquez.ids import Uuid
from headwater.server.marquez.runs import MARQUEZ_RUN, Run, existing_job, existing_run, run_of
from headwater.store.read.jobs import JobRow, jobs_by_id
from headwater.store.read.runs import find_run

ACTIONS = {"start": "START", "complete": "COMPLETE", "fail": "FAIL", "abort": "ABORT"}


class NewRun(Struct, rename="camel", gc=False):
    """What a client says of a run before it starts."""

    id: UUID | None = None
    nominal_start_time: str | None = None
    nominal_end_time: str | None = None
    args: dict[str, str | int | float | bool | None] | None = None


async def post_run(call: Call) -> Answer:
    new = read_body(call, NewRun) if call.body.strip() else NewRun()
    id = str(new.id or uuid4())
    job = await call.read(_job_without_run, call.path["namespace"], call.path["job"], id)
    facets: dict[str, object] = {}
    if new.nominal_start_time:
        times = {"nominalStartTime": new.nominal_start_time, "nominalEndTime": new.nominal_end_time}
        facets["nominalTime"] = {name: time for name, time in times.items() if time}
    if new.args:
        facets[MARQUEZ_RUN] = {"args": {name: _text(value) for name, value in new.args.items()}}
    await call.writer.write(
        [
            encode_event(
                {
                    "eventType": "OTHER",
                    "eventTime": format_time(call.clock()),
                    "run": {"runId": id, "facets": facets},
                    "job": {"namespace": job.namespace, "name": job.name},
                }
            )
        ]
    )
    shown = await call.read(run_of, id)
    return Answer(shown, 201, {"location": f"/api/v1/jobs/runs/{id}"})


def _text(value: str | int | float | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _job_without_run(db: Connection, namespace: str, name: str, id: Uuid) -> JobRow:
    job = existing_job(db, namespace, name)
    if find_run(db, run_uuid(id)) is not None:
        raise HttpError(400, f"Run '{id}' already exists for '{name}' under namespace '{namespace}'.")
    return job


def _move(event_type: str) -> Callable[[Call], Awaitable[Run]]:
    async def move(call: Call) -> Run:
        id, at = path_uuid(call, "id"), time_or_none(call, "at")
        job = await call.read(_job_of, id)
        await call.writer.write(
            [
                encode_event(
                    {
                        "eventType": event_type,
                        "eventTime": format_time(at if at is not None else call.clock()),
                        "run": {"runId": id},
                        "job": {"namespace": job.namespace, "name": job.name},
                    }
                )
            ]
        )
        return await call.read(run_of, id)

    return move


def _job_of(db: Connection, id: Uuid) -> JobRow:
    job_id = existing_run(db, id).job_id
    job = jobs_by_id(db, [job_id]).get(job_id) if job_id is not None else None
    if job is None:
        raise HttpError(409, f"Run '{id}' is known only by name; its job must send an event first.")
    return job


AT = Param("at", str, help="when it happened, in ISO-8601; now if not given")
ROUTES = (
    Route(
        "POST",
        "/api/v1/namespaces/{namespace}/jobs/{job}/runs",
        post_run,
        "Create a run",
        body=NewRun,
        answer=Run,
        status=201,
        tag="Runs",
    ),
    *(
        Route(
            "POST",
            f"/api/v1/jobs/runs/{{id}}/{action}",
            _move(event_type),
            f"{action.capitalize()} a run",
            (AT,),
            answer=Run,
            tag="Runs",
        )
        for action, event_type in ACTIONS.items()
    ),
)
