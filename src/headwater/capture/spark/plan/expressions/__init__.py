"""The rules for expressions, by class; what is not listed is a function of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headwater.capture.spark.plan.expressions import (
    aggregates,
    arrays,
    codecs,
    columns,
    conditions,
    functions,
    lambdas,
    structs,
    subqueries,
    windows,
)
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.values import Value

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope

Rule = Callable[[Tree, list[Value], "Scope"], Value]

RULES: dict[str, Rule] = {
    **columns.RULES,
    **functions.RULES,
    **conditions.RULES,
    **structs.RULES,
    **arrays.RULES,
    **lambdas.RULES,
    **codecs.RULES,
    **aggregates.RULES,
    **windows.RULES,
    **subqueries.RULES,
}
