"""Avro schemas: records, unions, logical types, and names that are defined elsewhere or in a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from headwater.capture.connect.schemas.budget import Budget
from headwater.capture.connect.schemas.record import (
    ELEMENT,
    MAP_KEY,
    MAP_VALUE,
    MOST_STEPS,
    BadSchema,
    Field,
    RecordSchema,
    primitive,
)
from headwater.capture.connect.schemas.semantic import semantic

PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
NAMED = {"record", "error", "enum", "fixed"}
Shape = tuple[str, tuple[Field, ...]]


def parse(text: str, references: Mapping[str, str]) -> RecordSchema:
    """The fields of an Avro schema; the references are other schemas whose names it uses."""
    schema = _decode(text, "the schema")
    names: dict[str, tuple[dict[str, Any], str]] = {}
    for name, other in references.items():
        _collect(_decode(other, f"the reference {name!r}"), "", names, 0)
    _collect(schema, "", names, 0)
    reading = _Reading(names)
    type, fields = reading.shape(schema, "", ())
    if type == "struct":
        return RecordSchema(fields)
    return primitive(type, *fields, description=_doc(schema))


def _decode(text: str, what: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadSchema(f"{what} is not JSON, which Avro schemas are written in: {error}") from error


def _collect(schema: Any, namespace: str, names: dict[str, tuple[dict[str, Any], str]], depth: int) -> None:
    """Note every named type with the namespace that its own names are in."""
    if depth > MOST_STEPS:
        raise BadSchema("the schema is nested too deeply to be read")
    if isinstance(schema, list):
        for each in schema:
            _collect(each, namespace, names, depth + 1)
    elif isinstance(schema, dict):
        kind = schema.get("type")
        if isinstance(kind, str) and kind in NAMED:
            full, namespace = _full(schema, namespace)
            names.setdefault(full, (schema, namespace))
            for alias in schema.get("aliases") or ():
                if isinstance(alias, str):
                    names.setdefault(alias if "." in alias else _join(namespace, alias), (schema, namespace))
        for field in schema.get("fields") or () if isinstance(schema.get("fields"), list) else ():
            if isinstance(field, dict):
                _collect(field.get("type"), namespace, names, depth + 1)
        for inner in (schema.get("items"), schema.get("values"), kind if not isinstance(kind, str) else None):
            _collect(inner, namespace, names, depth + 1)


def _full(schema: Mapping[str, Any], namespace: str) -> tuple[str, str]:
    name, own = schema.get("name"), schema.get("namespace")
    if not isinstance(name, str) or not name:
        raise BadSchema(f"a type {schema.get('type')!r} has no name")
    if "." in name:
        return name, name.rpartition(".")[0]
    space = own if isinstance(own, str) else namespace
    return _join(space, name), space


def _join(namespace: str, name: str) -> str:
    return f"{namespace}.{name}" if namespace else name


def _doc(schema: Any) -> str:
    doc = schema.get("doc") if isinstance(schema, dict) else ""
    return doc if isinstance(doc, str) else ""


class _Reading:
    """One reading of a schema, with the types that are named in it."""

    def __init__(self, names: Mapping[str, tuple[dict[str, Any], str]]) -> None:
        self.names = names
        self.budget = Budget()

    def shape(self, schema: Any, namespace: str, open: tuple[str, ...]) -> Shape:
        """A type and what is inside it; `open` are the records that it is in, or the way to it."""
        if len(open) > MOST_STEPS:
            return "struct" if isinstance(schema, str) and schema not in PRIMITIVES else _word(schema), ()
        if isinstance(schema, list):
            return self.union(schema, namespace, open)
        if isinstance(schema, str):
            return (schema, ()) if schema in PRIMITIVES else self.named(schema, namespace, open)
        if not isinstance(schema, dict):
            raise BadSchema(f"{schema!r} is no Avro type")
        kind = schema.get("type")
        if not isinstance(kind, str):
            return self.shape(kind, namespace, (*open, ""))
        if kind in ("record", "error"):
            return self.record(schema, namespace, open)
        if kind == "array":
            return "array", (self.field(ELEMENT, schema.get("items"), "", namespace, (*open, "")),)
        if kind == "map":
            value = self.field(MAP_VALUE, schema.get("values"), "", namespace, (*open, ""))
            return "map", (Field(MAP_KEY, "string"), value)
        if kind in ("enum", "fixed"):
            return self.simple(schema, "enum" if kind == "enum" else "bytes"), ()
        if kind in PRIMITIVES:
            return self.simple(schema, kind), ()
        return self.named(kind, namespace, open)

    def record(self, schema: Mapping[str, Any], namespace: str, open: tuple[str, ...]) -> Shape:
        full, namespace = _full(schema, namespace)
        known = semantic(schema.get("connect.name"), schema.get("connect.parameters"), "struct")
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise BadSchema(f"the record {full!r} has no list of fields")
        if full in open:
            return known, ()
        made = []
        for each in fields:
            name = each.get("name") if isinstance(each, dict) else None
            if not isinstance(name, str) or not name:
                raise BadSchema(f"a field of the record {full!r} has no name")
            made.append(self.field(name, each.get("type"), _doc(each), namespace, (*open, full)))
        return known, tuple(made)

    def field(self, name: str, schema: Any, doc: str, namespace: str, open: tuple[str, ...]) -> Field:
        self.budget.spend()
        type, fields = self.shape(schema, namespace, open)
        return Field(name, type, doc or _doc(schema), fields)

    def union(self, choices: list[Any], namespace: str, open: tuple[str, ...]) -> Shape:
        """A type that may be null is that type; of several others, each is a field by the name of its type."""
        others = [each for each in choices if each != "null"]
        if not others:
            return "null", ()
        if len(others) == 1:
            return self.shape(others[0], namespace, (*open, ""))
        return "union", tuple(self.field(_word(each), each, "", namespace, (*open, "")) for each in others)

    def named(self, name: str, namespace: str, open: tuple[str, ...]) -> Shape:
        for full in (name,) if "." in name else (_join(namespace, name), name):
            if full in self.names:
                schema, own = self.names[full]
                return self.shape({**schema, "namespace": own}, own, (*open, ""))
        raise BadSchema(f"no type {name!r} is defined in the schema or its references")

    @staticmethod
    def simple(schema: Mapping[str, Any], plain: str) -> str:
        logical = schema.get("logicalType")
        if logical == "decimal" and isinstance(schema.get("precision"), int):
            plain = f"decimal({schema['precision']},{schema.get('scale', 0)})"
        elif isinstance(logical, str) and logical in LOGICAL:
            plain = logical
        known = semantic(schema.get("connect.name"), schema.get("connect.parameters"), plain)
        # The logical type has the precision, which Connect's own name for a decimal need not have.
        return plain if known.startswith("decimal(38") and plain.startswith("decimal(") else known


LOGICAL = {
    "date", "duration", "local-timestamp-micros", "local-timestamp-millis", "local-timestamp-nanos", "time-micros",
    "time-millis", "timestamp-micros", "timestamp-millis", "timestamp-nanos", "uuid",
}  # fmt: skip


def _word(schema: Any) -> str:
    """What a type is called in a union."""
    if isinstance(schema, str):
        return schema.rpartition(".")[2]
    if isinstance(schema, dict):
        kind = schema.get("type")
        return _word(schema.get("name") if isinstance(kind, str) and kind in NAMED else kind)
    return "union"
