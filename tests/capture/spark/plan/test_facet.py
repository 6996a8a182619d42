"""Column lineage as the OpenLineage facet."""

import msgspec

from headwater.capture.spark.plan import ColumnLineage, Edge, column_lineage_facet
from headwater.openlineage import facets
from headwater.openlineage.naming import DatasetName
from tests.capture.spark.plan.plans import lineage, load

ORDERS = DatasetName("kafka://kafka-1:19092", "orders")


def test_inputs_are_grouped_by_column_and_say_every_way_they_are_used() -> None:
    edges = (
        Edge(ORDERS, "price", "", "INDIRECT", "FILTER"),
        Edge(ORDERS, "price", "total", "DIRECT", "AGGREGATION", masking=True),
        Edge(ORDERS, "price", "total", "INDIRECT", "CONDITIONAL", doubt="may feed: a guess"),
    )
    facet = column_lineage_facet(ColumnLineage(edges), "https://example.com")
    orders = {"namespace": "kafka://kafka-1:19092", "name": "orders", "field": "price"}
    assert facet == {
        "_producer": "https://example.com",
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json"
        "#/$defs/ColumnLineageDatasetFacet",
        "fields": {
            "total": {
                "inputFields": [
                    {
                        **orders,
                        "transformations": [
                            {"type": "DIRECT", "subtype": "AGGREGATION", "description": "", "masking": True},
                            {
                                "type": "INDIRECT",
                                "subtype": "CONDITIONAL",
                                "description": "may feed: a guess",
                                "masking": False,
                            },
                        ],
                    }
                ]
            }
        },
        "dataset": [
            {
                **orders,
                "transformations": [{"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}],
            }
        ],
    }


def test_a_plan_without_lineage_has_no_facet() -> None:
    assert column_lineage_facet(ColumnLineage()) is None


def test_the_facet_is_what_the_specification_says() -> None:
    [(_, found)] = lineage(load("spark-3.5/pipeline_supplier_stats"))
    facet = msgspec.json.encode(column_lineage_facet(found))
    assert facets.problem("dataset", "columnLineage", facet) is None
    read = facets.read(facets.ColumnLineage, facet)
    assert read is not None
    assert set(read.fields) == {"key", "window_start", "window_end", "supplier", "total_price", "count"}
