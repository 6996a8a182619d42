"""The lineage of a connector as OpenLineage datasets, ready for JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.capture.connect.edges import ColumnEdge, ConnectorLineage, Side
from headwater.capture.connect.schemas.record import Field
from headwater.openlineage.events import PRODUCER
from headwater.openlineage.naming import DatasetName

SPEC = "https://openlineage.io/spec/facets/"
SCHEMA = SPEC + "1-1-1/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"
SYMLINKS = SPEC + "1-0-1/SymlinksDatasetFacet.json#/$defs/SymlinksDatasetFacet"
COLUMNS = SPEC + "1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"
VERSION = SPEC + "1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet"
CUSTOM = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetFacet"
UNKNOWN = "headwater_unknown"


def datasets_of(lineage: ConnectorLineage) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Inputs and outputs with schema, symlinks, columnLineage and what is not known of them."""
    edges: dict[DatasetName, list[ColumnEdge]] = {}
    for edge in lineage.edges:
        edges.setdefault(edge.output, []).append(edge)
    inputs = [_dataset(side, ()) for side in lineage.inputs]
    return inputs, [_dataset(side, edges.get(side.dataset, ())) for side in lineage.outputs]


def _dataset(side: Side, edges: Iterable[ColumnEdge]) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if side.fields:
        facets["schema"] = _facet(SCHEMA, fields=[_field(each) for each in side.fields])
    if side.symlinks:
        links = [{"namespace": each.namespace, "name": each.name, "type": "TABLE"} for each in side.symlinks]
        facets["symlinks"] = _facet(SYMLINKS, identifiers=links)
    if side.version:
        facets["version"] = _facet(VERSION, datasetVersion=side.version)
    if columns := _column_lineage(edges):
        facets["columnLineage"] = _facet(COLUMNS, **columns)
    if side.unknown:
        facets[UNKNOWN] = _facet(CUSTOM, reason=side.unknown)
    return {"namespace": side.dataset.namespace, "name": side.dataset.name, "facets": facets}


def _facet(schema: str, **content: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": schema, **content}


def _field(field: Field) -> dict[str, Any]:
    """A field without what is not known of it."""
    made: dict[str, Any] = {"name": field.name}
    if field.type:
        made["type"] = field.type
    if field.description:
        made["description"] = field.description
    if field.fields:
        made["fields"] = [_field(each) for each in field.fields]
    return made


def _column_lineage(edges: Iterable[ColumnEdge]) -> dict[str, Any]:
    """The facet's content; the facet has no room for a doubt, so it is in the description."""
    columns: dict[str, dict[tuple[str, str, str], list[dict[str, Any]]]] = {}
    for edge in edges:
        how = {
            "type": edge.type,
            "subtype": edge.subtype,
            "description": f"possible: {edge.possible}" if edge.possible else edge.description,
            "masking": edge.masking,
        }
        key = (edge.input.namespace, edge.input.name, edge.field)
        columns.setdefault(edge.column, {}).setdefault(key, []).append(how)
    made = {column: _inputs(found) for column, found in columns.items()}
    whole = made.pop("", [])
    if not made and not whole:
        return {}
    content: dict[str, Any] = {"fields": {column: {"inputFields": found} for column, found in made.items()}}
    return content | {"dataset": whole} if whole else content


def _inputs(found: dict[tuple[str, str, str], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {"namespace": namespace, "name": name, "field": field, "transformations": ways}
        for (namespace, name, field), ways in found.items()
    ]
