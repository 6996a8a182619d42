"""Types as Spark writes them in JSON, and Avro schemas in the same form: what a struct's fields are called."""

from collections.abc import Callable
from typing import Any

import msgspec

Type = Any  # a JSON value: "string", or {"type": "struct", "fields": [...]}
DEEPEST = 30


def parts(type: Type) -> list[tuple[str, Type]]:
    """The fields of a struct; empty for anything else."""
    type = _plain(type)
    if not isinstance(type, dict) or type.get("type") != "struct" or not isinstance(type.get("fields"), list):
        return []
    return [(str(each.get("name")), each.get("type")) for each in type["fields"] if isinstance(each, dict)]


def element(type: Type) -> Type:
    """The type of an array's elements or a map's values; None for anything else."""
    type = _plain(type)
    return type.get("elementType", type.get("valueType")) if isinstance(type, dict) else None


def is_nested(type: Type) -> bool:
    """Whether there is something inside."""
    return bool(parts(type)) or element(type) is not None


def _plain(type: Type) -> Type:
    return type["sqlType"] if isinstance(type, dict) and type.get("type") == "udt" and "sqlType" in type else type


# -- Avro ------------------------------------------------------------------------------------------


def avro_type(schema: Any) -> Type:
    """The type that Spark decodes an Avro schema to; None if the text is no schema."""
    try:
        return _from_avro(msgspec.json.decode(schema), {}, 0)
    except (msgspec.DecodeError, RecursionError, TypeError):
        return None


def _from_avro(schema: Any, named: dict[str, Any], depth: int) -> Type:
    if depth > DEEPEST:
        return None
    if isinstance(schema, list):
        return _union([each for each in schema if each != "null"], named, depth)
    if isinstance(schema, str):
        return _from_avro(named[schema], named, depth + 1) if schema in named else schema
    if not isinstance(schema, dict):
        return None
    read = _COMPOUND.get(schema.get("type"), _simple) if isinstance(schema.get("type"), str) else _simple
    return read(schema, named, depth + 1)


def _record(schema: dict[str, Any], named: dict[str, Any], depth: int) -> Type:
    named[str(schema.get("name"))] = schema
    named[f"{schema.get('namespace')}.{schema.get('name')}"] = schema
    fields = [each for each in schema.get("fields") or [] if isinstance(each, dict)]
    return struct([(str(each.get("name")), _from_avro(each.get("type"), named, depth)) for each in fields])


def _array(schema: dict[str, Any], named: dict[str, Any], depth: int) -> Type:
    return {"type": "array", "elementType": _from_avro(schema.get("items"), named, depth)}


def _map(schema: dict[str, Any], named: dict[str, Any], depth: int) -> Type:
    return {"type": "map", "keyType": "string", "valueType": _from_avro(schema.get("values"), named, depth)}


def _simple(schema: dict[str, Any], named: dict[str, Any], depth: int) -> Type:
    inner = schema.get("type")
    if schema.get("logicalType") == "decimal":
        return f"decimal({schema.get('precision')},{schema.get('scale', 0)})"
    if (meant := _LOGICAL.get(schema.get("logicalType"))) is not None:
        return meant
    return _from_avro(inner, named, depth) if isinstance(inner, dict | list) else inner


def _union(choices: list[Any], named: dict[str, Any], depth: int) -> Type:
    """One choice is that choice; of several, Spark makes a struct of members, but a number wide enough of numbers."""
    if len(choices) <= 1:
        return _from_avro(choices[0], named, depth + 1) if choices else None
    if all(isinstance(each, str) and each in ("int", "long", "float", "double") for each in choices):
        return choices[-1]
    return struct([(f"member{n}", _from_avro(each, named, depth + 1)) for n, each in enumerate(choices)])


def struct(fields: list[tuple[str, Type]]) -> Type:
    """A struct of these fields."""
    return {"type": "struct", "fields": [{"name": name, "type": type} for name, type in fields]}


_LOGICAL: dict[Any, str] = {
    "date": "date",
    "timestamp-millis": "timestamp",
    "timestamp-micros": "timestamp",
    "local-timestamp-millis": "timestamp_ntz",
    "local-timestamp-micros": "timestamp_ntz",
}
_COMPOUND: dict[Any, Callable[[dict[str, Any], dict[str, Any], int], Type]] = {
    "record": _record,
    "array": _array,
    "map": _map,
}
