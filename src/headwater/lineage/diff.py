"""What changed in the graph around a node between two times."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from msgspec import Struct

from headwater.lineage.neighbourhood import ColumnFlow, Edge, Graph, Node
from headwater.lineage.schemas import SchemaDiff, schema_diff

T = TypeVar("T")


class Part(Struct):
    """Nodes, edges and column flows that are in one of the two graphs only."""

    nodes: list[Node]
    edges: list[Edge]
    columnEdges: list[ColumnFlow]


class NodeChange(Struct, omit_defaults=True):
    """A node that is in both graphs but not the same: its columns, its state, or whether it was dropped."""

    id: str
    columns: SchemaDiff | None = None
    state: tuple[str | None, str | None] | None = None
    dropped: tuple[bool, bool] | None = None


class FlowChange(Struct, rename={"before": "from", "after": "to"}):
    """A column made of the same column, but in another way."""

    before: ColumnFlow
    after: ColumnFlow


class Changed(Struct):
    """What is in both graphs but differs."""

    nodes: list[NodeChange]
    columnEdges: list[FlowChange]


class GraphDiff(Struct):
    """How to get from the one graph to the other. When truncated, neither graph was read to its end."""

    node: str | None
    added: Part
    removed: Part
    changed: Changed
    truncated: bool


def graph_diff(node: str | None, before: Graph | None, after: Graph | None) -> GraphDiff:
    """Compare two graphs; None is from before the node was known."""
    old, new = _Indexed(before), _Indexed(after)
    return GraphDiff(
        node,
        new.without(old),
        old.without(new),
        Changed(
            [c for id in new.nodes if id in old.nodes and (c := _node_change(old.nodes[id], new.nodes[id]))],
            [
                FlowChange(old.flows[key], flow)
                for key, flow in new.flows.items()
                if key in old.flows and _how(old.flows[key]) != _how(flow)
            ],
        ),
        any(graph is not None and graph.truncated for graph in (before, after)),
    )


class _Indexed:
    def __init__(self, graph: Graph | None) -> None:
        self.nodes = _by(lambda n: n.id, graph.nodes if graph else ())
        self.edges = _by(lambda e: (e.source, e.target), graph.edges if graph else ())
        self.flows = _by(_flow_key, graph.columnEdges if graph else ())

    def without(self, other: "_Indexed") -> Part:
        return Part(
            [node for id, node in self.nodes.items() if id not in other.nodes],
            [edge for key, edge in self.edges.items() if key not in other.edges],
            [flow for key, flow in self.flows.items() if key not in other.flows],
        )


def _by(key: Callable[[T], Hashable], things: Iterable[T]) -> dict[Hashable, T]:
    return {key(thing): thing for thing in things}


def _flow_key(flow: ColumnFlow) -> Hashable:
    source, target = flow.source, flow.target
    return source.dataset, source.column, target.dataset, target.column, flow.job


def _how(flow: ColumnFlow) -> tuple[bool, bytes]:
    return flow.direct, bytes(flow.transformations)


def _node_change(before: Node, after: Node) -> NodeChange | None:
    columns = schema_diff(before.columns, after.columns)
    change = NodeChange(
        after.id,
        columns if columns else None,
        (before.state, after.state) if before.state != after.state else None,
        (before.dropped, after.dropped) if before.dropped != after.dropped else None,
    )
    return change if change.columns or change.state or change.dropped else None
