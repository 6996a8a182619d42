"""Schemas of keys and values: one file for each language they are written in."""

from collections.abc import Mapping
from typing import Literal

from headwater.capture.connect.schemas import avro, connect_json, json_schema, protobuf
from headwater.capture.connect.schemas.record import BadSchema, RecordSchema

SchemaKind = Literal["AVRO", "PROTOBUF", "JSON", "RECORD"]


def parse_schema(kind: SchemaKind, text: str, references: Mapping[str, str]) -> RecordSchema:
    """A schema as a registry has it, or for RECORD one record of Connect's JSON; BadSchema says why it is none."""
    try:
        match kind:
            case "AVRO":
                return avro.parse(text, references)
            case "PROTOBUF":
                return protobuf.parse(text, references)
            case "JSON":
                return json_schema.parse(text, references)
            case "RECORD":
                return connect_json.parse(text)
    except RecursionError as error:
        raise BadSchema(f"the {kind} schema is nested too deeply to be read") from error
    raise BadSchema(f"schemas of the type {kind!r} cannot be read; expected AVRO, PROTOBUF or JSON")
