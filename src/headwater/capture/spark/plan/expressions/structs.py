"""Structs: made, taken apart, and made again with other fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.values import Value, array, calculated, element, part, parts, struct

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def named_struct(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Names, which are constants, and values by turns."""
    fields: dict[str, Value] = {}
    for name, value in zip(values[::2], values[1::2], strict=False):
        fields[next(iter(name.texts or {f"col{len(fields) + 1}"}))] = value
    return struct(fields)


def field(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A field of a struct."""
    return part(values[0], *_which(expression))


def field_of_elements(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The same field of each struct in an array."""
    name = expression.fields.get("field")
    ordinal, _ = _which(expression)
    found = part(element(values[0]), ordinal, str(name.get("name")) if isinstance(name, dict) else "")
    return Value(found.uses, found.also, element=found)


def update_fields(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A struct with fields replaced, added or dropped, one after the other."""
    fields = dict(parts(values[0]))
    if not fields:
        return calculated(values)
    for change, value in zip(expression.children[1:], values[1:], strict=True):
        if change.kind == "DropField":
            fields.pop(change.name, None)
        else:
            fields[change.name] = value
    return struct(fields)


def with_field(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The value of a field to replace."""
    return values[0] if values else Value()


def zipped(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Arrays side by side, as an array of structs."""
    names = [name.texts for name in scope.values(expression.trees("names"))]
    named = [next(iter(texts)) if texts else str(n) for n, texts in enumerate(names)]
    columns = values[: len(values) - len(named)] if len(values) > len(named) else values
    named += [str(n) for n in range(len(named), len(columns))]
    return array(struct(dict(zip(named, map(element, columns), strict=False))))


def _which(expression: Tree) -> tuple[int, str]:
    """The number of a field, and its name, which Spark leaves out where it is the same as the type's."""
    ordinal = expression.fields.get("ordinal")
    number = ordinal if isinstance(ordinal, int) else -1
    name = expression.fields.get("name")
    if isinstance(name, str):
        return number, name
    known = types.parts(expression.children[0].fields.get("dataType")) if expression.children else []
    return number, known[number][0] if 0 <= number < len(known) else ""


RULES = {
    "CreateNamedStruct": named_struct,
    "GetStructField": field,
    "GetArrayStructFields": field_of_elements,
    "UpdateFields": update_fields,
    "WithField": with_field,
    "ArraysZip": zipped,
}
