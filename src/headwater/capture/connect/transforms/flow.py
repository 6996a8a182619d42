"""A record on its way through a connector: its fields, and the columns that each of them comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.schemas.record import ELEMENT, MAP_VALUE, Field, RecordSchema

DIRECT, INDIRECT = "DIRECT", "INDIRECT"
IDENTITY, TRANSFORMATION, FILTER = "IDENTITY", "TRANSFORMATION", "FILTER"
Part = Literal["key", "value"]


class Use(Struct, frozen=True, order=True):
    """One use of a column of the input; the doubt says why it is not certain, and is empty where it is."""

    path: str
    kind: str = DIRECT
    subtype: str = IDENTITY
    description: str = ""
    masking: bool = False
    doubt: str = ""


class Column(Struct, frozen=True):
    """A field and what is in it, or a whole key or value, which has no name.

    `text` is its value where the settings tell it; `partial` says why there may be more fields than these.
    """

    name: str
    type: str = ""
    description: str = ""
    fields: tuple[Column, ...] = ()
    uses: tuple[Use, ...] = ()
    text: str | None = None
    partial: str = ""

    @property
    def members(self) -> tuple[Column, ...]:
        """The fields that are columns: what is in an array or a map is part of one value."""
        return () if self.type in ("array", "map") else self.fields

    def field(self, name: str) -> Column | None:
        """The field of this name."""
        return next((each for each in self.fields if each.name == name), None)


class Record(Struct, frozen=True):
    """A record of a topic. `whole` is what decides about records as such; `notes` is what a person may want to know."""

    topic: str
    key: Column
    value: Column
    headers: tuple[Column, ...] = ()
    whole: tuple[Use, ...] = ()
    notes: tuple[str, ...] = ()

    def part(self, side: Part) -> Column:
        """The key or the value."""
        return self.key if side == "key" else self.value


# -- records ---------------------------------------------------------------------------------------


def with_part(record: Record, side: Part, part: Column) -> Record:
    """The record with another key or value."""
    return replace(record, key=part) if side == "key" else replace(record, value=part)


def noted(record: Record, note: str) -> Record:
    """The record with something to tell about it."""
    return record if note in record.notes else replace(record, notes=(*record.notes, note))


def doubted_record(record: Record, sides: Iterable[Part], why: str) -> Record:
    """The record with nothing certain any more in its key, its value or both."""
    for side in sides:
        part = record.part(side)
        record = with_part(record, side, replace(doubted(part, why), partial=part.partial or why))
    return noted(record, why)


def either(before: Record, after: Record | None, why: str) -> Record:
    """A record that was transformed or not, which only the records themselves can tell."""
    if after is None:
        return noted(before, f"some records are left out: {why}")
    key, value = (_either(before.part(side), after.part(side), why) for side in ("key", "value"))
    made = replace(after, key=key, value=value)
    if before.topic == after.topic:
        return made
    return noted(made, f"some records are sent to {after.topic}, some stay in {before.topic}: {why}")


def _either(before: Column, after: Column, why: str) -> Column:
    if before == after:
        return before
    if before.fields or after.fields:
        names = dict.fromkeys(each.name for each in (*before.fields, *after.fields))
        fields = []
        for name in names:
            old, new = before.field(name), after.field(name)
            if old is not None and new is not None:
                fields.append(_either(old, new, why))
            elif (one := old or new) is not None:
                fields.append(doubted(one, why))
        return replace(after, fields=tuple(fields), partial=after.partial or before.partial)
    uses = dict.fromkeys(
        use if use in before.uses and use in after.uses else replace(use, doubt=use.doubt or why)
        for use in (*before.uses, *after.uses)
    )
    return replace(after, uses=tuple(uses), type=after.type if after.type == before.type else "", text=None)


# -- columns ---------------------------------------------------------------------------------------


def unknown(why: str) -> Column:
    """A key or a value of which nothing is known."""
    return Column("", partial=why)


def of_schema(schema: RecordSchema, path: str = "") -> Column:
    """A key or a value with every field used as it is; `path` is what the whole is called, if it has a name."""
    if schema.is_primitive:
        return of_field(schema.fields[0], path)
    return Column("", "struct", fields=tuple(of_field(each, within(path, each.name)) for each in schema.fields))


def of_field(field: Field, path: str) -> Column:
    """A field used as it is, and so is what is in it."""
    inner = tuple(of_field(each, inside(field.type, path, each.name)) for each in field.fields)
    return Column(field.name, field.type, field.description, inner, (Use(path),))


def to_field(column: Column) -> Field:
    """The column as a field of a schema."""
    return Field(column.name, column.type, column.description, tuple(to_field(each) for each in column.fields))


def struct(fields: Iterable[Column], partial: str = "") -> Column:
    """A key or a value of these fields."""
    return Column("", "struct", fields=tuple(fields), partial=partial)


def with_fields(column: Column, fields: Iterable[Column]) -> Column:
    """The column with other fields in it: a struct that was changed is not the same value any more."""
    made = tuple(fields)
    return column if made == column.fields else replace(column, fields=made, uses=_transformed(column.uses, "", False))


def mapped(column: Column, change: Callable[[Column], Column | None]) -> Column:
    """The column with each of its fields changed, or left out where the change is None."""
    return with_fields(column, (made for each in column.fields if (made := change(each)) is not None))


def changed(column: Column, description: str, masking: bool = False) -> Column:
    """The column calculated to something else."""
    inner = tuple(changed(each, description, masking) for each in column.fields)
    return replace(column, fields=inner, uses=_transformed(column.uses, description, masking))


def doubted(column: Column, why: str) -> Column:
    """The column, not certain any more."""
    inner = tuple(doubted(each, why) for each in column.fields)
    uses = tuple(replace(use, doubt=use.doubt or why) for use in column.uses)
    return replace(column, fields=inner, uses=uses, text=None)


def unused(column: Column) -> Column:
    """The column without what it comes from: only its name and type."""
    return replace(column, fields=tuple(unused(each) for each in column.fields), uses=(), text=None)


def all_uses(column: Column) -> tuple[Use, ...]:
    """Every use in a column and in what is in it; a struct's own say nothing that its fields do not."""
    inner = tuple(use for each in column.fields for use in all_uses(each))
    return tuple(dict.fromkeys(inner or column.uses))


def packed(name: str, type: str, column: Column, description: str) -> Column:
    """A whole key or value written into one column, such as a JSON text."""
    return Column(name, type, uses=tuple(dict.fromkeys(_transformed(all_uses(column), description, False))))


def deep(column: Column, path: str) -> Column | None:
    """The field at a path such as customer.name."""
    found: Column | None = column
    for name in path.split("."):
        found = found.field(name) if found is not None else None
    return found


def walk(columns: Iterable[Column], path: str = "") -> Iterator[tuple[str, Column]]:
    """Every column and every field in it, with its path; what is in an array or a map has the array's own path."""
    for column in columns:
        here = within(path, column.name)
        yield here, column
        yield from _inner(column, here)


def _inner(column: Column, path: str) -> Iterator[tuple[str, Column]]:
    if column.type in ("array", "map"):
        for each in column.fields:
            if each.name in (ELEMENT, MAP_VALUE):
                yield from _inner(each, path)
    else:
        yield from walk(column.fields, path)


def within(path: str, name: str) -> str:
    """The path of a field in what has that path."""
    return f"{path}.{name}" if path else name


def inside(type: str, path: str, name: str) -> str:
    """The path of what is in a column of this type: an array's elements have the array's own."""
    return path if type in ("array", "map") else within(path, name)


def _transformed(uses: Iterable[Use], description: str, masking: bool) -> tuple[Use, ...]:
    return tuple(
        replace(
            use,
            subtype=TRANSFORMATION if use.kind == DIRECT else use.subtype,
            description=", ".join(dict.fromkeys(word for word in (use.description, description) if word)),
            masking=use.masking or masking,
        )
        for use in uses
    )
