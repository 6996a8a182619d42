"""Flows with the same columns, one on top of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Column, Flow, flow
from headwater.capture.spark.plan.nodes.leaves import renamed
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import JOIN, indirect, union
from headwater.capture.spark.plan.values import either

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def union_all(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Rows of all flows: a column is any of those at its place, under the id of the first."""
    first = flows[0]
    places = [[each.value(column) for column in each.columns] for each in flows]
    values = {column.id: either(choices) for column, *choices in zip(first.columns, *places, strict=False)}
    return flow(first.columns, values, flows)


def union_loop(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """WITH RECURSIVE: once it is known what the loop begins with, what it makes of that is read once more."""
    loop = node.fields.get("id")
    if loop not in reading.shared and len(node.children) == 2:
        reading.shared[loop] = union_all(node, flows, reading)
        flows = [flows[0], reading.read(node.children[1])]
    found = union_all(node, flows, reading)
    ids = node.fields.get("outputAttrIds")
    if not isinstance(ids, list):
        return found
    columns = [Column(id["id"], each.name) for id, each in zip(ids, found.columns, strict=True)]
    return flow(columns, renamed(columns, found), flows)


def compared(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """INTERSECT and EXCEPT: rows of the left that are, or are not, in the right."""
    reading.note(indirect(union(each.uses for each in flows), JOIN))
    return flow(flows[0].columns, flows[0].values, flows)


RULES = {"Union": union_all, "UnionLoop": union_loop, "Intersect": compared, "Except": compared}
