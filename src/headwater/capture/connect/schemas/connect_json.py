"""Connect's own JSON: a record that carries its schema, or one whose fields are seen in the record itself."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.capture.connect.schemas.budget import Budget
from headwater.capture.connect.schemas.record import (
    DEEPEST,
    ELEMENT,
    MAP_KEY,
    MAP_VALUE,
    BadSchema,
    Field,
    RecordSchema,
    primitive,
)
from headwater.capture.connect.schemas.semantic import semantic

TYPES = {
    "boolean": "boolean",
    "bytes": "bytes",
    "double": "double",
    "float": "float",
    "float32": "float",
    "float64": "double",
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "long",
    "string": "string",
}


def parse(text: str) -> RecordSchema:
    """The fields of a record, from one record: what its schema says, else what it has in it."""
    try:
        record = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadSchema(f"the record is not JSON: {error}") from error
    if isinstance(record, dict) and set(record) == {"schema", "payload"}:
        if record["schema"] is None:
            return _seen(record["payload"])
        field = _field("", record["schema"], Budget(), 0)
        return RecordSchema(field.fields) if field.type == "struct" else RecordSchema((field,))
    return _seen(record)


def _field(name: str, schema: Any, budget: Budget, depth: int) -> Field:
    budget.spend()
    if not isinstance(schema, dict) or not isinstance(schema.get("type"), str):
        raise BadSchema(f"the schema of the field {name!r} has no type")
    if depth > DEEPEST:
        return Field(name, schema["type"])
    kind: str = schema["type"]
    doc = schema.get("doc")
    description = doc if isinstance(doc, str) else ""
    plain = semantic(schema.get("name"), schema.get("parameters"), TYPES.get(kind, kind))
    if kind == "struct":
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise BadSchema(f"the struct {name!r} has no list of fields")
        inner = tuple(_field(_name(each, name), each, budget, depth + 1) for each in fields)
        return Field(name, plain, description, inner)
    if kind == "array":
        return Field(name, "array", description, (_field(ELEMENT, schema.get("items"), budget, depth + 1),))
    if kind == "map":
        keys = _field(MAP_KEY, schema.get("keys"), budget, depth + 1)
        return Field(name, "map", description, (keys, _field(MAP_VALUE, schema.get("values"), budget, depth + 1)))
    if kind not in TYPES:
        raise BadSchema(f"the field {name!r} has the type {kind!r}, which Connect does not have")
    return Field(name, plain, description)


def _name(schema: Any, parent: str) -> str:
    name = schema.get("field") if isinstance(schema, dict) else None
    if not isinstance(name, str) or not name:
        raise BadSchema(f"a field of the struct {parent!r} has no name")
    return name


def _seen(value: Any) -> RecordSchema:
    if isinstance(value, dict):
        return RecordSchema(_fields(value, Budget(), 0))
    type, fields = _shape(value, Budget(), 0)
    return primitive(type, *fields)


def _fields(value: dict[str, Any], budget: Budget, depth: int) -> tuple[Field, ...]:
    made = []
    for name, each in value.items():
        budget.spend()
        type, fields = _shape(each, budget, depth + 1)
        made.append(Field(name, type, "", fields))
    return tuple(made)


def _shape(value: Any, budget: Budget, depth: int) -> tuple[str, tuple[Field, ...]]:
    match value:
        case bool():
            return "boolean", ()
        case int():
            return "long", ()
        case float():
            return "double", ()
        case str():
            return "string", ()
        case dict():
            return "struct", _fields(value, budget, depth) if depth < DEEPEST else ()
        case [first, *_] if depth < DEEPEST:
            budget.spend()
            type, fields = _shape(first, budget, depth + 1)
            return "array", (Field(ELEMENT, type, "", fields),)
        case list():
            return "array", ()
    return "", ()
