"""Records in bytes and text: decoded down to a topic's own fields, and encoded back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs as copies

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.expressions.arrays import joined
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import transformed
from headwater.capture.spark.plan.values import (
    NULL,
    Value,
    array,
    calculated,
    field_of,
    named_part,
    noting,
    parts,
    struct,
)

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Scope


# Where Spark puts the text of a record that it could not read, unless told otherwise.
CORRUPT = "_corrupt_record"


def from_avro(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Avro, by the schema in the plan."""
    return noted(values[0], types.avro_type(expression.fields.get("jsonFormatSchema")), scope)


def from_avro_function(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Avro as Spark 4 has it: the schema is an argument."""
    return noted(values[0], types.avro_type(next(iter(values[1].texts or {""}))), scope)


def from_text(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """JSON, CSV or XML, by the type in the plan."""
    return noted(values[0], expression.fields.get("schema"), scope)


def from_bytes(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A format whose schema is not in the plan: fields are known by the names they are taken out with."""
    return decoded(values[0], None)


def noted(value: Value, type: types.Type, scope: Scope) -> Value:
    """What is in an encoded value; if that is the record of a source, its type is kept."""
    for origin in value.raw if value.record is None else ():
        scope.reading.note_record(origin.source, type)
    return decoded(value, type)


def decoded(value: Value, type: types.Type) -> Value:
    """What is in an encoded value: the record that was encoded, or the fields of the source whose record it is."""
    if value.record is not None:
        fields = {name: named_part(value.record, [name]) for name, _ in types.parts(type) if _has(value.record, name)}
        missing = {name: NULL for name, _ in types.parts(type) if name not in fields}
        return noting(struct({**fields, **missing}), value.also)
    if not value.raw:
        return Value(transformed(value.uses), value.also)
    record = _record(value, type)
    if record is None:
        return copies.replace(value, uses=transformed(value.uses), decoded=True)
    return noting(copies.replace(record, raw=value.raw, decoded=True), value.also)


def encoded(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A record as bytes or text."""
    return Value(transformed(values[0].uses), values[0].also, record=values[0])


def same_record(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Bytes without their frame, or as text: still the same record."""
    made = calculated(values)
    return Value(made.uses, values[0].also, raw=values[0].raw, record=values[0].record)


def concatenated(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A record behind constants, such as a frame, is still that record; arrays are joined element by element."""
    made = calculated(values)
    records = [value for value in values if value.record is not None]
    if len(records) == 1 and all(value.texts is not None for value in values if value is not records[0]):
        return Value(made.uses, records[0].also, record=records[0].record)
    if any(value.element is not None or types.element(value.type) is not None for value in values):
        return joined(expression, values, scope)
    return made


def json_path(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """A field of a JSON text by its path, such as $.customer.name."""
    text, path = values[0], next(iter(values[1].texts or {""}))
    if path.startswith("$.") and not set(path) & set("[*'"):
        if text.record is not None:
            return noting(named_part(text.record, path[2:].split(".")), text.also)
        if text.raw:
            return noting(field_of(text.raw, path[2:]), text.also)
    return calculated(values)


def json_tuple(expression: Tree, values: list[Value], scope: Scope) -> Value:
    """Several fields of a JSON text by name, each a column."""
    asked = [Value(texts=frozenset({f"$.{next(iter(name.texts or {''}))}"})) for name in values[1:]]
    return struct({str(n): json_path(expression, [values[0], name], scope) for n, name in enumerate(asked)})


def _record(value: Value, type: types.Type) -> Value | None:
    inner = types.element(type)
    if inner is not None:
        found = _record(value, inner)
        return found and array(found)
    fields = {name: field_of(value.raw, name, each) for name, each in types.parts(type)}
    if CORRUPT in fields:
        fields[CORRUPT] = Value(transformed(value.uses))
    return struct(fields) if fields else None


def _has(record: Value, name: str) -> bool:
    known = [each for each, _ in parts(record)]
    return not known or name in known


RULES = {
    "AvroDataToCatalyst": from_avro,
    "FromAvro": from_avro_function,
    "FromProtobuf": from_bytes,
    "AbrisAvroDataToCatalyst": from_bytes,
    "ProtobufDataToCatalyst": from_bytes,
    "JsonToStructs": from_text,
    "CsvToStructs": from_text,
    "XmlToStructs": from_text,
    "CatalystDataToAvro": encoded,
    "ToAvro": encoded,
    "ToProtobuf": encoded,
    "AbrisCatalystDataToAvro": encoded,
    "CatalystDataToProtobuf": encoded,
    "StructsToJson": encoded,
    "StructsToCsv": encoded,
    "StructsToXml": encoded,
    "Substring": same_record,
    "Right": same_record,
    "Decode": same_record,
    "StringDecode": same_record,
    "Encode": same_record,
    "StringTrim": same_record,
    "UnBase64": same_record,
    "Unhex": same_record,
    "AesDecrypt": same_record,
    "ParseJson": same_record,
    "TryParseJson": same_record,
    "Concat": concatenated,
    "GetJsonObject": json_path,
    "VariantGet": json_path,
    "JsonTuple": json_tuple,
}
