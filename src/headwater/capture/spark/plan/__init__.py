"""Column lineage from the text of a Spark plan; nothing here needs Spark."""

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.edges import Batches, ColumnLineage, Edge, Sink, column_edges
from headwater.capture.spark.plan.facet import column_lineage_facet
from headwater.capture.spark.plan.flow import Source
from headwater.capture.spark.plan.tree import Plan, read_plan

__all__ = [
    "Batches",
    "ColumnLineage",
    "Edge",
    "Plan",
    "Sink",
    "Source",
    "column_edges",
    "column_lineage_facet",
    "read_plan",
    "types",
]
