"""Two flows side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Column, Flow, flow
from headwater.capture.spark.plan.nodes.rows import drop_late
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import JOIN, indirect
from headwater.capture.spark.plan.values import Value

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def join(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The columns of both sides, or of the left one if the right only decides; the condition touches all of them."""
    left, right = flows
    used = indirect(reading.scope(left, right).uses(node.trees("condition")), JOIN)
    reading.note(used)
    if left.streaming and right.streaming:
        drop_late(left, reading)
        drop_late(right, reading)
    kind = node.fields.get("joinType")
    name = str(kind.get("object", kind.get("product-class", ""))) if isinstance(kind, dict) else ""
    if name.rstrip("$").endswith(("LeftSemi", "LeftAnti")):
        return flow(left.columns, left.values, flows)
    if isinstance(kind, dict) and "exists" in kind:
        found = [Column(tree.id, tree.name) for tree in Tree("", kind, []).trees("exists")]
        return flow([*left.columns, *found], left.values | {each.id: Value(used) for each in found}, flows)
    return flow([*left.columns, *right.columns], {**right.values, **left.values}, flows)


def as_of_join(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The nearest row of the right side for each of the left."""
    left, right = flows
    conditions = [*node.trees("asOfCondition"), *node.trees("condition"), *node.trees("orderExpression")]
    reading.note(indirect(reading.scope(left, right).uses(conditions), JOIN))
    return flow([*left.columns, *right.columns], {**right.values, **left.values}, flows)


def lateral_join(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A subquery that sees the columns of the row it is joined to."""
    left = flows[0]
    scope = reading.scope(left)
    right = scope.subquery(node.trees("right")[0].trees("plan")[0])
    reading.note(right.everywhere)
    reading.note(indirect(reading.scope(left, right).uses(node.trees("condition")), JOIN))
    return flow([*left.columns, *right.columns], {**right.values, **left.values}, [left, right])


RULES = {"Join": join, "AsOfJoin": as_of_join, "LateralJoin": lateral_join}
