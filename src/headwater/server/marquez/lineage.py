"""The table graph around a job or a dataset, both ways."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.node_ids import Kind, marquez
from headwater.server.http import Call, Route
from headwater.server.marquez.answers import DEPTH, NODE_ID, required, whole_number
from headwater.server.marquez.datasets import (
    MARQUEZ_DATASET,
    Field,
    merged_tags,
    registered,
    shown_fields,
    source_name,
)
from headwater.server.marquez.ids import DatasetId, JobId, Uuid, moment, moment_or_none
from headwater.server.marquez.jobs import ABOUT, about, description_of, parent_uuid, simple_name
from headwater.server.marquez.nodes import find_node
from headwater.server.marquez.runs import Run, show_runs
from headwater.store.read.datasets import DatasetRow, current_schemas, rows_of_nodes
from headwater.store.read.facets import dataset_facets, facets_of
from headwater.store.read.graph import table_graph
from headwater.store.read.jobs import JobRow, jobs_by_id
from headwater.store.read.runs import runs_by_id
from headwater.store.read.tags import tags_on
from headwater.store.read.versions import newest_versions
from headwater.store.tables import DATASET, INPUT, JOB

DATASET_ABOUT = ("documentation", "dataSource", "schema", MARQUEZ_DATASET)


class Edge(Struct, frozen=True, gc=False):
    """From one node to another."""

    origin: str
    destination: str


class JobData(Struct, rename="camel", gc=False):
    """A job in a graph."""

    id: JobId
    type: str
    name: str
    simple_name: str
    parent_job_name: str | None
    parent_job_uuid: Uuid | None
    current_run_uuid: Uuid | None
    created_at: datetime
    updated_at: datetime
    namespace: str
    inputs: list[DatasetId]
    outputs: list[DatasetId]
    location: str | None
    description: str | None
    latest_run: Run | None


class DatasetData(Struct, rename="camel", gc=False):
    """A dataset in a graph."""

    id: DatasetId
    type: str
    name: str
    physical_name: str
    created_at: datetime
    updated_at: datetime
    namespace: str
    source_name: str
    fields: list[Field]
    tags: list[str]
    last_modified_at: datetime | None
    description: str | None
    last_lifecycle_state: str | None


class LineageNode(Struct, rename="camel", gc=False):
    """A node with the edges that it is part of."""

    id: str
    type: str
    data: JobData | DatasetData | None
    in_edges: list[Edge]
    out_edges: list[Edge]


class Lineage(Struct, gc=False):
    """A graph, its nodes by id."""

    graph: list[LineageNode]


def get_lineage(call: Call, db: Connection) -> Lineage:
    depth = whole_number(call, "depth", 20)
    start = find_node(db, required(call, "nodeId"), (Kind.JOB, Kind.DATASET))
    if start.kind is Kind.JOB:
        graph = table_graph(db, jobs=[start.id], depth=depth)
    else:
        graph = table_graph(db, datasets=[start.root_id], depth=depth)
    jobs = {id: row for id, row in jobs_by_id(db, graph.jobs).items() if not row.hidden or id == start.id}
    datasets = rows_of_nodes(db, graph.datasets)
    job_nodes = {
        id: (LineageNode(marquez(Kind.JOB, data.namespace, data.name), "JOB", data, [], []), data)
        for id, data in _job_data(db, jobs, datasets)
    }
    dataset_nodes = {
        id: (LineageNode(marquez(Kind.DATASET, data.namespace, data.name), "DATASET", data, [], []), data.id)
        for id, data in _dataset_data(db, datasets)
    }
    for job_id, direction, dataset_id in sorted(set(graph.edges)):
        if job_id in job_nodes and dataset_id in dataset_nodes:
            job, job_data = job_nodes[job_id]
            dataset, name = dataset_nodes[dataset_id]
            if direction == INPUT:
                edge = Edge(dataset.id, job.id)
                job.in_edges.append(edge)
                dataset.out_edges.append(edge)
                job_data.inputs.append(name)
            else:
                edge = Edge(job.id, dataset.id)
                job.out_edges.append(edge)
                dataset.in_edges.append(edge)
                job_data.outputs.append(name)
    everything = [node for node, _ in (*job_nodes.values(), *dataset_nodes.values())]
    everything.sort(key=lambda node: node.id)
    return Lineage(everything)


def _job_data(
    db: Connection, jobs: dict[int, JobRow], datasets: dict[int, DatasetRow]
) -> Iterable[tuple[int, JobData]]:
    facets = facets_of(db, JOB, jobs, ABOUT)
    latest = runs_by_id(db, [row.latest_run_id for row in jobs.values() if row.latest_run_id is not None])
    runs = show_runs(db, latest.values(), jobs, datasets)
    for id, row in jobs.items():
        said = about(facets.get(id))
        run = runs.get(row.latest_run_id) if row.latest_run_id is not None else None
        yield (
            id,
            JobData(
                id=JobId(row.namespace, row.name),
                type=said.type,
                name=row.name,
                simple_name=simple_name(row),
                parent_job_name=row.parent,
                parent_job_uuid=parent_uuid(row),
                current_run_uuid=run.id if run else None,
                created_at=moment(row.created_at),
                updated_at=moment(row.updated_at),
                namespace=row.namespace,
                inputs=[],
                outputs=[],
                location=said.location,
                description=said.description,
                latest_run=run,
            ),
        )


def _dataset_data(db: Connection, datasets: dict[int, DatasetRow]) -> Iterable[tuple[int, DatasetData]]:
    roots = {id: row.root_id for id, row in datasets.items()}
    facets = dataset_facets(db, roots, DATASET_ABOUT, inputs=False)
    schemas = current_schemas(db, roots)
    newest = newest_versions(db, roots)
    tags = tags_on(db, DATASET, roots)
    members: dict[int, list[int]] = {}
    for id in tags:
        members.setdefault(roots[id], []).append(id)
    for id, row in datasets.items():
        if id != row.root_id or row.hidden:
            continue
        described = facets.get(id)
        said = registered(described)
        merged = merged_tags(tags, members[id]) if id in members else {}
        write = newest.get(id)
        yield (
            id,
            DatasetData(
                id=DatasetId(row.namespace, row.name),
                type=said.type,
                name=row.name,
                physical_name=said.physical_name or row.root_name,
                created_at=moment(row.created_at),
                updated_at=moment(row.updated_at),
                namespace=row.namespace,
                source_name=source_name(described, said),
                fields=shown_fields(schemas.get(id), merged, described),
                tags=merged.get("", []),
                last_modified_at=moment_or_none(write.last_at if write else None),
                description=description_of(described),
                last_lifecycle_state=write.lifecycle if write else None,
            ),
        )


ROUTES = (
    Route(
        "GET",
        "/api/v1/lineage",
        get_lineage,
        "Read the graph around a job or a dataset; depth counts jobs, and each brings all its datasets",
        (NODE_ID, DEPTH),
        answer=Lineage,
        tag="Lineage",
    ),
)
