"""One value of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import CONDITIONAL, DIRECT, FILTER, aggregated, indirect, union
from headwater.capture.spark.plan.values import Value, array, calculated, changed, noting

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def aggregate(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """An aggregate with its filter. One that reads no column, such as count(*), depends on its group alone."""
    made = changed(values[0], aggregated)
    if not any(use.kind == DIRECT for use in made.uses):
        made = noting(made, scope.group)
    return noting(made, indirect(union(value.uses for value in values[1:]), FILTER))


def kept(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """One of the rows' values, as it is: the first, the greatest."""
    return values[0]


def kept_by(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The value of the row that another column chooses."""
    return noting(values[0], indirect(values[1].uses, CONDITIONAL))


def collected(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """All values in an array."""
    return array(values[0])


def counted(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """How many rows have values, which tells none of them."""
    return calculated(values, masking=True)


def pivoted(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A value for each of several values of another column."""
    return noting(array(values[1]), indirect(values[0].uses, CONDITIONAL))


RULES = {
    "AggregateExpression": aggregate,
    "First": kept,
    "Last": kept,
    "AnyValue": kept,
    "Max": kept,
    "Min": kept,
    "Mode": kept,
    "MaxBy": kept_by,
    "MinBy": kept_by,
    "CollectList": collected,
    "CollectSet": collected,
    "Count": counted,
    "PivotFirst": pivoted,
}
