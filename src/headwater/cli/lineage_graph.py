"""The graph as the server answers it, for commands that draw it."""

from typing import Any, Literal

import msgspec

from headwater.cli import output

Direction = Literal["up", "down", "both"]


class Column(msgspec.Struct):
    """A column of a dataset."""

    name: str
    type: str | None = None


class Node(msgspec.Struct, rename="camel"):
    """A job or a dataset of the graph."""

    id: str
    kind: str
    namespace: str = ""
    name: str = ""
    state: str | None = None
    job_type: str | dict[str, Any] | None = None
    columns: list[Column] | None = None


class Edge(msgspec.Struct, rename={"source": "from", "target": "to"}):
    """A flow of data from one node to another."""

    source: str
    target: str
    kind: str | None = None


class ColumnRef(msgspec.Struct):
    """A column of a dataset; without a name, the dataset as a whole."""

    dataset: str
    column: str | None = None


class Transformation(msgspec.Struct):
    """How a column was made from another."""

    type: str | None = None
    subtype: str | None = None
    masking: bool | None = None


class ColumnEdge(msgspec.Struct, rename={"source": "from", "target": "to"}):
    """A flow of data from one column to another."""

    source: ColumnRef
    target: ColumnRef
    direct: bool = True
    transformations: list[Transformation] | None = None


class Graph(msgspec.Struct, rename="camel"):
    """The graph around a node."""

    node: str
    nodes: list[Node]
    edges: list[Edge]
    column_edges: list[ColumnEdge] | None = None
    truncated: bool = False


def how(edge: ColumnEdge) -> str:
    """How a column was made from its source, such as "DIRECT IDENTITY" or "INDIRECT FILTER, masked"."""
    plain = "DIRECT" if edge.direct else "INDIRECT"
    ways: dict[str, None] = {}
    for step in edge.transformations or []:
        words = " ".join(word for word in (step.type or plain, step.subtype) if word)
        ways[output.safe(words) + (", masked" if step.masking else "")] = None
    return "; ".join(ways) or plain
