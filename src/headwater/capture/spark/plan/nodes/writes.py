"""The root of a plan that writes: its columns are those of the sink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Column, Flow, attributes, flow
from headwater.capture.spark.plan.tree import Tree

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading


def write(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A command that writes what its query gives, into columns that may have names of their own."""
    query = _query(node, flows, reading)
    return _into(_target(node), query)


def write_stream(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A streaming sink: a table takes columns by name if it has them all, and by their places otherwise."""
    query = _query(node, flows, reading)
    target = _target(node)
    by_name = {each.name.lower(): each.name for each in target}
    if query.columns and all(each.name.lower() in by_name for each in query.columns):
        columns = [Column(each.id, by_name[each.name.lower()]) for each in query.columns]
        return flow(columns, query.values, [query])
    return _into(target, query)


def done(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """A command that has run, in place of its result."""
    inside = node.trees("commandLogicalPlan")
    return inlined(inside[0], reading) if inside else Flow([], {})


def _query(node: Tree, flows: list[Flow], reading: Reading) -> Flow:
    """The query of a command is its child, or written out in it."""
    if flows:
        return flows[0]
    inside = [*node.trees("query"), *node.trees("inputQuery"), *node.trees("plan")]
    return inlined(inside[0], reading) if inside else Flow([], {})


def inlined(tree: Tree, reading: Reading) -> Flow:
    """What flows out of a plan that is written out in a node; what decides about its rows decides about ours."""
    found = reading.inner(tree)
    reading.note(found.everywhere)
    return found


def _target(node: Tree) -> list[Column]:
    tables = [*node.trees("table"), *node.trees("relation")]
    return attributes(tables[0].trees("output")) if tables else []


def _into(target: list[Column], query: Flow) -> Flow:
    if len(target) != len(query.columns):
        return query
    columns = [Column(from_.id, to.name) for from_, to in zip(query.columns, target, strict=True)]
    return flow(columns, query.values, [query])


RULES = {
    "CommandResult": done,
    **dict.fromkeys(
        (
            "AppendData",
            "OverwriteByExpression",
            "OverwritePartitionsDynamic",
            "CreateTableAsSelect",
            "ReplaceTableAsSelect",
            "CreateDataSourceTableAsSelectCommand",
            "CreateHiveTableAsSelectCommand",
            "OptimizedCreateHiveTableAsSelectCommand",
            "InsertIntoDataSourceCommand",
            "InsertIntoDataSourceDirCommand",
            "InsertIntoHadoopFsRelationCommand",
            "InsertIntoHiveDirCommand",
            "InsertIntoHiveTable",
            "InsertIntoStatement",
            "SaveIntoDataSourceCommand",
            "SaveAsV1TableCommand",
        ),
        write,
    ),
    **dict.fromkeys(
        (
            "WriteToContinuousDataSource",
            "WriteToDataSourceV2",
            "WriteToMicroBatchDataSource",
            "WriteToMicroBatchDataSourceV1",
            "WriteToStream",
        ),
        write_stream,
    ),
}
