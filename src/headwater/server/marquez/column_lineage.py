"""The column graph around a column, a dataset's columns, or the columns that a job writes."""

from collections import defaultdict
from collections.abc import Mapping

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.node_ids import Kind, marquez
from headwater.server.http import Call, HttpError, Param, Route
from headwater.server.marquez.answers import DEPTH, NODE_ID, flag, required, uuid_or_404, whole_number
from headwater.server.marquez.column_claims import transformations
from headwater.server.marquez.dataset_versions import find_version
from headwater.server.marquez.datasets import current_version
from headwater.server.marquez.ids import Uuid
from headwater.server.marquez.job_versions import version_time
from headwater.server.marquez.lineage import Edge
from headwater.server.marquez.nodes import find_node
from headwater.store.read.columns import ColumnGraph, column_graph
from headwater.store.read.columns import Field as Column
from headwater.store.read.datasets import (
    DatasetRow,
    columns_of,
    current_schemas,
    datasets_by_id,
    member_roots,
    nodes,
)
from headwater.store.read.graph import Now, View
from headwater.store.read.names import Found
from headwater.store.read.past import Past
from headwater.store.read.versions import newest_versions
from headwater.store.tables import OUTPUT

Pairs = dict[tuple[Column, Column], tuple[str, ...]]


class InputField(Struct, rename="camel", gc=False):
    """A column that another is made of, with all that was said of how."""

    namespace: str
    dataset: str
    dataset_version: Uuid | None
    field: str
    transformation_description: str | None
    transformation_type: str | None
    transformations: msgspec.Raw


class ColumnData(Struct, rename="camel", gc=False):
    """A column in a graph."""

    namespace: str
    dataset: str
    dataset_version: Uuid | None
    field: str
    field_type: str | None
    transformation_description: str | None
    transformation_type: str | None
    input_fields: list[InputField]


class ColumnNode(Struct, rename="camel", gc=False):
    """A column with its edges. As in Marquez, an in-edge goes from the column itself to what it is made of."""

    id: str
    type: str
    data: ColumnData
    in_edges: list[Edge]
    out_edges: list[Edge]


class ColumnLineageGraph(Struct, gc=False):
    """A graph, its nodes by id."""

    graph: list[ColumnNode]


def get_column_lineage(call: Call, db: Connection) -> ColumnLineageGraph:
    depth, downstream = whole_number(call, "depth", 20), flag(call, "withDownstream")
    found = find_node(db, required(call, "nodeId"), (Kind.DATASET, Kind.FIELD, Kind.JOB))
    if found.version and downstream:
        raise HttpError(400, "Node version cannot be specified when withDownstream is true")
    at = _time_of(db, found) if found.version else None
    view = Now(db) if at is None else Past(db, at)
    start = _start(db, view, found)
    if not start:
        raise HttpError(404, "Could not find node")
    # As in Marquez, the first hop is there at depth 0 too.
    graph = column_graph(view, start, max(depth, 1), up=True, down=downstream)
    return _shown(db, graph, at)


def _time_of(db: Connection, found: Found) -> int:
    """When the version of a node id was made."""
    wanted = uuid_or_404(found.version)
    if found.kind is Kind.JOB:
        at = version_time(db, found.id, wanted)
    else:
        version = find_version(db, datasets_by_id(db, [found.id])[found.id], wanted)
        at = None if version is None else version[1].last_at if version[1] else 2**62
    if at is None:
        raise HttpError(404, f"Version '{wanted}' of '{found.name}' not found.")
    return at


def _start(db: Connection, view: View, found: Found) -> list[Column]:
    if found.kind is Kind.FIELD:
        return [(found.root_id, found.column)]
    roots = [found.root_id]
    if found.kind is Kind.JOB:
        roots = [root for _, direction, root in view.datasets_of([found.id]) if direction == OUTPUT]
    columns = columns_of(db, member_roots(nodes(db, roots)))
    return [(root, name) for root in roots for name in columns.get(root, ())]


def _shown(db: Connection, graph: ColumnGraph, at: int | None) -> ColumnLineageGraph:
    roots = {root for edge in graph.edges for root in (edge.source, edge.target)}
    if not roots:
        return ColumnLineageGraph([])
    names = datasets_by_id(db, roots)
    members = member_roots(nodes(db, roots))
    types = {
        (root, column.name): column.type
        for root, schema in current_schemas(db, members).items()
        for column in schema.columns
    }
    versions = _versions(db, members, names, at)
    pairs = _pairs(db, graph, members)
    built: dict[Column, ColumnNode] = {}
    for column in {column for pair in pairs for column in pair}:
        row, version = names[column[0]], versions[column[0]]
        id = marquez(Kind.FIELD, row.namespace, row.name, column[1])
        data = ColumnData(row.namespace, row.name, version, column[1], types.get(column), None, None, [])
        built[column] = ColumnNode(id if at is None else f"{id}#{version}", "DATASET_FIELD", data, [], [])
    _connect(built, pairs)
    return ColumnLineageGraph(sorted(built.values(), key=lambda one: one.id))


def _connect(built: dict[Column, ColumnNode], pairs: Pairs) -> None:
    """Give every node its edges and inputs. What is read here runs for each of thousands of edges."""
    inputs: dict[tuple[Column, tuple[str, ...]], InputField] = {}
    for (target, source), texts in pairs.items():
        to, made_of = built[target], built[source]
        to.in_edges.append(Edge(to.id, made_of.id))
        made_of.out_edges.append(Edge(made_of.id, to.id))
        if (shown := inputs.get((source, texts))) is None:
            how, data = transformations(texts), made_of.data
            shown = inputs[source, texts] = InputField(
                data.namespace, data.dataset, data.dataset_version, data.field, how.description, how.type, how.raw
            )
        data = to.data
        if not data.input_fields:
            data.transformation_description = shown.transformation_description
            data.transformation_type = shown.transformation_type
        data.input_fields.append(shown)


def _pairs(db: Connection, graph: ColumnGraph, members: Mapping[int, int]) -> Pairs:
    """(column, what it is made of) -> how. What affects a whole dataset affects each of its columns here."""
    known: dict[int, set[str]] = defaultdict(set)
    vague = {edge.target for edge in graph.edges if not edge.target_column}
    if vague:
        for root, name in graph.fields:
            if name and root in vague:
                known[root].add(name)
    ever = columns_of(db, {id: root for id, root in members.items() if root in vague and root not in known})
    pairs: Pairs = {}
    for source, source_column, target, target_column, _, how, *_ in graph.edges:
        columns = (target_column,) if target_column else sorted(known.get(target) or ever.get(target) or {""})
        for name in columns:
            key = ((target, name), (source, source_column))
            pairs[key] = (*pairs[key], how) if key in pairs else (how,)
    return pairs


def _versions(
    db: Connection, members: Mapping[int, int], names: Mapping[int, DatasetRow], at: int | None
) -> dict[int, Uuid | None]:
    """Root -> its version at that time, where the graph is of a time."""
    if at is None:
        return dict.fromkeys(names)
    newest = newest_versions(db, members, at)
    written = datasets_by_id(db, {version.dataset_id for version in newest.values()})
    return {root: current_version(row, newest.get(root), written) for root, row in names.items()}


ROUTES = (
    Route(
        "GET",
        "/api/v1/column-lineage",
        get_column_lineage,
        "Read what columns are made of, and with withDownstream what is made of them",
        (NODE_ID, DEPTH, Param("withDownstream", bool, False, help="whether to go downstream too")),
        answer=ColumnLineageGraph,
        tag="Lineage",
    ),
)
