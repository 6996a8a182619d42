"""Plans inside expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import CONDITIONAL, indirect, transformed
from headwater.capture.spark.plan.values import Value, noting

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def scalar(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The one value of a subquery; what decides about its rows decides about the value."""
    found = scope.subquery(expression.trees("plan")[0])
    value = found.value(found.columns[0]) if found.columns else Value()
    return noting(value, found.everywhere)


def listed(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The rows to look a value up in."""
    found = scope.subquery(expression.trees("plan")[0])
    return Value(transformed(found.uses) | found.everywhere)


def exists(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Whether there are rows: what they hold is of no account, only what decides about them."""
    found = scope.subquery(expression.trees("plan")[0])
    return Value(indirect(found.everywhere, CONDITIONAL))


RULES = {"ScalarSubquery": scalar, "ListQuery": listed, "Exists": exists}
