"""A node of a kind we have not met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Column, Flow, attributes, flow
from headwater.capture.spark.plan.nodes.leaves import leaf
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import may_feed, union
from headwater.capture.spark.plan.values import Value

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def unknown(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Columns with ids from below are those columns; every column below may feed the new ones, and which rows come."""
    if not flows:
        return leaf(node, flows, reading)
    values = {id: value for each in flows for id, value in each.values.items()}
    uses = may_feed(union(each.uses for each in flows), f"may feed: {node.kind} is not known")
    reading.note(uses)
    columns = attributes(node.trees("output")) or _all(flows)
    return flow(columns, values | {each.id: Value(uses) for each in columns if each.id not in values}, flows)


def _all(flows: list[Flow]) -> list[Column]:
    return [column for each in flows for column in each.columns]
