"""Choices: what is chosen is part of the value, what chooses is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import CONDITIONAL, IDENTITY, Uses, indirect, origins, union
from headwater.capture.spark.plan.values import NULL, Value, either, noting

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def case_when(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """CASE: conditions and results by turns, and the result for everything else."""
    pairs = len(values) // 2
    otherwise = values[-1] if len(values) % 2 else NULL
    return chosen([values[2 * n] for n in range(pairs)], [*(values[2 * n + 1] for n in range(pairs)), otherwise])


def if_else(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """IF: a condition and two results."""
    return chosen(values[:1], values[1:])


def coalesce(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The first that is not null: each but the last chooses by being there."""
    told = [value for value in values if value.texts != NULL.texts]
    if len({origins(value.uses) for value in told}) == 1:
        return either(told)  # one column, read in several ways
    return chosen(told[:-1], told)


def chosen(conditions: Sequence[Value], results: Sequence[Value]) -> Value:
    """One of the results, by the conditions; which of two that are the same says nothing."""
    result = either(results)
    if len(results) > 1 and all(_same(each, results[0]) for each in results):
        return result
    return noting(result, _deciding(conditions, result))


def _deciding(conditions: Sequence[Value], result: Value) -> Uses:
    """What the conditions read, but for the bytes that tell how those same bytes are to be decoded."""
    uses = indirect(union(condition.uses for condition in conditions), CONDITIONAL)
    if result.decoded:
        return frozenset(use for use in uses if use.origin not in result.raw)
    return uses


def _same(one: Value, other: Value) -> bool:
    """Whether two values are the same column; that they are made of the same columns is not enough."""
    unchanged = all(use.subtype == IDENTITY for use in one.uses)
    return one is other or bool(one.uses and unchanged and one.uses == other.uses)


RULES = {"CaseWhen": case_when, "If": if_else, "Coalesce": coalesce, "NaNvl": coalesce}
