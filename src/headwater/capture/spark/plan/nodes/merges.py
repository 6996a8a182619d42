"""MERGE, UPDATE and DELETE: rows of a table written anew, some of them changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.expressions.conditions import chosen
from headwater.capture.spark.plan.flow import Column, Flow, attributes, flow
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import DIRECT, FILTER, IDENTITY, Use, Uses, indirect
from headwater.capture.spark.plan.values import NULL, Value, changed, either

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading

# What happens to rows of the table that have a match and that have none, and to rows that are new to it.
KEPT = ("matchedInstructions", "notMatchedBySourceInstructions")
NEW = ("notMatchedInstructions",)
MARK = "__row_from_target"  # the column behind those of the table


def merge_rows(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Each case of a MERGE gives a row; which case it is, the join has decided, and the conditions within it."""
    columns = attributes(node.trees("output"))
    own = _own(columns, flows[0])
    rows: list[list[Value]] = []
    for case in (*KEPT, *NEW):
        conditions, results = [], []
        for instruction in node.trees(case):
            values = reading.scope(*flows).values(instruction.children)
            if instruction.kind.endswith("Discard"):
                reading.note(indirect(values[0].uses, FILTER))
                continue
            conditions.append(values[0])
            results.append(values[-len(columns) :])  # of a row out and a row in, the row in
        if results and case in KEPT:
            results.append(own)  # a row that no instruction is about stays as it is
        if results:
            rows.append([chosen(conditions, list(choices)) for choices in zip(*results, strict=False)])
    return flow(columns, {each.id: either(choices) for each, *choices in zip(columns, *rows, strict=False)}, flows)


def _own(columns: list[Column], joined: Flow) -> list[Value]:
    """What the table itself has in these columns."""
    names = [each.name for each in joined.columns]
    table = joined.columns[: names.index(MARK)] if MARK in names else []
    values = {each.name: joined.value(each) for each in table}
    return [values.get(each.name, NULL) for each in columns]


def replace_data(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Only the table's own columns are written, and a value that stays in its place is no lineage."""
    query, table = flows[0], node.trees("table")
    by_name = {each.name: each for each in query.columns}
    target = [by_name[each.name] for each in attributes(table[0].trees("output")) if each.name in by_name]
    own = reading.source_of([each.id for each in attributes(table[0].trees("output"))])
    return flow(target, {each.id: without_staying(query.value(each), own, each.name) for each in target}, flows)


def without_staying(value: Value, source: int, name: str) -> Value:
    """A value without the column's own of before."""

    def leave_out(uses: Uses) -> Uses:
        return frozenset(use for use in uses if not _stays(use, source, name))

    return changed(value, leave_out)


def _stays(use: Use, source: int, name: str) -> bool:
    here = use.origin.source == source and f"{use.origin.path}.".startswith(f"{name}.")
    return here and (use.kind, use.subtype) == (DIRECT, IDENTITY)


RULES = {"MergeRows": merge_rows, "ReplaceData": replace_data, "WriteDelta": replace_data}
