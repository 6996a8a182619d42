"""The columnLineage of a dataset: every input of every column, with nothing dropped."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.store.read.columns import column_graph
from headwater.store.read.datasets import Schema, datasets_by_id
from headwater.store.read.graph import ColumnEdge

NO_TRANSFORMATIONS = msgspec.Raw(b"[]")


class InputColumn(Struct, rename="camel", gc=False):
    """A column that another is made of; field '' is the whole dataset.

    Marquez has the two texts; `transformations` is all that was said, by every job that writes the column.
    """

    namespace: str
    dataset: str
    field: str
    transformation_description: str | None
    transformation_type: str | None
    transformations: msgspec.Raw


class ColumnLineage(Struct, rename="camel", gc=False):
    """What one column is made of."""

    name: str
    input_fields: list[InputColumn]
    transformation_description: str | None
    transformation_type: str | None


class _Said(Struct, gc=False):
    type: str | None = None
    subtype: str | None = None
    description: str | None = None


class Transformations(Struct, gc=False):
    """Several jobs' words on one input column, as JSON, and the two texts that Marquez has for them."""

    raw: msgspec.Raw
    description: str | None
    type: str | None


_said = msgspec.json.Decoder(list[_Said])


@lru_cache(maxsize=4096)
def transformations(texts: tuple[str, ...]) -> Transformations:
    """Arrays of transformations joined, each said once. Few differ: most columns are copied as they are."""
    distinct = [text for text in dict.fromkeys(texts) if text not in ("", "[]")]
    if not distinct:
        return Transformations(NO_TRANSFORMATIONS, None, None)
    joined = distinct[0] if len(distinct) == 1 else _union(distinct)
    try:
        said = _said.decode(joined)
    except msgspec.MsgspecError:
        said = []
    description = next((one.description for one in said if one.description), None)
    return Transformations(msgspec.Raw(joined.encode()), description, said[0].type if said else None)


def _union(texts: list[str]) -> str:
    parts: dict[bytes, None] = {}
    for text in texts:
        parts |= {bytes(one): None for one in msgspec.json.decode(text, type=list[msgspec.Raw])}
    return (b"[" + b",".join(parts) + b"]").decode()


def column_lineage(
    db: Connection, roots: Iterable[int], schemas: Mapping[int, Schema]
) -> dict[int, list[ColumnLineage]]:
    """Node -> what its columns are made of; an input of the whole dataset counts for every column."""
    edges = column_graph(db, [(root, "") for root in roots], depth=1).edges
    names = datasets_by_id(db, {edge.source for edge in edges})
    by_column: dict[int, dict[str, dict[tuple[int, str], list[str]]]] = {}
    for edge in edges:
        for column in _columns(edge, edges, schemas):
            inputs = by_column.setdefault(edge.target, {}).setdefault(column, {})
            inputs.setdefault((edge.source, edge.source_column), []).append(edge.transformations)
    return {
        root: [
            _shown(
                column,
                [
                    InputColumn(
                        names[source].namespace,
                        names[source].name,
                        source_column,
                        (how := transformations(tuple(texts))).description,
                        how.type,
                        how.raw,
                    )
                    for (source, source_column), texts in inputs.items()
                ],
            )
            for column, inputs in sorted(columns.items())
        ]
        for root, columns in by_column.items()
    }


def _columns(edge: ColumnEdge, edges: list[ColumnEdge], schemas: Mapping[int, Schema]) -> list[str]:
    """The columns that an edge tells of: one, or for the whole dataset all of them."""
    if edge.target_column:
        return [edge.target_column]
    if edge.target in schemas:
        return [column.name for column in schemas[edge.target].columns]
    said = {other.target_column for other in edges if other.target == edge.target and other.target_column}
    return sorted(said) or [""]


def _shown(name: str, inputs: list[InputColumn]) -> ColumnLineage:
    first = inputs[0]
    return ColumnLineage(name, inputs, first.transformation_description, first.transformation_type)
