"""Ordinary functions: the result is calculated from every argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import CONDITIONAL, INDIRECT, doubted, origins, transformed
from headwater.capture.spark.plan.values import Value, calculated, changed, part

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope

SPARK = "org.apache.spark."


def function(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A function of its arguments, also one that we do not know: it sees nothing else."""
    if "replacement" in expression.fields and len(values) == 1:
        return values[0]  # a function that Spark defines by others, which are then its only child
    if not expression.children:
        values = [scope.value(tree) for name in expression.fields for tree in expression.trees(name)]
    result = calculated(values)
    if str(expression.fields.get("class", SPARK)).startswith(SPARK):
        return result
    return Value(doubted(result.uses, f"may feed: {expression.kind} is no function of Spark's"))


def masking(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A function whose result does not tell the value it was made from."""
    return calculated(values, masking=True)


def cast(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Another type: each field of a struct becomes the field at the same place."""
    value, type = values[0], expression.fields.get("dataType")
    if type is not None and expression.children[0].fields.get("dataType") == type:
        return value  # views cast every column to the type it has
    target = types.parts(type)
    if target and (value.fields is not None or types.parts(value.type)):
        fields = {name: changed(part(value, n, name), transformed) for n, (name, _) in enumerate(target)}
        return Value(transformed(value.uses), value.also, fields=fields)
    if types.element(type) is not None:
        return changed(value, transformed)
    return Value(transformed(value.uses), value.also, raw=value.raw, record=value.record, texts=value.texts)


def time_of_window(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """The arithmetic of time windows is a CASE on the time itself, which says no more than that it is used."""
    uses = transformed(values[0].uses)
    used = origins(uses)
    own = frozenset(use for use in uses if (use.kind, use.subtype) == (INDIRECT, CONDITIONAL) and use.origin in used)
    return Value(uses - own)


RULES = {
    "Cast": cast,
    "AnsiCast": cast,
    "TryCast": cast,
    "UpCast": cast,
    "PreciseTimestampConversion": time_of_window,
    "AesEncrypt": masking,
    "Crc32": masking,
    "HiveHash": masking,
    "Mask": masking,
    "Md5": masking,
    "Murmur3Hash": masking,
    "CollationAwareMurmur3Hash": masking,
    "CollationAwareXxHash64": masking,
    "Sha1": masking,
    "Sha2": masking,
    "XxHash64": masking,
}
