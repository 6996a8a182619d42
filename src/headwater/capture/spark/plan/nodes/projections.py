"""New columns from old ones, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.expressions.arrays import nth
from headwater.capture.spark.plan.flow import Column, Flow, attributes, flow
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import may_feed
from headwater.capture.spark.plan.values import Value, either

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading, Scope


def project(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """SELECT: a column for each expression."""
    return selected(node.trees("projectList"), reading.scope(*flows), flows)


def window(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The columns there were, and those calculated over windows of rows."""
    return _extended(flows, selected(node.trees("windowExpressions"), reading.scope(*flows), flows))


def generate(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The columns there were, and those of the rows that a generator makes of each row."""
    made = reading.scope(*flows).value(node.trees("generator")[0])
    columns = attributes(node.trees("generatorOutput"))
    values = {each.id: nth(made, n, len(columns)) for n, each in enumerate(columns)}
    return _extended(flows, Flow(columns, values))


def expand(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Several rows of each row, made by a projection each; Spark does not always write the projections down."""
    columns = attributes(output := node.trees("output"))
    projections = node.lists("projections")
    if projections:
        scope = reading.scope(*flows)
        rows = [scope.values(each) for each in projections]
        return flow(columns, {each.id: either(choices) for each, *choices in zip(columns, *rows, strict=False)}, flows)
    below = flows[0]
    new = [each for each in columns if each.id not in below.values]
    doubt = "may feed: the plan does not say how rows were expanded"
    values = {each.id: Value(may_feed(below.uses, doubt)) for each in new} | below.values
    expanded = flow(columns, values, flows)
    names = [name for tree in output if tree.id == new[0].id for name, _ in types.parts(tree.fields.get("dataType"))]
    if len(new) == 1 and names == ["start", "end"]:
        return Flow(columns, values, expanded.streaming, expanded.watermarks, window=new[0].id)
    return expanded


def selected(expressions: Sequence[Tree], scope: Scope, flows: Sequence[Flow]) -> Flow:
    """A column for each expression, under the expression's name and id."""
    columns = [Column(each.id, each.name) for each in expressions]
    return flow(columns, {each.id: scope.value(each) for each in expressions}, flows)


def _extended(flows: list[Flow], new: Flow) -> Flow:
    below = flows[0]
    return flow([*below.columns, *new.columns], {**below.values, **new.values}, flows)


RULES = {"Project": project, "Window": window, "Generate": generate, "Expand": expand}
