"""JSON Schema, of draft 4 to 2020-12: objects, references, what may be null, and the hints of Confluent's converter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urljoin

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

SIMPLE = {"boolean": "boolean", "integer": "long", "number": "double", "string": "string", "null": "null"}
HINTS = {
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "bytes": "bytes",
}
FORMATS = {"date": "date", "date-time": "timestamp-with-zone", "time": "time-with-zone", "uuid": "uuid"}
Shape = tuple[str, tuple[Field, ...]]


def parse(text: str, references: Mapping[str, str]) -> RecordSchema:
    """The fields of a JSON Schema; the references are other schemas by the names that $ref calls them."""
    root = _decode(text, "the schema")
    reading = _Reading(root, {name: _decode(other, f"the reference {name!r}") for name, other in references.items()})
    type, fields = reading.shape(root, _Place(root, ""), ())
    if type == "struct":
        return RecordSchema(fields)
    return primitive(type, *fields, description=_text(root, "description"))


def _decode(text: str, what: str) -> Any:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadSchema(f"{what} is not JSON: {error}") from error
    if not isinstance(found, dict | bool):
        raise BadSchema(f"{what} is {str(found)[:40]!r}; expected a JSON object with type, properties or $ref")
    return found


def _text(schema: Any, key: str) -> str:
    value = schema.get(key) if isinstance(schema, dict) else ""
    return value if isinstance(value, str) else ""


class _Place:
    """The document that a part of a schema is in, and its name, which the references in it start from."""

    def __init__(self, root: Any, name: str) -> None:
        self.root = root
        self.name = _text(root, "$id") or _text(root, "id") or name


class _Reading:
    """One reading of a schema and the others that it refers to."""

    def __init__(self, root: Any, others: Mapping[str, Any]) -> None:
        self.others = {**others}
        for name, schema in others.items():
            self.others.setdefault(_Place(schema, name).name.rstrip("#"), schema)
        self.root = root
        self.budget = Budget()

    def shape(self, schema: Any, place: _Place, open: tuple[int, ...]) -> Shape:
        """A type and what is inside it; `open` are the objects that it is in, or the way to it."""
        if isinstance(schema, bool) or (isinstance(schema, dict) and not schema):
            return "any", ()
        if not isinstance(schema, dict):
            raise BadSchema(f"{str(schema)[:40]!r} is no JSON Schema; expected an object")
        if len(open) > MOST_STEPS or id(schema) in open:
            return "struct" if "properties" in schema or "$ref" in schema else _text(schema, "type"), ()
        inside = (*open, id(schema))
        if isinstance(schema.get("$ref"), str):
            target, there = self.resolve(schema["$ref"], place)
            return self.shape(target, there, inside)
        for key in ("oneOf", "anyOf"):
            if isinstance(schema.get(key), list) and "properties" not in schema:
                return self.choice(schema[key], place, inside)
        if isinstance(schema.get("allOf"), list):
            return self.all_of(schema, place, inside)
        return self.plain(schema, place, inside)

    def plain(self, schema: Mapping[str, Any], place: _Place, open: tuple[int, ...]) -> Shape:
        kind = schema.get("type")
        kinds = [each for each in kind if each != "null"] if isinstance(kind, list) else [kind]
        if len(kinds) > 1:
            return "union", tuple(self.field(str(each), {**schema, "type": each}, place, open) for each in kinds)
        kind = kinds[0] if kinds else "null"
        hint, parameters = schema.get("connect.type"), schema.get("connect.parameters")
        known = semantic(schema.get("title"), parameters, "")
        if known:
            return known, ()
        if isinstance(hint, str) and hint in HINTS:
            return HINTS[hint], ()
        if kind == "object" or (kind is None and "properties" in schema):
            return self.object(schema, place, open)
        if kind == "array" or (kind is None and "items" in schema):
            return self.array(schema, place, open)
        if kind == "string":
            return FORMATS.get(_text(schema, "format"), "string"), ()
        if isinstance(kind, str) and kind in SIMPLE:
            return SIMPLE[kind], ()
        if kind is None:
            return ("enum", ()) if "enum" in schema or "const" in schema else ("any", ())
        raise BadSchema(f"the type {str(kind)[:40]!r} is none that JSON Schema has")

    def object(self, schema: Mapping[str, Any], place: _Place, open: tuple[int, ...]) -> Shape:
        properties, rest = schema.get("properties"), schema.get("additionalProperties")
        if isinstance(properties, dict):
            ordered = sorted(properties.items(), key=lambda pair: _index(pair[1]))
            return "struct", tuple(self.field(name, each, place, open) for name, each in ordered)
        if properties is not None:
            raise BadSchema("the properties of an object are no JSON object")
        if isinstance(rest, dict):
            return "map", (Field(MAP_KEY, "string"), self.field(MAP_VALUE, rest, place, open))
        return "struct", ()

    def array(self, schema: Mapping[str, Any], place: _Place, open: tuple[int, ...]) -> Shape:
        items = schema.get("items")
        if isinstance(schema.get("prefixItems"), list) or isinstance(items, list):
            return "array", ()
        if items is None:
            return "array", ()
        element = self.field(ELEMENT, items, place, open)
        names = [each.name for each in element.fields]
        if schema.get("connect.type") == "map" and names == [MAP_KEY, MAP_VALUE]:
            return "map", element.fields
        return "array", (element,)

    def choice(self, choices: list[Any], place: _Place, open: tuple[int, ...]) -> Shape:
        """What may be null is what it is otherwise; of several others, each is a field by its title or number."""
        others = [each for each in choices if not (isinstance(each, dict) and each.get("type") == "null")]
        if not others:
            return "null", ()
        if len(others) == 1:
            return self.shape(others[0], place, open)
        named = [(_text(each, "title") or f"choice{n}", each) for n, each in enumerate(others)]
        return "union", tuple(self.field(name, each, place, open) for name, each in named)

    def all_of(self, schema: Mapping[str, Any], place: _Place, open: tuple[int, ...]) -> Shape:
        own = {key: value for key, value in schema.items() if key != "allOf"}
        parts = [*schema["allOf"], *([own] if "properties" in own else [])]
        shapes = [self.shape(each, place, open) for each in parts]
        fields = {field.name: field for _, inner in shapes for field in inner}
        if fields:
            return "struct", tuple(fields.values())
        return next(((type, ()) for type, _ in shapes if type != "any"), ("any", ()))

    def field(self, name: str, schema: Any, place: _Place, open: tuple[int, ...]) -> Field:
        self.budget.spend()
        type, fields = self.shape(schema, place, open)
        return Field(name, type, _text(schema, "description"), fields)

    def resolve(self, reference: str, place: _Place) -> tuple[Any, _Place]:
        """What a $ref points at, and the document that it is in."""
        document, _, fragment = reference.partition("#")
        there = place
        if document:
            names = (document, urljoin(place.name, document), urljoin(place.name, document).rpartition("/")[2])
            name = next((each for each in names if each in self.others), "")
            if name:
                there = _Place(self.others[name], name)
            elif _Place(self.root, "").name in names:
                there = _Place(self.root, "")
            else:
                raise BadSchema(f"{reference!r} is neither in the schema nor among its references")
        return _pointed(there.root, unquote(fragment), reference), there


def _pointed(root: Any, fragment: str, reference: str) -> Any:
    if not fragment:
        return root
    if not fragment.startswith("/"):
        found = _anchored(root, fragment, 0)
        if found is None:
            raise BadSchema(f"{reference!r} points at nothing in the schema")
        return found
    for step in fragment[1:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(root, dict) and key in root:
            root = root[key]
        elif isinstance(root, list) and key.isascii() and key.isdigit() and len(key) < 6 and int(key) < len(root):
            root = root[int(key)]
        else:
            raise BadSchema(f"{reference!r} points at nothing in the schema")
    return root


def _anchored(schema: Any, anchor: str, depth: int) -> Any:
    """The part of a schema that calls itself by a name."""
    if depth > MOST_STEPS:
        return None
    if isinstance(schema, dict):
        if anchor in (schema.get("$anchor"), schema.get("$dynamicAnchor")) or schema.get("$id") == f"#{anchor}":
            return schema
        schema = list(schema.values())
    if isinstance(schema, list):
        return next((found for each in schema if (found := _anchored(each, anchor, depth + 1)) is not None), None)
    return None


def _index(schema: Any) -> int:
    """Where Connect had the field; JSON has no order of its own."""
    index = schema.get("connect.index") if isinstance(schema, dict) else None
    return index if isinstance(index, int) else 0
