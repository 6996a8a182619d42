"""Many rows to one: groups, and rows that are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Flow
from headwater.capture.spark.plan.nodes.projections import selected
from headwater.capture.spark.plan.nodes.rows import drop_late
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import GROUP_BY, indirect

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def aggregate(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """GROUP BY: the keys decide about every row that comes out."""
    keys = indirect(reading.scope(*flows).uses(node.trees("groupingExpressions")), GROUP_BY)
    reading.note(keys)
    drop_late(flows[0], reading)
    return selected(node.trees("aggregateExpressions"), reading.scope(*flows, group=keys), flows)


def distinct(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """One of each set of rows that are the same in every column."""
    reading.note(indirect(flows[0].uses, GROUP_BY))
    return flows[0]


def deduplicate(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """One of each set of rows that have the same key."""
    reading.note(indirect(reading.scope(*flows).uses(node.trees("keys")), GROUP_BY))
    drop_late(flows[0], reading)
    return flows[0]


RULES = {
    "Aggregate": aggregate,
    "Distinct": distinct,
    "Deduplicate": deduplicate,
    "DeduplicateWithinWatermark": deduplicate,
}
