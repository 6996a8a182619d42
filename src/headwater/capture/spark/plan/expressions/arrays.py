"""Arrays and maps: the element is told apart from the place it is taken from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import CONDITIONAL, indirect, transformed, union
from headwater.capture.spark.plan.values import Value, array, calculated, changed, either, element, noting, part, struct

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


def item(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """One element, or the value of a key: the index and the key only choose."""
    return noting(changed(element(values[0]), transformed), indirect(values[1].uses, CONDITIONAL))


def create_array(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """An array of values."""
    return array(either(values))


def create_map(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Keys and values by turns; the keys are part of the map, but of none of its values."""
    made = array(either(values[1::2]))
    return Value(made.uses | transformed(union(key.uses for key in values[::2])), element=made.element)


def rearranged(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Elements of arrays, some of them or in another order."""
    inner = changed(either([element(value) for value in values[:1]]), transformed)
    return Value(calculated(values).uses, element=inner)


def joined(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Elements of several arrays together."""
    inner = changed(either([element(value) for value in values]), transformed)
    return Value(calculated(values).uses, element=inner)


def flattened(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Arrays in an array as one array."""
    return Value(calculated(values).uses, element=changed(element(element(values[0])), transformed))


def entries(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A map as an array of its keys and values."""
    key = Value(transformed(values[0].uses))
    return array(struct({"key": key, "value": changed(element(values[0]), transformed)}))


# -- arrays that become rows -----------------------------------------------------------------------


def exploded(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A struct of the columns that come out: a number if it counts, then the element, or key and value of a map."""
    uses = transformed(values[0].uses)
    inner = changed(element(values[0]), transformed)
    counted = {"pos": Value(uses)} if expression.kind == "PosExplode" else {}
    return struct({**counted, "key": Value(uses), "value": inner})


def inlined(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The fields of the structs in an array."""
    return changed(element(values[0]), transformed)


def stacked(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Values cut into rows of equal length: a column is any of the values at its place."""
    rows = int(next(iter(values[0].texts or {"1"})))
    width = -(-(len(values) - 1) // max(rows, 1))
    columns = [either(values[1 + n :: width]) for n in range(width)]
    return struct({str(n): changed(column, transformed) for n, column in enumerate(columns)})


def nth(generated: Value, ordinal: int, count: int) -> Value:
    """The column at a place of what was generated, of which there are so many."""
    if generated.fields is not None and set(generated.fields) >= {"key", "value"} and count < len(generated.fields):
        names = [name for name in generated.fields if name != "key"]  # an array has no keys
        return part(generated, list(generated.fields).index(names[ordinal]))
    return part(generated, ordinal)


RULES = {
    "GetArrayItem": item,
    "GetMapValue": item,
    "ElementAt": item,
    "TryElementAt": item,
    "CreateArray": create_array,
    "CreateMap": create_map,
    "MapFromArrays": joined,
    "MapFromEntries": rearranged,
    "MapConcat": joined,
    "MapEntries": entries,
    "MapValues": rearranged,
    "ArrayCompact": rearranged,
    "ArrayDistinct": rearranged,
    "ArrayExcept": rearranged,
    "ArrayIntersect": joined,
    "ArrayRemove": rearranged,
    "ArrayRepeat": create_array,
    "ArrayUnion": joined,
    "Flatten": flattened,
    "Reverse": rearranged,
    "Shuffle": rearranged,
    "Slice": rearranged,
    "SortArray": rearranged,
    "Explode": exploded,
    "PosExplode": exploded,
    "Inline": inlined,
    "Stack": stacked,
}
