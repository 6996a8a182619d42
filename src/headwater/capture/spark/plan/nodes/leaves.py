"""Where columns come from: datasets, the batch of a streaming query, and rows that are in the plan itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from headwater.capture.spark.plan.flow import Column, Flow, attributes, flow
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import Origin, doubted
from headwater.capture.spark.plan.values import Value, changed, column

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def leaf(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The columns of a source, or of nothing that has a name."""
    output = node.trees("output")
    number, reading.leaves = reading.leaves, reading.leaves + 1
    columns = attributes(output)
    ids = [each.id for each in columns]
    if reading.source_of(ids) < 0 and (found := _batch(columns, reading)) is not None:
        return found
    if (source := reading.source_of(ids, number)) < 0:
        reading.unnamed.append(node.kind)
        return Flow(columns, {each.id: Value() for each in columns})
    values = {}
    for tree in output:
        origin = Origin(source, tree.name)
        value = column(origin, tree.fields.get("dataType"))
        values[tree.id] = (
            structs.replace(value, raw=frozenset({origin})) if tree.name == reading.sources[source].record else value
        )
    streaming = node.kind.startswith("Streaming") or node.fields.get("isStreaming") is True
    return Flow(columns, values, streaming)


def rows_of_the_plan(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """Constants, which come from no dataset."""
    found = _batch(columns := attributes(node.trees("output")), reading)
    return found or Flow(columns, {each.id: Value() for each in columns})


def shared(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A common table expression, kept for those who refer to it."""
    reading.shared[node.fields.get("id")] = flows[0]
    return flows[0]


def reference(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A common table expression by its number, perhaps under new ids; one that refers to itself is not there yet."""
    columns = attributes(node.trees("output"))
    found = reading.shared.get(node.fields.get("cteId", node.fields.get("loopId")))
    if found is None:
        return Flow(columns, {each.id: Value() for each in columns})
    return flow(columns, renamed(columns, found), [found])


def with_shared(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A query after the expressions that it is built on."""
    return flows[-1]


def renamed(columns: list[Column], below: Flow) -> dict[int, Value]:
    """The values of columns that stand in the same order under other ids."""
    return {new.id: below.value(old) for new, old in zip(columns, below.columns, strict=False)}


def _batch(columns: list[Column], reading: Reading) -> Flow | None:
    """The batch of the streaming query that this plan is run by: the same ids, or the same names under new ones."""
    batch = reading.batch
    if batch is None or not columns:
        return None
    if all(each.id in batch.values for each in columns):
        reading.note(batch.everywhere)
        return Flow(columns, {each.id: batch.values[each.id] for each in columns})
    if [each.name for each in columns] != [each.name for each in batch.columns]:
        return None
    reading.note(batch.everywhere)
    doubt = "may feed: taken for the batch because its columns have the same names"
    values = {id: changed(value, lambda uses: doubted(uses, doubt)) for id, value in renamed(columns, batch).items()}
    return Flow(columns, values)


RULES = {
    "DataSourceV2Relation": leaf,
    "DataSourceV2ScanRelation": leaf,
    "HiveTableRelation": leaf,
    "LogicalRelation": leaf,
    "LogicalRDD": leaf,
    "StreamingDataSourceV2Relation": leaf,
    "StreamingDataSourceV2ScanRelation": leaf,
    "StreamingExecutionRelation": leaf,
    "StreamingRelation": leaf,
    "StreamingRelationV2": leaf,
    "ContinuousExecutionRelation": leaf,
    "LocalRelation": rows_of_the_plan,
    "OneRowRelation": rows_of_the_plan,
    "Range": rows_of_the_plan,
    "CTERelationDef": shared,
    "CTERelationRef": reference,
    "UnionLoopRef": reference,
    "WithCTE": with_shared,
}
