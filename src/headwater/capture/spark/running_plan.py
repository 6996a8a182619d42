"""The plans of a streaming query as they are in the JVM: what they read and write, and their text."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from msgspec import Struct, structs

from headwater.capture.spark.described import Leaf, Seen
from headwater.capture.spark.found import (
    Asking,
    Found,
    Owner,
    Table,
    function_found,
    leaf_found,
    sink_of,
    source_of,
    stream_sink_found,
)
from headwater.capture.spark.jvm import kind, listed, struct_type, told
from headwater.capture.spark.plan import types

PLAN_SECONDS = 5  # that a query may take to make its plan
# Triggers after which a query ends by itself.
FINITE = ("OneTimeTrigger", "AvailableNowTrigger")
# Plans that a command has inside and does not show.
HIDDEN = {"MergeIntoCommand": ("source", "target")}


class FoundLeaf(Struct, frozen=True):
    """A leaf of a plan: the ids of its columns, what it reads, and its type."""

    columns: tuple[int, ...]
    found: Found
    type: types.Type


class FoundPlan(Struct, frozen=True):
    """What a plan reads and writes, before anything has a name; without a `sink` its rows go to a `function`."""

    leaves: tuple[FoundLeaf, ...]
    sink: Found | None
    type: types.Type
    text: str = "[]"
    function: Asking | None = None

    @property
    def has_pattern(self) -> bool:
        """Whether its topics are only known once they are met."""
        asked = [each.found for each in self.leaves if isinstance(each.found, Asking)]
        return any(name.lower() == "subscribepattern" for each in asked for name in each.options)


def read_query(execution: Any) -> FoundPlan:
    """What a started query reads and writes. The plan's text, which takes longer, is for `read_text`."""
    session = execution.sparkSession()
    plan = execution.analyzedPlan()
    # Only the query's own thread may make its plan, and it does so after it has told of its start.
    with suppress(Exception):  # if it could not make one, that is how the query fails
        execution.awaitInitialization(PLAN_SECONDS * 1000)
    # A query whose plan cannot be made still has a sink.
    root, sink = told(execution, "logicalPlan"), execution.sink()
    function = function_found(root, sink)
    found = None if function else stream_sink_found(root, sink, session)
    # A sink of the older kind does not know the schema of its table.
    own = (told(sink, "schema") if isinstance(found, Table) else None) or plan.schema()
    return FoundPlan(read_leaves(plan, session), found, struct_type(own), function=function)


def read_text(execution: Any) -> str:
    """The plan of a started query with all its expressions, in the form that the plan reader takes."""
    text: str = execution.logicalPlan().toJSON()
    return text


def ends_itself(execution: Any) -> bool:
    """Whether the query is over when it has read what there is."""
    return kind(execution.trigger()) in FINITE


def read_leaves(plan: Any, session: Any) -> tuple[FoundLeaf, ...]:
    """Every leaf that reads a dataset, those of subqueries and of plans inside a command included."""
    leaves: dict[tuple[int, ...], FoundLeaf] = {}
    for leaf in [leaf for each in _inside(plan) for leaf in listed(each.collectLeaves())]:
        columns = tuple(column.exprId().id() for column in listed(leaf.output()))
        if columns in leaves or (found := leaf_found(leaf, session)) is None:
            continue
        leaves[columns] = FoundLeaf(columns, found, struct_type(_schema(leaf)))
    return tuple(leaves.values())


def _schema(leaf: Any) -> Any:
    """All columns of a table, of which the plan may have kept a few; else those of the leaf."""
    table = told(leaf, "table") or told(told(leaf, "relation"), "table")
    # What MERGE puts around a table has no schema of its own on Spark 4.1.
    return told(table, "schema") or told(told(table, "table"), "schema") or leaf.schema()


def named_plan(found: FoundPlan, owner: Owner) -> Seen:
    """The plan with the names that its datasets have."""
    leaves = tuple(Leaf(each.columns, source_of(each.found, owner), each.type) for each in found.leaves)
    sink = sink_of(found.sink, owner) if found.sink else None
    return Seen(found.text, leaves, sink, found.type)


def with_text(found: FoundPlan, text: str) -> FoundPlan:
    """The same plan, with its text."""
    return structs.replace(found, text=text)


def _inside(plan: Any) -> list[Any]:
    found, waiting = [], [plan]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting += listed(each.subqueriesAll())
        waiting += listed(each.innerChildren().toSeq())
        waiting += [getattr(each, part)() for part in HIDDEN.get(kind(each), ())]
    return found
