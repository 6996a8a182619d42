"""What changed between two schemas."""

import msgspec
from msgspec import Raw, Struct


class ColumnChange(Struct, rename={"before": "from", "after": "to"}):
    """A column whose type changed."""

    name: str
    before: str | None
    after: str | None


class SchemaDiff(Struct):
    """Columns that came, went, or changed type; nested ones are named with dots."""

    added: list[str]
    removed: list[str]
    changed: list[ColumnChange]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class _Field(Struct):
    name: str
    type: str | None = None
    fields: list["_Field"] | None = None


_fields = msgspec.json.Decoder(list[_Field])


def schema_diff(before: Raw | None, after: Raw | None) -> SchemaDiff:
    """How to get from one schema, a JSON array of fields, to another; None is no columns."""
    old, new = types(before), types(after)
    return SchemaDiff(
        [name for name in new if name not in old],
        [name for name in old if name not in new],
        [ColumnChange(name, old[name], new[name]) for name in new if name in old and old[name] != new[name]],
    )


def types(schema: Raw | None) -> dict[str, str | None]:
    """The type of each column, nested ones included; none of a schema that cannot be read."""
    if schema is None:
        return {}
    try:
        return dict(_flat(_fields.decode(schema), ""))
    except msgspec.MsgspecError:
        return {}


def _flat(fields: list[_Field], prefix: str) -> list[tuple[str, str | None]]:
    flat: list[tuple[str, str | None]] = []
    for field in fields:
        flat.append((prefix + field.name, field.type))
        flat += _flat(field.fields or [], f"{prefix}{field.name}.")
    return flat
