"""Transforms that write headers."""

from msgspec.structs import replace

from headwater.capture.connect.transforms.chain import Transform
from headwater.capture.connect.transforms.flow import Column, Record, mapped, with_fields, with_part


def header_from(transform: Transform, record: Record) -> Record:
    """HeaderFrom: fields copied or moved to headers."""
    part, names = record.part(transform.side), transform.listed("fields")
    added = [
        replace(part.field(name) or Column(name), name=header)
        for name, header in zip(names, transform.listed("headers"), strict=False)
    ]
    made = replace(record, headers=(*record.headers, *added))
    if transform.option("operation").lower() != "move":
        return made
    return with_part(made, transform.side, mapped(part, lambda field: None if field.name in names else field))


def undo_header_from(transform: Transform, record: Record) -> Record:
    """Fields that were moved were there."""
    part = record.part(transform.side)
    if transform.option("operation").lower() != "move":
        return record
    moved = [Column(name) for name in transform.listed("fields") if part.field(name) is None]
    return with_part(record, transform.side, with_fields(part, [*part.fields, *moved]))


def insert_header(transform: Transform, record: Record) -> Record:
    """InsertHeader: a constant."""
    added = Column(transform.option("header"), "string", text=transform.option("value.literal"))
    return replace(record, headers=(*record.headers, added))


def drop_headers(transform: Transform, record: Record) -> Record:
    """DropHeaders: headers are left out."""
    names = transform.listed("headers")
    return replace(record, headers=tuple(each for each in record.headers if each.name not in names))
