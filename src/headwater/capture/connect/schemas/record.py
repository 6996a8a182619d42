"""The schema of a record's key or value, whatever it was written in."""

from __future__ import annotations

from msgspec import Struct

from headwater.errors import HeadwaterError

# Deeper than this, records in records are not followed: they refer to themselves, or nobody will look.
DEEPEST = 12
# There are more steps than records on the way: what may be null, what has a name, what is in an array.
MOST_STEPS = 4 * DEEPEST
# A map's or an array's inside, as the OpenLineage schema facet names it.
ELEMENT, MAP_KEY, MAP_VALUE = "_element", "key", "value"


class BadSchema(HeadwaterError):
    """A schema that cannot be read; the message says why."""


class Field(Struct, frozen=True):
    """A field as the OpenLineage schema facet has it; a type that is not known is empty."""

    name: str
    type: str
    description: str = ""
    fields: tuple[Field, ...] = ()


class RecordSchema(Struct, frozen=True):
    """A key or a value; a primitive is one field without a name."""

    fields: tuple[Field, ...]
    version: str = ""

    @property
    def is_primitive(self) -> bool:
        """Whether it is one value rather than a record."""
        return len(self.fields) == 1 and not self.fields[0].name


class TopicSchemas(Struct, frozen=True):
    """What is known of a topic's records; the problem says why it is not more."""

    key: RecordSchema | None = None
    value: RecordSchema | None = None
    problem: str = ""


def primitive(type: str, *fields: Field, description: str = "", version: str = "") -> RecordSchema:
    """A key or a value that is no record."""
    return RecordSchema((Field("", type, description, fields),), version)
