"""What a run was made from: the runs that wrote what it read, and so on upstream."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Param, Route
from headwater.server.marquez.answers import DEPTH, required, uuid_or_404, whole_number
from headwater.server.marquez.ids import Uuid, VersionId, uuid_text
from headwater.server.marquez.runs import Run, existing_run, io_version, show_runs
from headwater.store.read.datasets import DatasetRow, datasets_by_id
from headwater.store.read.runs import IoVersion, RunRow, inputs_of, runs_by_id


class RunSummary(Struct, gc=False):
    """When a run was and how it ended."""

    id: Uuid
    start: datetime | None
    end: datetime | None
    status: str


class InputSummary(Struct, rename="camel", gc=False):
    """A dataset version that a run read, and the run that wrote it if one is known."""

    namespace: str
    name: str
    version: Uuid
    produced_by_run_id: Uuid | None


class UpstreamRun(Struct, gc=False):
    """A run and what it read."""

    job: VersionId | None
    run: RunSummary
    inputs: list[InputSummary]


class UpstreamRuns(Struct, gc=False):
    """Runs, the one asked for first, then by distance."""

    runs: list[UpstreamRun]


def get_upstream(call: Call, db: Connection) -> UpstreamRuns:
    uuid, depth = uuid_or_404(required(call, "runId")), whole_number(call, "depth", 20)
    start = existing_run(db, uuid)
    runs: dict[int, RunRow] = {start.id: start}
    inputs: dict[int, list[IoVersion]] = {}
    frontier = [start.id]
    for distance in range(depth + 1):
        inputs |= inputs_of(db, frontier)
        writers = {one.writer_id for id in frontier for one in inputs.get(id, ()) if one.writer_id is not None}
        frontier = sorted(writers - runs.keys())
        if not frontier or distance == depth:
            break
        runs |= runs_by_id(db, frontier)
    touched = {one.dataset_id for many in inputs.values() for one in many}
    touched |= {one.written_id for many in inputs.values() for one in many if one.written_id is not None}
    names = datasets_by_id(db, touched)
    shown = show_runs(db, runs.values())
    return UpstreamRuns([_shown(shown[id], inputs.get(id, []), names) for id in runs])


def _shown(run: Run, inputs: list[IoVersion], names: dict[int, DatasetRow]) -> UpstreamRun:
    read = []
    for one in inputs:
        row = names[one.dataset_id]
        id = io_version(one, names)
        read.append(InputSummary(row.root_namespace, row.root_name, id, uuid_text(one.writer) if one.writer else None))
    read.sort(key=lambda one: (one.namespace, one.name))
    return UpstreamRun(run.job_version, RunSummary(run.id, run.started_at, run.ended_at, run.state), read)


ROUTES = (
    Route(
        "GET",
        "/api/v1/runlineage/upstream",
        get_upstream,
        "Read the runs that wrote what a run read, and so on upstream",
        (Param("runId", str, required=True, help="UUID of a run"), DEPTH),
        answer=UpstreamRuns,
        tag="Lineage",
    ),
)
