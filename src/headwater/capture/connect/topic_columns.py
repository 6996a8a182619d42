"""The columns of a topic: the fields of its value, and its key as one more."""

from collections.abc import Sequence

from msgspec.structs import replace

from headwater.capture.connect.schemas.record import RecordSchema, TopicSchemas
from headwater.capture.connect.transforms.flow import Column, Record, of_schema, unknown

KEY, VALUE = "key", "value"


def key_name(value_fields: Sequence[str]) -> str:
    """What the key is called among the columns: as Spark calls it, unless the value has a field of that name."""
    return KEY if KEY not in value_fields else f"__{KEY}"


def record_of(topic: str, schemas: TopicSchemas) -> Record:
    """A record of a topic, whose fields are the topic's columns."""
    names = [each.name for each in schemas.value.fields] if schemas.value else []
    why = schemas.problem or f"the schema of the topic {topic} is not known"
    return Record(topic, _part(schemas.key, key_name(names), why), _part(schemas.value, "", why))


def columns(key: Column, value: Column) -> tuple[Column, ...]:
    """A key and a value as the columns of a topic."""
    names = [each.name for each in value.members]
    made = list(value.members)
    if not made and _is_there(value):
        made.append(replace(value, name=VALUE))
    if key.fields or _is_there(key):
        made.append(replace(key, name=key_name(names), partial=""))
    return tuple(made)


def _is_there(part: Column) -> bool:
    """Whether a key or value that is no record is anything at all: its type or where it comes from is known."""
    return part.type not in ("", "struct", "null") or bool(part.uses)


def _part(schema: RecordSchema | None, path: str, why: str) -> Column:
    if schema is None:
        return unknown(why)
    return of_schema(schema, path or (VALUE if schema.is_primitive else ""))
