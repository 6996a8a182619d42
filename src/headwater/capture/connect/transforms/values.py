"""Transforms that change what is in a field."""

from collections.abc import Callable

from msgspec.structs import replace

from headwater.capture.connect.schemas.connect_json import TYPES
from headwater.capture.connect.transforms.chain import Transform
from headwater.capture.connect.transforms.flow import Column, Record, changed, mapped, with_part

CONVERTED = {
    "string": "string",
    "unix": "long",
    "Date": "date",
    "Time": "time-millis",
    "Timestamp": "timestamp-millis",
}


def cast(transform: Transform, record: Record) -> Record:
    """Cast: fields, or the whole, to another type."""
    spec = transform.option("spec")
    types = transform.pairs("spec")
    if spec and ":" not in spec:
        return with_part(record, transform.side, _cast(record.part(transform.side), spec))
    part = mapped(record.part(transform.side), lambda field: _cast(field, types.get(field.name, "")))
    return with_part(record, transform.side, part)


def undo_cast(transform: Transform, record: Record) -> Record:
    """The type that it had is not known."""
    spec = transform.option("spec")
    whole, names = bool(spec) and ":" not in spec, set(transform.pairs("spec"))
    return _untyped(transform, record, whole, names)


def timestamp_converter(transform: Transform, record: Record) -> Record:
    """TimestampConverter: times in another form."""
    target, name = transform.option("target.type"), transform.option("field")

    def converted(column: Column) -> Column:
        made = changed(column, f"converted to {target}")
        return replace(made, type=CONVERTED.get(target, column.type), fields=())

    return _one(transform, record, name, converted)


def undo_timestamp_converter(transform: Transform, record: Record) -> Record:
    """The form that it had is not known."""
    name = transform.option("field")
    return _untyped(transform, record, not name, {name} - {""})


def mask_field(transform: Transform, record: Record) -> Record:
    """MaskField: nothing, or a constant, in the place of what was there."""
    names, text = set(transform.listed("fields")), transform.options.get("replacement")

    def masked(field: Column) -> Column:
        return replace(changed(field, "masked", masking=True), text=text) if field.name in names else field

    return with_part(record, transform.side, mapped(record.part(transform.side), masked))


def hashed(transform: Transform, record: Record) -> Record:
    """Hash: a digest in the place of a field, or of the whole."""
    return _one(
        transform,
        record,
        transform.option("field.name"),
        lambda column: replace(changed(column, "hashed", masking=True), type="string", fields=()),
    )


def same(transform: Transform, record: Record) -> Record:
    """A transform that changes no column: the schema's name, headers, the partition."""
    return record


def _one(transform: Transform, record: Record, name: str, change: Callable[[Column], Column]) -> Record:
    """One field changed, or the whole where no field is named."""
    part = record.part(transform.side)
    if not name:
        return with_part(record, transform.side, part if part.partial else change(part))
    return with_part(record, transform.side, mapped(part, lambda field: change(field) if field.name == name else field))


def _cast(column: Column, type: str) -> Column:
    made = TYPES.get(type.strip().lower(), "")
    return replace(changed(column, f"cast to {type}"), type=made) if made and made != column.type else column


def _untyped(transform: Transform, record: Record, whole: bool, names: set[str]) -> Record:
    part = record.part(transform.side)
    if whole:
        return with_part(record, transform.side, replace(part, type=""))
    fields = tuple(replace(each, type="") if each.name in names else each for each in part.fields)
    return with_part(record, transform.side, replace(part, fields=fields))
