"""A run in its hierarchy: what it ran under, what ran under it, what it read and wrote, and how it ended."""

from msgspec import Raw, Struct
from sqlalchemy import Connection

from headwater.openlineage.events import format_time
from headwater.openlineage.facets import LOST
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, Param, Route
from headwater.store.read import nodes as read
from headwater.store.read.facets import facets_of, raw_facets, read_facet
from headwater.store.read.history import RunNode, ancestors, descendants, runs
from headwater.store.read.names import resolve
from headwater.store.tables import INPUT, OUTPUT, RUN


class RunSummary(Struct, omit_defaults=True):
    """A run, and the runs under it where asked for; without startedAt only a child has named it."""

    id: str
    state: str
    job: str | None = None
    externalId: str | None = None
    startedAt: str | None = None
    endedAt: str | None = None
    durationMs: int | None = None
    children: list["RunSummary"] = []


class ErrorMessage(Struct, omit_defaults=True):
    """Why a run failed, as it said."""

    message: str = ""
    programmingLanguage: str | None = None
    stackTrace: str | None = None


class Lost(Struct):
    """Why a run was given up, and when it was last heard of."""

    lastSeen: str
    reason: str


class RunDetail(Struct):
    """All that is known of a run. `ancestors` begins with the root; `lost` is set while its state is LOST."""

    run: RunSummary
    ancestors: list[RunSummary]
    inputs: list[str]
    outputs: list[str]
    error: ErrorMessage | None
    lost: Lost | None
    facets: Raw


def get_run(call: Call, db: Connection) -> RunDetail:
    """A run in its hierarchy."""
    id = resolve(db, f"run:{call.path['uuid']}").id
    run = runs(db, [id])[id]
    facets = facets_of(db, RUN, [id]).get(id)
    touched = read.runs_behind(db, {id: id})[id].times
    names = {
        root: canonical(Kind.DATASET, d.namespace, d.name)
        for root, d in read.datasets(db, {root for _, root in touched}).items()
    }
    return RunDetail(
        run=_tree(run, descendants(db, id, call.get("limit"))),
        ancestors=[summary(above) for above in reversed(ancestors(db, id))],
        inputs=sorted(names[root] for direction, root in touched if direction == INPUT),
        outputs=sorted(names[root] for direction, root in touched if direction == OUTPUT),
        error=read_facet(facets, "errorMessage", ErrorMessage),
        lost=read_facet(facets, LOST, Lost) if run.state == "LOST" else None,
        facets=raw_facets(facets),
    )


def _tree(top: RunNode, below: list[RunNode]) -> RunSummary:
    trees = {run.id: summary(run) for run in (top, *below)}
    for run in below:
        trees[run.parent_id or top.id].children.append(trees[run.id])
    return trees[top.id]


def summary(run: RunNode) -> RunSummary:
    """A run without its surroundings."""
    duration = None
    if run.started_at is not None and run.ended_at is not None:
        duration = (run.ended_at - run.started_at) // 1000
    return RunSummary(
        run.uuid,
        run.state,
        None if run.job is None else canonical(Kind.JOB, run.job_namespace or "", run.job),
        run.external_id,
        None if run.started_at is None else format_time(run.started_at),
        None if run.ended_at is None else format_time(run.ended_at),
        duration,
        [],
    )


ROUTES = (
    Route(
        "GET",
        "/api/v2/runs/{uuid}",
        get_run,
        "a run in its hierarchy",
        params=(Param("limit", int, 500, minimum=1, maximum=10_000, help="runs below it at most"),),
        answer=RunDetail,
        tag="runs",
    ),
)
