"""Writes inside foreachBatch: the plans that Spark executed for a batch, each looked at when it is new."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from headwater.capture.spark.found import Asking, Found, bare_table, catalog_table, leaf_found, needed, table_found
from headwater.capture.spark.jvm import kind, listed, mapped, opened, struct_type, told
from headwater.capture.spark.running_plan import FoundPlan, read_leaves

# The same write is looked at again after this many seconds, and read again only if its plan has changed.
AGAIN_SECONDS = 5.0
MOST_KNOWN = 1_000
# What differs from one batch to the next although the plan is the same: ids of columns, and numbers in options.
PASSING = re.compile(r"#\d+L?|=\s*\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
HEAD = 2_000  # characters of the root of a plan


class Looked:
    """Which writes of a query are known, so that the same plan in every batch costs next to nothing."""

    def __init__(self) -> None:
        self._heads: dict[str, float] = {}
        self._plans: set[str] = set()

    def is_new(self, plan: Any, now: float) -> bool:
        """Whether the plan was not met before; a batch may have several, each of which counts by itself."""
        head = PASSING.sub("", plan.simpleString(HEAD))
        if now - self._heads.get(head, -AGAIN_SECONDS) < AGAIN_SECONDS:
            return False
        self._heads[head] = now
        text = PASSING.sub("", plan.toString())
        if text in self._plans or len(self._plans) >= MOST_KNOWN:
            return False
        self._plans.add(text)
        return True


def is_write(plan: Any) -> bool:
    """Whether a plan that was executed writes somewhere."""
    return kind(plan) in WRITES


def read_write(plan: Any, session: Any) -> FoundPlan | None:
    """What a plan inside a batch reads and writes; None if it writes to nothing that can be told."""
    sink, type = WRITES[kind(plan)](plan, session)
    return FoundPlan(read_leaves(plan, session), sink, type, plan.toJSON()) if sink else None


# -- commands --------------------------------------------------------------------------------------

Written = tuple[Found | None, Any]


def _into_table(plan: Any, session: Any) -> Written:
    relation = plan.table()
    if kind(relation.table()).startswith("Staged"):
        return None, None  # it lies nowhere yet; the command that creates it is heard of too
    return leaf_found(relation, session), struct_type(bare_table(relation.table()).schema())


def _as_select(plan: Any, session: Any) -> Written:
    name = plan.name()
    catalog, identifier = name.catalog(), name.identifier()
    table = catalog.loadTable(identifier)  # only now does it exist, and lie somewhere
    return table_found(table, catalog, identifier, session), struct_type(table.schema())


def _into_files(plan: Any, session: Any) -> Written:
    type = struct_type(plan.query().schema())
    if (table := opened(plan.catalogTable())) is not None:
        return catalog_table(table, session), type
    return Asking(plan.fileFormat().toString().lower(), {"path": plan.outputPath().toString()}), type


def _into_source(plan: Any, session: Any) -> Written:
    source = plan.dataSource()
    format = told(source, "shortName") or kind(source)
    return Asking(format, needed(mapped(plan.options()))), struct_type(plan.query().schema())


def _into_delta(plan: Any, session: Any) -> Written:
    [relation] = listed(plan.target().collectLeaves())
    return leaf_found(relation, session), struct_type(relation.schema())


def _into_older_table(plan: Any, session: Any) -> Written:
    return catalog_table(plan.table(), session), struct_type(plan.query().schema())


WRITES: dict[str, Callable[[Any, Any], Written]] = {
    **dict.fromkeys(
        ("AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic", "ReplaceData", "WriteDelta"), _into_table
    ),
    **dict.fromkeys(("CreateTableAsSelect", "ReplaceTableAsSelect"), _as_select),
    **dict.fromkeys(
        ("CreateDataSourceTableAsSelectCommand", "InsertIntoHiveTable", "CreateHiveTableAsSelectCommand"),
        _into_older_table,
    ),
    **dict.fromkeys(("MergeIntoCommand", "UpdateCommand", "DeleteCommand"), _into_delta),
    "InsertIntoHadoopFsRelationCommand": _into_files,
    "SaveIntoDataSourceCommand": _into_source,
}
