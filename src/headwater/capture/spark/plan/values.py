"""What is known of a value inside a plan: the columns it is made of, and the same of each of its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.uses import NONE, Origin, Use, Uses, moved, transformed, union

# A struct in a struct in a struct …: below this, parts are no longer told apart.
DEEPEST = 20


class Value(Struct, frozen=True, eq=False):
    """A value: `uses` is what all of it is made of, the rest lets its parts be told apart.

    `also` is what decides about every part. With a `type`, a field of the value is that field of each column used
    directly. `raw` are columns whose bytes are a record of their source; `record` is what was encoded in the value.
    """

    uses: Uses = NONE
    also: Uses = NONE
    type: types.Type = None
    fields: dict[str, Value] | None = None
    element: Value | None = None
    raw: frozenset[Origin] = frozenset()
    decoded: bool = False
    record: Value | None = None
    texts: frozenset[str] | None = None


NULL = Value(texts=frozenset())


def column(origin: Origin, type: types.Type = None) -> Value:
    """A column of a source, unchanged."""
    return Value(frozenset({Use(origin)}), type=type if types.is_nested(type) else None)


def struct(fields: dict[str, Value]) -> Value:
    """A struct of values."""
    return Value(transformed(union(field.uses for field in fields.values())), fields=fields)


def array(element: Value) -> Value:
    """An array, or the values of a map, all alike."""
    return Value(transformed(element.uses), element=element)


def calculated(values: Sequence[Value], masking: bool = False) -> Value:
    """The result of a function of values."""
    return Value(transformed(union(value.uses for value in values), masking))


def noting(value: Value, uses: Uses) -> Value:
    """The value, with something more that decides about it and all its parts."""
    return structs.replace(value, uses=value.uses | uses, also=value.also | uses) if uses else value


def parts(value: Value) -> list[tuple[str, Value]]:
    """The fields of a value that is a struct, as far as they are known."""
    if value.fields is not None:
        return [(name, noting(field, value.also)) for name, field in value.fields.items()]
    return [(name, part(value, n, name)) for n, (name, _) in enumerate(types.parts(value.type))]


def part(value: Value, ordinal: int, name: str = "") -> Value:
    """A field of a struct, by its number; the name is needed where nothing is known of the struct's type."""
    if value.fields is not None:
        fields = list(value.fields.values())
        found = fields[ordinal] if 0 <= ordinal < len(fields) else value.fields.get(name)
        return noting(found, value.also) if found else Value(value.uses)
    if value.decoded and value.raw and name:
        return noting(field_of(value.raw, name), value.also)
    known = types.parts(value.type)
    if not 0 <= ordinal < len(known):
        return Value(value.uses, value.also)
    name, type = known[ordinal]
    uses = moved(value.uses, lambda origin: Origin(origin.source, within(origin.path, name)))
    return Value(uses, value.also, type if types.is_nested(type) else None)


def named_part(value: Value, path: Sequence[str]) -> Value:
    """A field of a struct in a struct, by its names."""
    for depth, name in enumerate(path):
        names = [each for each, _ in parts(value)]
        if not names and value.raw:
            return noting(field_of(value.raw, ".".join(path[depth:])), value.also)
        value = part(value, names.index(name) if name in names else -1, name)
    return value


def element(value: Value) -> Value:
    """An element of an array, or a value of a map."""
    if value.element is not None:
        return noting(value.element, value.also)
    type = types.element(value.type)
    return Value(value.uses, value.also, type if types.is_nested(type) else None, raw=value.raw, decoded=value.decoded)


def changed(value: Value, change: Callable[[Uses], Uses], depth: int = 0) -> Value:
    """The value with other uses, part by part."""
    if depth > DEEPEST:
        return Value(change(value.uses), value.also)
    fields = value.fields and {name: changed(each, change, depth + 1) for name, each in value.fields.items()}
    inner = value.element and changed(value.element, change, depth + 1)
    return Value(change(value.uses), value.also, value.type, fields, inner)


def either(values: Sequence[Value], depth: int = 0) -> Value:
    """One of several values of the same type; a null tells nothing."""
    values = [value for value in values if value.texts != NULL.texts]
    if len(values) <= 1:
        return values[0] if values else NULL
    first = values[0]
    uses, also = union(value.uses for value in values), union(value.also for value in values)
    if depth > DEEPEST:
        return Value(uses, also)
    fields, inner = None, None
    if any(value.fields is not None for value in values):
        names = [name for name, _ in parts(next(value for value in values if value.fields is not None))]
        fields = {name: either([part(v, n, name) for v in values], depth + 1) for n, name in enumerate(names)}
    elif any(value.element is not None for value in values):
        inner = either([element(value) for value in values], depth + 1)
    same = all(value.type == first.type and value.fields is None and value.element is None for value in values)
    told = [value.texts for value in values if value.texts is not None]
    return Value(
        uses,
        also,
        first.type if same else None,
        fields,
        inner,
        raw=frozenset().union(*(value.raw for value in values)) if all(value.raw for value in values) else frozenset(),
        decoded=all(value.decoded for value in values),
        record=_either_record(values, depth),
        texts=frozenset().union(*told) if len(told) == len(values) else None,
    )


def field_of(raw: frozenset[Origin], path: str, type: types.Type = None) -> Value:
    """A field of the records that are in these columns."""
    return either([column(Origin(origin.source, path), type) for origin in sorted(raw)])


def within(path: str, name: str) -> str:
    """The path of a field in what has that path."""
    return f"{path}.{name}" if path else name


def _either_record(values: Sequence[Value], depth: int) -> Value | None:
    """Records that were encoded may have different fields: together they have them all."""
    records = [noting(value.record, value.also) for value in values if value.record is not None]
    if not records:
        return None
    fields: dict[str, list[Value]] = {}
    for record in records:
        for name, field in parts(record):
            fields.setdefault(name, []).append(field)
    return struct({name: either(choices, depth + 1) for name, choices in fields.items()})
