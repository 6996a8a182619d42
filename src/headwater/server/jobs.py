"""A job with what Marquez's answer has no place for: its type, owners, children and last runs in short."""

from msgspec import Raw, Struct
from sqlalchemy import Connection, select

from headwater.lineage.impact import Owner, owners_in
from headwater.lineage.neighbourhood import Counts
from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, HttpError, Param, Route
from headwater.server.runs import RunSummary, summary
from headwater.store.read import nodes as read
from headwater.store.read.facets import facets_of, raw_facets
from headwater.store.read.graph import Now
from headwater.store.read.history import runs
from headwater.store.read.names import find_job
from headwater.store.read.nodes import JobType
from headwater.store.read.runs import list_runs
from headwater.store.tables import INPUT, JOB, OUTPUT, job, namespace


class JobDetail(Struct):
    """All that is known of a job."""

    id: str
    namespace: str
    name: str
    createdAt: str
    hidden: bool
    state: str | None
    jobType: JobType | None
    owners: list[Owner]
    parent: str | None
    children: list[str]
    inputs: list[str]
    outputs: list[str]
    counts: Counts
    runs: list[RunSummary]
    facets: Raw


def get_job(call: Call, db: Connection) -> JobDetail:
    """A job with its last runs, the newest first."""
    space, name = call.path["namespace"], call.path["name"]
    found = find_job(db, space, name)
    if found is None:
        raise HttpError(404, f"no job {name!r} in namespace {space!r}; /api/v1/search?q= finds names")
    info = read.jobs(db, [found.id])[found.id]
    facets = facets_of(db, JOB, [found.id]).get(found.id)
    edges = Now(db).datasets_of([found.id])
    names = {
        root: canonical(Kind.DATASET, d.namespace, d.name)
        for root, d in read.datasets(db, {dataset for _, _, dataset in edges}).items()
    }
    inputs = sorted(names[dataset] for _, direction, dataset in edges if direction == INPUT)
    outputs = sorted(names[dataset] for _, direction, dataset in edges if direction == OUTPUT)
    limit: int = call.get("limit")
    last = [row.id for row in list_runs(db, found.id, limit, 0)]
    known = runs(db, last)
    return JobDetail(
        id=canonical(Kind.JOB, info.namespace, info.name),
        namespace=info.namespace,
        name=info.name,
        createdAt=format_time(info.created_at),
        hidden=info.hidden,
        state=info.state,
        jobType=info.type,
        owners=owners_in(facets),
        parent=canonical(Kind.JOB, *info.parent) if info.parent else None,
        children=_children(db, found.id, limit),
        inputs=inputs,
        outputs=outputs,
        counts=Counts(len(inputs), len(outputs)),
        runs=[summary(known[id]) for id in last],
        facets=raw_facets(facets),
    )


def _children(db: Connection, id: int, limit: int) -> list[str]:
    query = (
        select(namespace.c.name, job.c.name)
        .join_from(job, namespace, namespace.c.id == job.c.namespace_id)
        .where(job.c.parent_job_id == id)
        .order_by(namespace.c.name, job.c.name)
        .limit(limit)
    )
    return [canonical(Kind.JOB, *row) for row in db.execute(query)]


ROUTES = (
    Route(
        "GET",
        "/api/v2/jobs/{namespace}/{name}",
        get_job,
        "a job with its type, owners, children and last runs",
        params=(Param("limit", int, 10, minimum=1, maximum=1000, help="runs and children at most"),),
        answer=JobDetail,
        tag="jobs",
    ),
)
