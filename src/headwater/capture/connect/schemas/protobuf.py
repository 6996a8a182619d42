"""Protobuf schemas: messages within messages, enums, maps, imports and the types that everybody knows."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.capture.connect.schemas.budget import Budget
from headwater.capture.connect.schemas.protobuf_text import File, Message, ProtoField, read, within
from headwater.capture.connect.schemas.record import (
    DEEPEST,
    ELEMENT,
    MAP_KEY,
    MAP_VALUE,
    BadSchema,
    Field,
    RecordSchema,
)

SCALARS = {
    "bool": "boolean",
    "bytes": "bytes",
    "double": "double",
    "fixed32": "long",
    "fixed64": "long",
    "float": "float",
    "int32": "int",
    "int64": "long",
    "sfixed32": "int",
    "sfixed64": "long",
    "sint32": "int",
    "sint64": "long",
    "string": "string",
    "uint32": "long",
    "uint64": "long",
}
GOOGLE = "google.protobuf."
KNOWN = {
    GOOGLE + "Any": "any",
    GOOGLE + "BoolValue": "boolean",
    GOOGLE + "BytesValue": "bytes",
    GOOGLE + "DoubleValue": "double",
    GOOGLE + "Duration": "duration",
    GOOGLE + "Empty": "struct",
    GOOGLE + "FieldMask": "string",
    GOOGLE + "FloatValue": "float",
    GOOGLE + "Int32Value": "int",
    GOOGLE + "Int64Value": "long",
    GOOGLE + "ListValue": "array",
    GOOGLE + "NullValue": "enum",
    GOOGLE + "StringValue": "string",
    GOOGLE + "Struct": "struct",
    GOOGLE + "Timestamp": "timestamp-millis",
    GOOGLE + "UInt32Value": "long",
    GOOGLE + "UInt64Value": "long",
    GOOGLE + "Value": "any",
    "google.type.Date": "date",
    "google.type.DateTime": "timestamp-with-zone",
    "google.type.Decimal": "decimal",
    "google.type.Money": "money",
    "google.type.TimeOfDay": "time-millis",
    "confluent.type.Decimal": "decimal",
}


def parse(text: str, references: Mapping[str, str]) -> RecordSchema:
    """The fields of the first message of a .proto file, which is the one that records are."""
    file = read(text)
    if not file.messages:
        raise BadSchema("the Protobuf schema has no message; expected one that records are")
    reading = _Reading([file, *(read(other) for name, other in references.items() if not _is_known(name))])
    return RecordSchema(reading.fields(file.messages[0], ()))


def _is_known(file: str) -> bool:
    return file.startswith(("google/protobuf/", "google/type/", "confluent/"))


class _Reading:
    """One reading of a schema, with the messages and enums of all its files."""

    def __init__(self, files: list[File]) -> None:
        self.messages = {message.name: message for file in reversed(files) for message in file.messages}
        self.enums = frozenset[str]().union(*(file.enums for file in files))
        self.budget = Budget()

    def fields(self, message: Message, open: tuple[str, ...]) -> tuple[Field, ...]:
        """The fields of a message; `open` are the messages that it is in."""
        if message.name in open or len(open) > DEEPEST:
            return ()
        inside = (*open, message.name)
        return tuple(self.field(field, message.name, inside) for field in message.fields)

    def field(self, field: ProtoField, scope: str, open: tuple[str, ...]) -> Field:
        if field.key:
            if field.key not in SCALARS:
                raise BadSchema(f"the map {field.name!r} has keys of the type {field.key!r}; expected a simple type")
            value = self.plain(MAP_VALUE, field.type, scope, open)
            return Field(field.name, "map", fields=(Field(MAP_KEY, SCALARS[field.key]), value))
        if field.repeated:
            return Field(field.name, "array", fields=(self.plain(ELEMENT, field.type, scope, open),))
        return self.plain(field.name, field.type, scope, open)

    def plain(self, name: str, type: str, scope: str, open: tuple[str, ...]) -> Field:
        self.budget.spend()
        if type in SCALARS:
            return Field(name, SCALARS[type])
        for full in _candidates(type, scope):
            if full in KNOWN:
                return Field(name, KNOWN[full])
            if full in self.enums:
                return Field(name, "enum")
            if full in self.messages:
                return Field(name, "struct", fields=self.fields(self.messages[full], open))
        raise BadSchema(f"no type {type!r} is defined in the Protobuf schema or its references")


def _candidates(type: str, scope: str) -> list[str]:
    """The full names that a type can mean: the innermost first."""
    if type.startswith("."):
        return [type[1:]]
    names = [within(scope, type)]
    while scope:
        scope = scope.rpartition(".")[0]
        names.append(within(scope, type))
    return names
