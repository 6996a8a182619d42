"""Transforms that choose, rename, add or move fields."""

from msgspec.structs import replace

from headwater.capture.connect.transforms.chain import Transform
from headwater.capture.connect.transforms.flow import (
    Column,
    Record,
    deep,
    mapped,
    noted,
    packed,
    struct,
    unknown,
    unused,
    with_fields,
    with_part,
)


def replace_field(transform: Transform, record: Record) -> Record:
    """ReplaceField: some fields are left out, some have another name."""
    exclude, include = transform.listed("exclude", "blacklist"), transform.listed("include", "whitelist")
    renames = transform.pairs("renames")

    def kept(field: Column) -> Column | None:
        if field.name in exclude or (include and field.name not in include):
            return None
        return replace(field, name=renames.get(field.name, field.name))

    return with_part(record, transform.side, mapped(record.part(transform.side), kept))


def undo_replace_field(transform: Transform, record: Record) -> Record:
    """Names are as they were; fields that were left out are not known."""
    renames = {new: old for old, new in transform.pairs("renames").items()}
    part = mapped(record.part(transform.side), lambda field: replace(field, name=renames.get(field.name, field.name)))
    lost = ", ".join(transform.listed("exclude", "blacklist"))
    if lost:
        return with_part(record, transform.side, replace(part, partial=f"{transform} leaves out {lost}"))
    if transform.listed("include", "whitelist"):
        return with_part(record, transform.side, replace(part, partial=f"{transform} keeps only some fields"))
    return with_part(record, transform.side, part)


INSERTED = {
    "topic.field": "string",
    "partition.field": "int",
    "offset.field": "long",
    "timestamp.field": "timestamp-millis",
    "static.field": "string",
}


def insert_field(transform: Transform, record: Record) -> Record:
    """InsertField: what Kafka knows of the record, or a constant, as a field."""
    texts = {"topic.field": record.topic, "static.field": transform.option("static.value")}
    added = [
        Column(name, type, text=texts.get(key))
        for key, type in INSERTED.items()
        if (name := transform.option(key).rstrip("!?"))
    ]
    part = record.part(transform.side)
    names = {each.name for each in added}
    kept = [each for each in part.fields if each.name not in names]
    made = replace(with_fields(part, [*kept, *added]), type=part.type or "struct")
    return with_part(record, transform.side, made)


def undo_insert_field(transform: Transform, record: Record) -> Record:
    """What was added was not there."""
    names = {transform.option(key).rstrip("!?") for key in INSERTED}
    part = mapped(record.part(transform.side), lambda field: None if field.name in names else field)
    return with_part(record, transform.side, part)


def extract_field(transform: Transform, record: Record) -> Record:
    """ExtractField: one field takes the place of the record."""
    name, part = transform.option("field"), record.part(transform.side)
    nested = transform.option("field.syntax.version").upper() == "V2"
    found = part.field(name) or (deep(part, name) if nested else None)
    if found is not None:
        return with_part(record, transform.side, replace(found, name=""))
    why = part.partial or f"{transform} takes the field {name!r}, which is not among the fields"
    return noted(with_part(record, transform.side, unknown(why)), why)


def undo_extract_field(transform: Transform, record: Record) -> Record:
    """There was a record with this field, and perhaps others."""
    name, part = transform.option("field"), record.part(transform.side)
    before = struct([replace(part, name=name, partial="")], partial=f"{transform} keeps only {name}")
    return with_part(record, transform.side, before)


def hoist_field(transform: Transform, record: Record) -> Record:
    """HoistField: the record becomes the one field of a new one."""
    part = record.part(transform.side)
    name = transform.option("field")
    hoisted = replace(part, name=name, uses=part.uses or packed(name, "", part, "").uses, partial="")
    return with_part(record, transform.side, struct([hoisted], partial=part.partial))


def undo_hoist_field(transform: Transform, record: Record) -> Record:
    """The one field was the record."""
    found = record.part(transform.side).field(transform.option("field"))
    return with_part(record, transform.side, replace(found, name="") if found else unknown(f"before {transform}"))


def value_to_key(transform: Transform, record: Record) -> Record:
    """ValueToKey: fields of the value are the key."""
    found = [(name, record.value.field(name)) for name in transform.listed("fields")]
    missing = [name for name, field in found if field is None]
    made = replace(record, key=struct([field for _, field in found if field], partial=record.value.partial))
    return noted(made, f"{transform} takes fields that are not there: {', '.join(missing)}") if missing else made


def undo_value_to_key(transform: Transform, record: Record) -> Record:
    """The key that was there before is gone."""
    names = {each.name for each in record.value.fields}
    lost = [unused(each) for each in record.key.fields if each.name not in names]
    value = with_fields(record.value, [*record.value.fields, *lost]) if lost and record.value.partial else record.value
    return replace(record, key=unknown(f"{transform} has replaced the key"), value=value)


def flatten(transform: Transform, record: Record) -> Record:
    """Flatten: what is in a struct becomes fields of the record."""
    delimiter = transform.options.get("delimiter", ".")

    def flat(field: Column, name: str) -> list[Column]:
        if field.type == "struct" and field.fields:
            return [inner for each in field.fields for inner in flat(each, f"{name}{delimiter}{each.name}")]
        return [replace(field, name=name)]

    part = record.part(transform.side)
    fields = [inner for each in part.fields for inner in flat(each, each.name)]
    return with_part(record, transform.side, with_fields(part, fields))


def undo_flatten(transform: Transform, record: Record) -> Record:
    """A name with a dot was a field in a struct; with another delimiter nobody can tell."""
    delimiter, part = transform.options.get("delimiter", "."), record.part(transform.side)
    if delimiter != ".":
        why = f"{transform} joins names with {delimiter!r}: columns of the source are shown by their joined names"
        return noted(record, why) if any(delimiter in each.name for each in part.fields) else record
    return with_part(record, transform.side, with_fields(part, _nested(part.fields)))


def _nested(fields: tuple[Column, ...]) -> tuple[Column, ...]:
    groups: dict[str, list[Column]] = {}
    for field in fields:
        first, dot, rest = field.name.partition(".")
        groups.setdefault(first if dot and first and rest else field.name, []).append(field)
    made = []
    for name, group in groups.items():
        inner = [each for each in group if each.name != name]
        if inner:
            tails = tuple(replace(each, name=each.name[len(name) + 1 :]) for each in inner)
            made.append(Column(name, "struct", fields=_nested(tails)))
        else:
            made += group
    return tuple(made)


def drop(transform: Transform, record: Record) -> Record:
    """Drop: the whole key or value is left out."""
    return with_part(record, transform.side, Column("", "null"))


def undo_drop(transform: Transform, record: Record) -> Record:
    """What was left out is not known."""
    return with_part(record, transform.side, unknown(f"{transform} leaves it out"))


def copy_value(transform: Transform, record: Record) -> Record:
    """CopyValue: one field once more, by another name."""
    found = record.value.field(transform.option("source.field"))
    if found is None:
        return record
    copy = replace(found, name=transform.option("target.field"))
    return replace(record, value=with_fields(record.value, [*record.value.fields, copy]))
