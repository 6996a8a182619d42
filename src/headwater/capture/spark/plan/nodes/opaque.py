"""Code in the plan: what it can see is known, what it does with it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Column, Flow, attributes, flow
from headwater.capture.spark.plan.nodes.rows import drop_late, same
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import FILTER, GROUP_BY, Uses, doubted, indirect, may_feed, union
from headwater.capture.spark.plan.values import Value

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading

# How many of the first columns of each side are the key, by the names that nodes have for it.
LENGTHS = (("leftGroupingLen", "groupingAttributesLen"), ("rightGroupingLen", "initGroupingAttrsLen"))
CALLED = {
    "MapInPandas": "mapInPandas",
    "PythonMapInArrow": "mapInArrow",
    "MapInArrow": "mapInArrow",
    "FlatMapGroupsInPandas": "applyInPandas",
    "FlatMapGroupsInArrow": "applyInArrow",
    "FlatMapCoGroupsInPandas": "applyInPandas",
    "FlatMapCoGroupsInArrow": "applyInArrow",
    "FlatMapGroupsInPandasWithState": "applyInPandasWithState",
    "TransformWithStateInPandas": "transformWithStateInPandas",
    "TransformWithStateInPySpark": "transformWithState",
    "SerializeFromObject": "a typed function",
}


def code(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A function of whole rows: any column that it is given may feed any that it gives."""
    columns = attributes(_output(node))
    given = reading.scope(*flows).uses([arg for call in node.trees("functionExpr") for arg in call.children])
    uses = may_feed(given or union(each.uses for each in flows), f"may feed: {CALLED.get(node.kind, node.kind)}")
    reading.note(indirect(_keys(node, flows, reading), GROUP_BY))
    for each in flows:
        drop_late(each, reading)
    return flow(columns, {each.id: Value(uses) for each in columns}, flows)


def typed_filter(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A function that says which rows to keep, and may look at any column."""
    reading.note(doubted(indirect(flows[0].uses, FILTER), "may feed: a typed filter"))
    return flows[0]


def _output(node: Tree) -> list[Tree]:
    names = ("output", "outAttrs", "outputAttrs", "serializer")
    return next((trees for name in names if (trees := node.trees(name))), [])


def _keys(node: Tree, flows: list[Flow], reading: Reading) -> Uses:
    """What rows are grouped by: named, or the first columns on each side."""
    scope = reading.scope(*flows)
    named = [tree for name in ("groupingAttributes", "groupingAttributesOrOrdinals") for tree in node.trees(name)]
    first: list[Column] = []
    for each, names in zip(flows, LENGTHS, strict=False):
        length = next((node.fields[name] for name in names if name in node.fields), 0)
        first += each.columns[: length if isinstance(length, int) else 0]
    return scope.uses(named) | union(scope.column(each.id, each.name).uses for each in first)


RULES = {
    **dict.fromkeys(CALLED, code),
    "TypedFilter": typed_filter,
    **dict.fromkeys(("DeserializeToObject", "MapElements", "MapPartitions", "MapGroups", "AppendColumns"), same),
}
