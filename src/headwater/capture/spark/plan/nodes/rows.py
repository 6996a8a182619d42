"""Which rows there are, and in which order: what decides touches every column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from headwater.capture.spark.plan.flow import Flow, Source
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import FILTER, SORT, Origin, Uses, indirect, moved, transformed
from headwater.capture.spark.plan.values import Value, changed, struct

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def same(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Another name, or how rows are spread over machines: the same rows."""
    return flows[0]


def keep(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """WHERE, and HAVING, which Spark makes a filter over an aggregate."""
    below = _narrowed(node, _with_window(node, flows[0], reading), reading)
    reading.note(indirect(reading.scope(below).uses(node.trees("condition")), FILTER))
    return below


def sort(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """ORDER BY; rows sorted within partitions only are sorted for the machine's sake."""
    if node.fields.get("global") is not False:
        reading.note(indirect(reading.scope(*flows).uses(node.trees("order")), SORT))
    return flows[0]


def watermark(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Rows that come late by this time are dropped, but only where something above keeps state."""
    uses = reading.scope(*flows).uses(node.trees("eventTime"))
    return structs.replace(flows[0], watermarks=flows[0].watermarks | uses)


def drop_late(flow: Flow, reading: Reading) -> None:
    """Something keeps state: the watermarks below now decide which rows count."""
    if flow.streaming:
        reading.note(indirect(flow.watermarks, FILTER))


def _with_window(node: Tree, below: Flow, reading: Reading) -> Flow:
    """A sliding window's time is what the filter right above it reads: Spark makes the two together."""
    if below.window < 0:
        return below
    known = Flow(below.columns, {**below.values, below.window: Value()})
    time = Value(transformed(reading.scope(known).uses(node.trees("condition"))))
    values = {**below.values, below.window: struct({"start": time, "end": time})}
    return structs.replace(below, values=values, window=-1)


def _narrowed(node: Tree, below: Flow, reading: Reading) -> Flow:
    """A filter on the name of a topic says which of a source's topics the columns come from."""
    for equal in _conjuncts(node.trees("condition")):
        if equal.kind != "EqualTo":
            continue
        sides = reading.scope(below).values(equal.children)
        name = next((text for side in sides for text in side.texts or ()), "")
        used = [use.origin for side in sides for use in side.uses if use.origin.path == "topic"]
        if used and (source := _one_of(reading, used[0].source, name)) >= 0:
            old = used[0].source
            return structs.replace(below, values={id: _of(value, old, source) for id, value in below.values.items()})
    return below


def _conjuncts(trees: list[Tree]) -> list[Tree]:
    found: list[Tree] = []
    waiting = list(trees)
    while waiting:
        tree = waiting.pop()
        if tree.kind == "And":
            waiting += tree.children
        else:
            found.append(tree)
    return found


def _one_of(reading: Reading, number: int, name: str) -> int:
    source = reading.sources[number]
    narrow = tuple(dataset for dataset in source.datasets if dataset.name == name)
    if not source.record or len(narrow) != 1 or len(source.datasets) == 1:
        return -1
    reading.sources.append(Source(narrow, record=source.record))
    return len(reading.sources) - 1


def _of(value: Value, old: int, new: int) -> Value:
    def move(uses: Uses) -> Uses:
        return moved(uses, lambda origin: Origin(new, origin.path) if origin.source == old else origin)

    raw = frozenset(Origin(new if origin.source == old else origin.source, origin.path) for origin in value.raw)
    return structs.replace(changed(value, move), raw=raw, decoded=value.decoded)


RULES = {
    "Filter": keep,
    "Sort": sort,
    "EventTimeWatermark": watermark,
    **dict.fromkeys(
        (
            "SubqueryAlias",
            "View",
            "Subquery",
            "ReturnAnswer",
            "ResolvedHint",
            "UnresolvedHint",
            "CollectMetrics",
            "GlobalLimit",
            "LocalLimit",
            "LimitAll",
            "Offset",
            "Tail",
            "Sample",
            "Repartition",
            "RepartitionByExpression",
            "RebalancePartitions",
            "WithWindowDefinition",
            "UpdateEventTimeWatermarkColumn",
            "ResolvedInlineTable",
        ),
        same,
    ),
}
