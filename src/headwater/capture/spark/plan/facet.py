"""Column lineage as the OpenLineage facet."""

from collections.abc import Iterable
from typing import Any

from headwater.capture.spark.plan.edges import ColumnLineage, Edge
from headwater.openlineage.events import PRODUCER

SCHEMA = "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"


def column_lineage_facet(lineage: ColumnLineage, producer: str = PRODUCER) -> dict[str, Any] | None:
    """The facet for an output, ready for JSON; None if there is nothing to tell. A doubt is in the description."""
    if not lineage.edges:
        return None
    fields: dict[str, list[Edge]] = {}
    for edge in lineage.edges:
        fields.setdefault(edge.target, []).append(edge)
    everywhere = fields.pop("", [])
    facet: dict[str, Any] = {
        "_producer": producer,
        "_schemaURL": SCHEMA,
        "fields": {name: {"inputFields": _inputs(edges)} for name, edges in fields.items()},
    }
    return facet | {"dataset": _inputs(everywhere)} if everywhere else facet


def _inputs(edges: Iterable[Edge]) -> list[dict[str, Any]]:
    inputs: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for edge in edges:
        how = {"type": edge.kind, "subtype": edge.subtype, "description": edge.doubt, "masking": edge.masking}
        inputs.setdefault((edge.source.namespace, edge.source.name, edge.field), []).append(how)
    return [
        {"namespace": namespace, "name": name, "field": field, "transformations": ways}
        for (namespace, name, field), ways in inputs.items()
    ]
