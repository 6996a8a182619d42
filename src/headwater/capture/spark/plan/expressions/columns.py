"""Columns and constants, and what wraps them without changing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.values import NULL, Value

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def attribute(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A column that a node below has made."""
    return scope.column(expression.id, expression.name)


def outer_reference(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A column of the query around a subquery."""
    return values[0] if values else scope.value(expression.trees("e")[0])


def literal(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A constant, which comes from no column; its text may be the name of a field or of a topic."""
    text = expression.fields.get("value")
    return NULL if text is None else Value(texts=frozenset({str(text)}))


def same(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Another name, or a promise about the value: the value itself."""
    return values[0] if values else NULL


RULES = {
    "AttributeReference": attribute,
    "NamedLambdaVariable": attribute,
    "OuterReference": outer_reference,
    "Literal": literal,
    "Alias": same,
    "AssertNotNull": same,
    "CheckOverflowInTableInsert": same,
    "CheckOverflow": same,
    "KnownFloatingPointNormalized": same,
    "KnownNotNull": same,
    "KnownNullable": same,
    "NormalizeNaNAndZero": same,
    "PromotePrecision": same,
    "SortOrder": same,
    "TempResolvedColumn": same,
}
