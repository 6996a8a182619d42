"""The column graph around a column, a dataset's columns, or the columns that a job writes."""

from collections import defaultdict
from collections.abc import Mapping
from operator import attrgetter

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
    rows_of_nodes,
)
from headwater.store.read.graph import Now, View
from headwater.store.read.names import Found
from headwater.store.read.past import Past
from headwater.store.read.versions import newest_versions
from headwater.store.tables import OUTPUT

Inputs = dict[Column, dict[Column, tuple[str, ...]]]


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
    if not graph.edges:
        return ColumnLineageGraph([])
    rows = rows_of_nodes(db, {root for root, _ in graph.fields})
    members = {id: row.root_id for id, row in rows.items()}
    names = {id: row for id, row in rows.items() if id == row.root_id}
    built = _Nodes(names, _types(db, members), _versions(db, members, names, at), at is not None)
    _connect(built, _inputs(db, graph, members))
    return ColumnLineageGraph(sorted(built.values(), key=attrgetter("id")))


class _Nodes(dict[Column, ColumnNode]):
    """The node of each column, made when it is first asked for."""

    def __init__(
        self,
        names: Mapping[int, DatasetRow],
        types: Mapping[int, Mapping[str, str | None]],
        versions: Mapping[int, Uuid | None],
        versioned: bool,
    ) -> None:
        self.names, self.types, self.versions, self.versioned = names, types, versions, versioned
        self.prefixes = {root: marquez(Kind.FIELD, row.namespace, row.name) for root, row in names.items()}

    def __missing__(self, column: Column) -> ColumnNode:
        root, name = column
        row, version, types = self.names[root], self.versions[root], self.types.get(root)
        id = f"{self.prefixes[root]}{name}"
        data = ColumnData(row.namespace, row.name, version, name, types.get(name) if types else None, None, None, [])
        node = ColumnNode(f"{id}#{version}" if self.versioned else id, "DATASET_FIELD", data, [], [])
        self[column] = node
        return node


def _connect(built: _Nodes, columns: Inputs) -> None:
    """Give every node its edges and inputs. What is read here runs for each of thousands of edges."""
    for target, inputs in columns.items():
        to = built[target]
        id, data, in_edges = to.id, to.data, to.in_edges
        for source, texts in inputs.items():
            made_of, how = built[source], transformations(texts)
            other = made_of.data
            in_edges.append(Edge(id, made_of.id))
            made_of.out_edges.append(Edge(made_of.id, id))
            if not data.input_fields:
                data.transformation_description, data.transformation_type = how.description, how.type
            data.input_fields.append(
                InputField(
                    other.namespace,
                    other.dataset,
                    other.dataset_version,
                    other.field,
                    how.description,
                    how.type,
                    how.raw,
                )
            )


def _types(db: Connection, members: Mapping[int, int]) -> dict[int, dict[str, str | None]]:
    """Root -> the types of its columns. Few schemas differ, so each is laid out once."""
    schemas = current_schemas(db, members)
    types = {schema: {column.name: column.type for column in schema.columns} for schema in set(schemas.values())}
    return {root: types[schema] for root, schema in schemas.items()}


def _inputs(db: Connection, graph: ColumnGraph, members: Mapping[int, int]) -> Inputs:
    """Column -> what it is made of -> how. What affects a whole dataset affects each of its columns here."""
    known: dict[int, set[str]] = defaultdict(set)
    vague = {edge[2] for edge in graph.edges if not edge[3]}
    if vague:
        for root, name in graph.fields:
            if name and root in vague:
                known[root].add(name)
    ever = columns_of(db, {id: root for id, root in members.items() if root in vague and root not in known})
    found: Inputs = {}
    for source, source_column, target, target_column, _, how, _, _ in graph.edges:
        columns = (target_column,) if target_column else sorted(known.get(target) or ever.get(target) or {""})
        for name in columns:
            column, key = (target, name), (source, source_column)
            if (inputs := found.get(column)) is None:
                inputs = found[column] = {}
            inputs[key] = (*inputs[key], how) if key in inputs else (how,)
    return found


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
