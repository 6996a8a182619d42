"""MERGE, UPDATE and DELETE of Delta Lake: commands that keep the plans which they read inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.expressions.conditions import chosen
from headwater.capture.spark.plan.flow import Flow, flow
from headwater.capture.spark.plan.nodes.merges import without_staying
from headwater.capture.spark.plan.nodes.writes import inlined
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import FILTER, JOIN, indirect
from headwater.capture.spark.plan.values import Value, either

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading

# What happens to rows of the table that have a match and that have none, and to rows that are new to it.
KEPT = ("matchedClauses", "notMatchedBySourceClauses")
NEW = ("notMatchedClauses",)
SET = "DeltaMergeAction"  # the new value of a column; there is one for each column of the table, in their order


def merge(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Each clause gives a row; which one it is, the match has decided, and the clause's own condition."""
    source, target = (inlined(node.trees(name)[0], reading) for name in ("source", "target"))
    scope = reading.scope(target, source)
    reading.note(indirect(scope.uses(node.trees("condition")), JOIN))
    own = [target.value(each) for each in target.columns]
    rows: list[list[Value]] = []
    for case in (*KEPT, *NEW):
        conditions, results = [], []
        for clause in node.trees(case):
            sets = [child for child in clause.children if child.kind == SET]
            decides = scope.values([child for child in clause.children if child.kind != SET])
            if not sets:  # it deletes
                reading.note(indirect(scope.uses(clause.children), FILTER))
                continue
            conditions += decides
            results.append(scope.values([child.children[0] for child in sets]))
        if results and case in KEPT:
            results.append(own)  # a row that no clause is about stays as it is
        if results:
            rows.append([chosen(conditions, list(choices)) for choices in zip(*results, strict=False)])
    return _written(target, [either(choices) for choices in zip(*rows, strict=False)], reading)


def update(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The rows that a condition names get new values, one for each column of the table."""
    target = inlined(node.trees("target")[0], reading)
    scope = reading.scope(target)
    conditions = scope.values(node.trees("condition"))
    pairs = zip(scope.values(node.trees("updateExpressions")), target.columns, strict=False)
    return _written(target, [chosen(conditions, [new, target.value(column)]) for new, column in pairs], reading)


def delete(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A condition decides which rows stay, and they stay as they are."""
    target = inlined(node.trees("target")[0], reading)
    reading.note(indirect(reading.scope(target).uses(node.trees("condition")), FILTER))
    return _written(target, [], reading)


def _written(target: Flow, values: list[Value], reading: Reading) -> Flow:
    """The columns of the table with what is new in them."""
    own = reading.source_of([each.id for each in target.columns])
    made = zip(target.columns, values, strict=False)
    return flow(target.columns, {each.id: without_staying(value, own, each.name) for each, value in made})


RULES = {"MergeIntoCommand": merge, "UpdateCommand": update, "DeleteCommand": delete}
