"""Runs as Marquez shows them: reading one, a job's list, and the facets of one."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import run_uuid
from headwater.server.http import Call, HttpError, Param, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, not_found, page, path_uuid, required
from headwater.server.marquez.ids import (
    Uuid,
    VersionId,
    dataset_version_uuid,
    job_version_uuid,
    moment,
    moment_or_none,
    said_moment,
    uuid_text,
)
from headwater.server.marquez.namespaces import existing_namespace
from headwater.store.read.datasets import DatasetRow, datasets_by_id
from headwater.store.read.facets import EMPTY, Facets, facets_of, io_facets, raw_facets, read_facet
from headwater.store.read.jobs import JobRow, find_job, jobs_by_id
from headwater.store.read.runs import (
    IoVersion,
    RunRow,
    count_runs,
    find_run,
    inputs_of,
    list_runs,
    outputs_of,
)
from headwater.store.tables import INPUT, INPUT_FACET, JOB, OUTPUT, OUTPUT_FACET, RUN

MARQUEZ_RUN = "marquez_run"  # our facet for what a client said when it created a run


class RunDataset(Struct, rename="camel", gc=False):
    """A dataset version that a run read or wrote, and what it said about that."""

    dataset_version_id: VersionId
    facets: msgspec.Raw


class Run(Struct, rename="camel", gc=False):
    """One run of a job."""

    id: Uuid
    created_at: datetime
    updated_at: datetime
    nominal_start_time: datetime | None
    nominal_end_time: datetime | None
    state: str
    started_at: datetime | None
    ended_at: datetime | None
    duration_ms: int | None
    args: dict[str, str]
    job_version: VersionId | None
    input_dataset_versions: list[RunDataset]
    output_dataset_versions: list[RunDataset]
    context: dict[str, str]
    facets: msgspec.Raw


class Runs(Struct, rename="camel", gc=False):
    """A page of runs."""

    runs: list[Run]
    total_count: int


class RunFacets(Struct, rename="camel", gc=False):
    """The facets of a run, or of its job."""

    run_id: Uuid
    facets: msgspec.Raw


class _NominalTime(Struct, gc=False):
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None


_NOT_NOMINAL = _NominalTime()


class _ParentRun(Struct, gc=False):
    runId: str


class _ParentJob(Struct, gc=False):
    namespace: str
    name: str


class _Parent(Struct, gc=False):
    run: _ParentRun
    job: _ParentJob


class _MarquezRun(Struct, gc=False):
    args: dict[str, str] = {}


def existing_run(db: Connection, uuid: Uuid) -> RunRow:
    """The run of that UUID, or 404."""
    row = find_run(db, run_uuid(uuid))
    if row is None:
        raise not_found("Run", uuid)
    return row


def existing_job(db: Connection, namespace: str, name: str) -> JobRow:
    """The job of that name in an existing namespace, or 404."""
    row = find_job(db, namespace, name)
    if row is None:
        existing_namespace(db, namespace)
        raise not_found("Job", name)
    return row


def get_run(call: Call, db: Connection) -> Run:
    return run_of(db, path_uuid(call, "id"))


def run_of(db: Connection, uuid: Uuid) -> Run:
    """The run of that UUID as clients see it, or 404."""
    row = existing_run(db, uuid)
    return show_runs(db, [row])[row.id]


def get_runs(call: Call, db: Connection) -> Runs:
    limit, offset = page(call)
    job = existing_job(db, call.path["namespace"], call.path["job"])
    rows = list_runs(db, job.id, limit, offset)
    shown = show_runs(db, rows, {job.id: job})
    return Runs([shown[row.id] for row in rows], count_runs(db, job.id))


def get_facets(call: Call, db: Connection) -> RunFacets:
    uuid, kind = path_uuid(call, "id"), required(call, "type").lower()
    if kind not in ("run", "job"):
        raise HttpError(400, f"query param type must be one of [run, job], but is {kind!r}")
    row = existing_run(db, uuid)
    owner = row.id if kind == "run" else row.job_id
    facets = {} if owner is None else facets_of(db, RUN if kind == "run" else JOB, [owner])
    return RunFacets(uuid, raw_facets(facets.get(owner) if owner is not None else None))


def show_runs(
    db: Connection,
    rows: Iterable[RunRow],
    jobs: Mapping[int, JobRow] | None = None,
    datasets: Mapping[int, DatasetRow] | None = None,
) -> dict[int, Run]:
    """Run id -> the run as clients see it. Jobs and datasets that the caller has already are not read again."""
    runs = list(rows)
    ids = [row.id for row in runs]
    known = dict(jobs or {})
    known |= jobs_by_id(db, {row.job_id for row in runs if row.job_id is not None} - known.keys())
    inputs, outputs = inputs_of(db, ids), outputs_of(db, ids)
    touched = {one.dataset_id for some in (inputs, outputs) for many in some.values() for one in many}
    touched |= {one.written_id for many in inputs.values() for one in many if one.written_id is not None}
    names = dict(datasets or {})
    names |= datasets_by_id(db, touched - names.keys())
    facets = facets_of(db, RUN, ids)
    facets_in = io_facets(db, INPUT_FACET, ids) if inputs else {}
    facets_out = io_facets(db, OUTPUT_FACET, ids) if outputs else {}
    named = _Named(names)
    shown = {}
    for row in runs:
        read, wrote = inputs.get(row.id, ()), outputs.get(row.id, ())
        job = known.get(row.job_id) if row.job_id is not None else None
        shown[row.id] = _show(
            row,
            job,
            facets.get(row.id),
            _job_version(job, read, wrote, names) if job else None,
            _datasets(row.id, read, named, facets_in),
            _datasets(row.id, wrote, named, facets_out),
        )
    return shown


def _show(
    row: RunRow,
    job: JobRow | None,
    facets: Facets | None,
    version: VersionId | None,
    read: list[RunDataset],
    wrote: list[RunDataset],
) -> Run:
    started = moment_or_none(row.started_at)
    ended = moment_or_none(row.ended_at)
    updated = ended if row.updated_at == row.ended_at else moment_or_none(row.updated_at)
    created = started or updated or moment(job.created_at if job else 0)
    nominal = read_facet(facets, "nominalTime", _NominalTime) or _NOT_NOMINAL
    ran = started is not None and row.state != "NEW"
    took = (row.ended_at - row.started_at) // 1000 if ran and row.ended_at and row.started_at else None
    return Run(
        uuid_text(row.uuid),
        created,
        updated or created,
        said_moment(nominal.nominalStartTime),
        said_moment(nominal.nominalEndTime),
        marquez_state(row.state),
        started if ran else None,
        ended,
        took,
        _args(facets, nominal) if facets else {},
        version,
        read,
        wrote,
        {},
        raw_facets(facets),
    )


def marquez_state(state: str) -> str:
    """A run's state in the five words that Marquez has: a lost run counts as aborted."""
    return "ABORTED" if state == "LOST" else state


def _args(facets: Facets, nominal: _NominalTime) -> dict[str, str]:
    said = read_facet(facets, MARQUEZ_RUN, _MarquezRun)
    args = dict(said.args) if said else {}
    if nominal.nominalStartTime:
        args["nominal_start_time"] = nominal.nominalStartTime
    if nominal.nominalEndTime:
        args["nominal_end_time"] = nominal.nominalEndTime
    if parent := read_facet(facets, "parent", _Parent):
        args |= {"run_id": parent.run.runId, "name": parent.job.name, "namespace": parent.job.namespace}
    return args


def _job_version(
    job: JobRow, read: Sequence[IoVersion], wrote: Sequence[IoVersion], names: Mapping[int, DatasetRow]
) -> VersionId:
    datasets = [
        (direction, row.namespace, row.name)
        for direction, some in ((INPUT, read), (OUTPUT, wrote))
        for row in [names[one.dataset_id] for one in some]
    ]
    return VersionId(job.namespace, job.name, job_version_uuid(job.namespace, job.name, datasets))


class _Named(dict[IoVersion, RunDataset]):
    """Dataset versions of whose use nothing was said, made once: what one run writes others read."""

    def __init__(self, names: Mapping[int, DatasetRow]) -> None:
        self.names = names

    def __missing__(self, one: IoVersion) -> RunDataset:
        row = self.names[one.dataset_id]
        version = VersionId(row.root_namespace, row.root_name, io_version(one, self.names))
        made = self[one] = RunDataset(version, EMPTY)
        return made


def io_version(one: IoVersion, names: Mapping[int, DatasetRow]) -> Uuid:
    """The UUID of the dataset version that a run read or wrote."""
    if one.written_id is not None:
        written = names[one.written_id]
        return dataset_version_uuid(written.namespace, written.name, one.writer, one.version)
    row = names[one.dataset_id]
    return dataset_version_uuid(row.root_namespace, row.root_name, None, "")


def _datasets(
    run_id: int, some: Sequence[IoVersion], named: _Named, facets: Mapping[tuple[int, int], Facets]
) -> list[RunDataset]:
    found = [named[one] for one in some]
    if facets:
        said = [raw_facets(facets.get((run_id, one.dataset_id))) for one in some]
        found = [RunDataset(one.dataset_version_id, raw) for one, raw in zip(found, said, strict=True)]
    if len(found) > 1:
        found.sort(key=_by_name)
    return found


def _by_name(one: RunDataset) -> tuple[str, str]:
    return (one.dataset_version_id.namespace, one.dataset_version_id.name)


ROUTES = (
    Route("GET", "/api/v1/jobs/runs/{id}", get_run, "Read a run", answer=Run, tag="Runs"),
    Route(
        "GET",
        "/api/v1/jobs/runs/{id}/facets",
        get_facets,
        "Read the facets of a run or of its job",
        (Param("type", str, required=True, help="run or job"),),
        answer=RunFacets,
        tag="Runs",
    ),
    Route(
        "GET",
        "/api/v1/namespaces/{namespace}/jobs/{job}/runs",
        get_runs,
        "List the runs of a job, the last started first",
        (LIMIT, OFFSET),
        answer=Runs,
        tag="Runs",
    ),
)
