"""Functions over a window of rows: PARTITION BY and ORDER BY decide, for that column alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import WINDOW, indirect, transformed
from headwater.capture.spark.plan.values import Value, calculated, changed, noting

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def over(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A function over a window."""
    return noting(changed(values[0], transformed), indirect(values[1].uses, WINDOW))


def place(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A rank: its arguments are the window's order, which decides anyway."""
    return Value()


def shifted(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The value of a row before or after, or a default."""
    return calculated([values[0], values[2]]) if len(values) > 2 else calculated(values)


RULES = {
    "WindowExpression": over,
    "CumeDist": place,
    "DenseRank": place,
    "NTile": place,
    "PercentRank": place,
    "Rank": place,
    "RowNumber": place,
    "Lag": shifted,
    "Lead": shifted,
}
