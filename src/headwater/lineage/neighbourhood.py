"""The graph around a node as it is answered: nodes with what is known of them, edges with their evidence."""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from msgspec import Raw, Struct
from sqlalchemy import Connection

from headwater.lineage.flow import FLOW_FACETS, Flow, flow_in
from headwater.lineage.graph import How, Ref, Walk, dataset_ref, job_ref, walk, walk_column, walk_jobs
from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.store.read import nodes as read
from headwater.store.read.facets import facets_of
from headwater.store.read.graph import ColumnEdge, Now, View
from headwater.store.read.latest import latest_jobs
from headwater.store.read.names import Found, UnknownNode
from headwater.store.read.nodes import JobType
from headwater.store.read.past import Past
from headwater.store.read.tags import dataset_tags
from headwater.store.tables import INPUT, OUTPUT, RUN

Direction = Literal["up", "down", "both"]


class Counts(Struct, rename={"into": "in"}):
    """How many edges a node has in all, shown or not: into it and out of it."""

    into: int
    out: int


class Node(Struct, omit_defaults=True):
    """A job or a dataset. The state, run, times and flow are of the job's run that started last.

    With columns come the tags that people put on a dataset, of each column and under '' of the whole, and when its
    columns last became others.
    """

    id: str
    kind: Literal["job", "dataset"]
    namespace: str
    name: str
    distance: int
    counts: Counts
    aliases: list[str] = []
    state: str | None = None
    run: str | None = None
    startedAt: str | None = None
    endedAt: str | None = None
    flow: Flow | None = None
    jobType: JobType | None = None
    parent: str | None = None
    dropped: bool = False
    hidden: bool = False
    columns: Raw | None = None
    tags: dict[str, list[str]] = {}
    schemaChangedAt: str | None = None


class Evidence(Struct, omit_defaults=True):
    """Why an edge is there: what said so, in which run, when (event time) and by whom."""

    how: How
    run: str | None = None
    at: str | None = None
    producer: str | None = None


class Edge(Struct, rename={"source": "from", "target": "to"}):
    """Data flows from one node to another; a link has no job, or no dataset, between its ends."""

    source: str
    target: str
    kind: Literal["read", "write", "link"]
    evidence: Evidence


class Column(Struct):
    """One column; '' stands for the whole dataset."""

    dataset: str
    column: str


class ColumnFlow(Struct, rename={"source": "from", "target": "to"}, omit_defaults=True):
    """One column goes into another, directly or as a condition; without a job, the dataset says it of itself."""

    source: Column
    target: Column
    direct: bool
    transformations: Raw
    job: str | None = None


class Graph(Struct):
    """Part of the graph, nearest first. With a `cursor` there is more; without a `node` it is the newest part."""

    node: str | None
    at: str | None
    nodes: list[Node]
    edges: list[Edge]
    columnEdges: list[ColumnFlow]
    truncated: bool
    cursor: str | None


class Question(Struct, frozen=True):
    """What part of the graph is wanted. `skip` nodes were answered before."""

    direction: Direction = "both"
    depth: int = 2
    columns: bool = False
    column: str | None = None
    at: int | None = None
    limit: int = 200
    skip: int = 0


def neighbourhood(db: Connection, start: Found, question: Question) -> Graph:
    """The graph around a job, a dataset or a column."""
    at = question.at
    view: View = Now(db) if at is None else Past(db, at)
    column = question.column if question.column is not None else start.column or None
    most = question.skip + question.limit
    flows: list[ColumnEdge] | None = None
    if column is None:
        ref = Ref("job", start.id) if start.kind is Kind.JOB else Ref("dataset", start.root_id)
        around = walk(view, ref, question.direction, question.depth, most)
    else:
        around, flows = walk_column(view, start.root_id, column, question.direction, question.depth, most)
    shown = list(around.nodes)[question.skip :]
    if at is not None and question.skip == 0 and not _existed(db, shown[0], at):
        raise UnknownNode(f"{start.node_id!r} was not known at {format_time(at)}; ask for a later time")
    return answered(db, view, around, flows, question, start.node_id)


def newest_part(db: Connection, question: Question) -> Graph:
    """The jobs that were heard of last, with their datasets: what to show before anyone asks for a node."""
    at = question.at
    view: View = Now(db) if at is None else Past(db, at)
    most = question.skip + question.limit
    around = walk_jobs(view, latest_jobs(db, most + 1, at), most)
    return answered(db, view, around, None, question, None)


def answered(
    db: Connection, view: View, around: Walk, flows: list[ColumnEdge] | None, question: Question, node: str | None
) -> Graph:
    """What was walked as it is answered; flows that are not given are looked up if they are wanted."""
    at = question.at
    shown = list(around.nodes)[question.skip :]
    page = set(shown)
    edges = {e: how for e, how in around.edges.items() if e[0] in page or e[1] in page}
    if flows is None and question.columns:
        flows = view.column_edges([ref.id for ref in around.nodes if ref.kind == "dataset"], True, None)
    flows = [f for f in flows or () if _flow_shown(f, around.nodes, page)]
    named = page.union(*edges, *(_ends(flow) for flow in flows))
    ids = _Names(db, named, at)
    return Graph(
        node=ids[shown[0]] if node is not None and question.skip == 0 and shown else node,
        at=None if at is None else format_time(at),
        nodes=_nodes(db, view, around, shown, ids, question),
        edges=_edges(db, view, edges, ids, at),
        columnEdges=[_flow(flow, ids) for flow in flows],
        truncated=around.truncated,
        cursor=str(len(around.nodes)) if around.truncated else None,
    )


def _flow_shown(flow: ColumnEdge, nodes: Collection[Ref], page: Collection[Ref]) -> bool:
    ends = _ends(flow)
    return all(end in nodes for end in ends) and any(end in page for end in ends)


def _ends(flow: ColumnEdge) -> list[Ref]:
    """The datasets that a flow is between, and the job that makes it."""
    ends = [dataset_ref(flow.source), dataset_ref(flow.target)]
    return [*ends, job_ref(flow.job)] if flow.job else ends


class _Names:
    """The canonical id of every node, and what is known of it."""

    def __init__(self, db: Connection, refs: Iterable[Ref], at: int | None) -> None:
        refs = list(refs)
        self.jobs = read.jobs(db, [ref.id for ref in refs if ref.kind == "job"], at)
        self.datasets = read.datasets(db, [ref.id for ref in refs if ref.kind == "dataset"], at)
        self._ids = {job_ref(id): canonical(Kind.JOB, job.namespace, job.name) for id, job in self.jobs.items()}
        self._ids |= {dataset_ref(id): canonical(Kind.DATASET, d.namespace, d.name) for id, d in self.datasets.items()}

    def __getitem__(self, ref: Ref) -> str:
        return self._ids[ref]


def _existed(db: Connection, ref: Ref, at: int) -> bool:
    info = read.jobs(db, [ref.id])[ref.id] if ref.kind == "job" else read.datasets(db, [ref.id])[ref.id]
    return info.created_at <= at


def _nodes(db: Connection, view: View, around: Walk, shown: list[Ref], ids: _Names, question: Question) -> list[Node]:
    datasets = [ref.id for ref in shown if ref.kind == "dataset"]
    counts = view.counts([ref.id for ref in shown if ref.kind == "job"], datasets)
    wants_columns = question.columns or question.column is not None
    columns = read.columns(db, datasets, question.at) if wants_columns else {}
    tags = dataset_tags(db, datasets) if wants_columns else {}
    changed = read.schemas_changed(db, datasets, question.at) if wants_columns else {}
    flowing = _flowing(db, ids.jobs) if question.at is None else {}
    nodes = []
    for ref in shown:
        # Into a job go its inputs; into a dataset, its writers.
        into, out = (INPUT, OUTPUT) if ref.kind == "job" else (OUTPUT, INPUT)
        info = ids.jobs[ref.id] if ref.kind == "job" else ids.datasets[ref.id]
        node = Node(
            ids[ref],
            ref.kind,
            info.namespace,
            info.name,
            around.nodes[ref],
            Counts(counts[ref.kind, ref.id, into], counts[ref.kind, ref.id, out]),
            hidden=info.hidden,
        )
        if isinstance(info, read.JobInfo):
            node.state, node.run, node.jobType = info.state, info.run, info.type
            node.startedAt = None if info.started_at is None else format_time(info.started_at)
            node.endedAt = None if info.ended_at is None else format_time(info.ended_at)
            node.flow = flowing.get(ref.id)
            node.parent = canonical(Kind.JOB, *info.parent) if info.parent else None
        else:
            node.dropped = info.dropped
            node.aliases = [canonical(Kind.DATASET, *alias) for alias in info.aliases]
            node.columns = columns.get(ref.id)
            node.tags = tags.get(ref.id, {})
            node.schemaChangedAt = format_time(changed[ref.id]) if ref.id in changed else None
        nodes.append(node)
    return nodes


def _flowing(db: Connection, jobs: Mapping[int, read.JobInfo]) -> dict[int, Flow]:
    """What the running ones of some jobs said last of how much they move."""
    runs = {info.run_id: id for id, info in jobs.items() if info.state == "RUNNING" and info.run_id is not None}
    facets = facets_of(db, RUN, runs, FLOW_FACETS)
    return {runs[run]: flow for run, found in facets.items() if (flow := flow_in(found)) is not None}


def _edges(db: Connection, view: View, edges: dict[tuple[Ref, Ref], How], ids: _Names, at: int | None) -> list[Edge]:
    jobs = {ref.id for edge in edges for ref in edge if ref.kind == "job"}
    behind = read.runs_behind(db, view.edge_runs(jobs), at)
    answer = []
    for (source, target), how in edges.items():
        kind: Literal["read", "write", "link"] = "link"
        evidence = Evidence(how)
        if source.kind != target.kind:
            kind = "read" if target.kind == "job" else "write"
            job, dataset = (target, source) if kind == "read" else (source, target)
            touched = behind.get(job.id)
            if touched is not None:
                seen = touched.times.get((INPUT if kind == "read" else OUTPUT, dataset.id))
                evidence.run = None if touched.declared else touched.run
                evidence.at = None if seen is None else format_time(seen)
                evidence.producer = touched.producer
                if touched.declared and how is How.OBSERVED:
                    evidence.how = How.DECLARED
        answer.append(Edge(ids[source], ids[target], kind, evidence))
    return answer


def _flow(flow: ColumnEdge, ids: _Names) -> ColumnFlow:
    return ColumnFlow(
        Column(ids[dataset_ref(flow.source)], flow.source_column),
        Column(ids[dataset_ref(flow.target)], flow.target_column),
        bool(flow.direct),
        Raw(flow.transformations.encode()),
        ids[job_ref(flow.job)] if flow.job else None,
    )
