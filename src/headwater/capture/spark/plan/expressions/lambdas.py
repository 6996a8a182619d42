"""Functions that take a function: `transform(items, i -> i.price)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import CONDITIONAL, indirect, transformed
from headwater.capture.spark.plan.values import Value, array, calculated, changed, either, element, noting

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def following(expression: Tree, before: list[Value]) -> Tree:
    """The child to read next: in order, but what a WITH defines before what it is defined for, which stands first."""
    return expression.children[-1 - len(before) if expression.kind == "With" else len(before)]


def bind(expression: Tree, child: Tree, before: list[Value], scope: Scope) -> None:
    """Say what names inside a child stand for, before it is read."""
    if child.kind == "LambdaFunction":
        given = _arguments(expression, before)
        for number, variable in enumerate(child.trees("arguments")):
            # The second variable of transform and filter is the index, which tells nothing of the elements.
            scope.variables[variable.id] = given[number] if number < len(given) else Value()
    elif expression.kind == "With" and len(before) == len(expression.children) - 1:
        scope.common.append(either(before))


def _arguments(expression: Tree, before: list[Value]) -> list[Value]:
    """What a lambda is called with: elements of what the function is given."""
    elements = [element(value) for value in before]
    if expression.kind == "ArrayAggregate":
        return [before[1], elements[0]] if len(before) == 2 else before[-1:]
    if expression.kind == "ArraySort":
        return [*elements[:1], *elements[:1]]
    if expression.kind in ("TransformKeys", "TransformValues", "MapFilter"):
        return [calculated(before[:1]), *elements[:1]]
    if expression.kind == "MapZipWith":
        return [calculated(before), *elements]
    return elements


def common(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """What a WITH defines; the plan does not say which, if it defines several."""
    return scope.common[-1] if scope.common else Value()


def with_common(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """An expression with parts that are named because they are used twice."""
    scope.common.pop()
    return values[-1]


def body(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A lambda gives what its body gives; a name stands for what it was given to."""
    return values[0]


def each_transformed(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """An array or a map of what the lambda gives."""
    return array(values[-1])


def each_chosen(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The elements that the lambda wants."""
    kept = Value(transformed(values[0].uses), values[0].also, element=changed(element(values[0]), transformed))
    return noting(kept, indirect(values[1].uses, CONDITIONAL))


def folded(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """One value of all elements."""
    return either([values[1], *values[2:]]) if len(values) > 1 else calculated(values)


RULES = {
    "LambdaFunction": body,
    "With": with_common,
    "CommonExpressionDef": body,
    "CommonExpressionRef": common,
    "ArrayTransform": each_transformed,
    "TransformValues": each_transformed,
    "ZipWith": each_transformed,
    "MapZipWith": each_transformed,
    "ArrayFilter": each_chosen,
    "MapFilter": each_chosen,
    "ArraySort": each_chosen,
    "ArrayAggregate": folded,
}
