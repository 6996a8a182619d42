"""Debezium's transforms: the row out of the envelope of a change, and the event out of an outbox."""

from msgspec.structs import replace

from headwater.capture.connect.options import listed
from headwater.capture.connect.transforms.chain import Transform
from headwater.capture.connect.transforms.flow import (
    FILTER,
    INDIRECT,
    Column,
    Record,
    Use,
    all_uses,
    deep,
    struct,
    unknown,
    unused,
    with_fields,
)

ENVELOPE = {"after", "op"}
ROW = "after"


def is_envelope(value: Column) -> bool:
    """Whether a value is a change: the row before and after, and what happened to it."""
    return {each.name for each in value.fields} >= ENVELOPE


def row_of(value: Column) -> Column | None:
    """The row in a change: as it is after it, else as it was before."""
    return next((row for name in ("after", "before") if (row := value.field(name)) and row.fields), None)


def envelope(row: Column) -> Column:
    """The change that carries a row."""
    before, after = (replace(row, name=name, type="struct") for name in ("before", "after"))
    facts = (Column("source", "struct"), Column("op", "string"), Column("ts_ms", "long"))
    return struct([before, after, *facts], partial=row.partial)


def unwrap(transform: Transform, record: Record) -> Record:
    """ExtractNewRecordState: the row as it is after the change, with what else is asked for."""
    row = _row(record)
    if row is None:
        return record
    added = [Column("__deleted", "string")] if _rewrites(transform) else []
    added += [_added(transform, record.value, each) for each in transform.listed("add.fields")]
    names = {each.name for each in added}
    kept = [each for each in row.fields if each.name not in names]
    value = struct([*kept, *added], partial=row.partial or record.value.partial)
    route = transform.option("route.by.field")
    if not route:
        return replace(record, value=value)
    deciding = [use for found in [row.field(route)] if found for use in all_uses(found)]
    uses = tuple(Use(use.path, INDIRECT, FILTER, doubt=use.doubt) for use in deciding)
    return replace(record, value=value, topic="${" + route + "}", whole=(*record.whole, *uses))


def undo_unwrap(transform: Transform, record: Record) -> Record:
    """The row was in an envelope, without what was added to it."""
    if is_envelope(record.value):
        return record
    added = {_name(transform, each) for each in transform.listed("add.fields")}
    if _rewrites(transform):
        added.add("__deleted")
    fields = tuple(each for each in record.value.fields if each.name not in added)
    return replace(record, value=envelope(replace(record.value, fields=fields, type="struct")))


def _row(record: Record) -> Column | None:
    """The row after the change; None for a record that is no change, which Debezium hands on as it is."""
    if not record.value.fields and record.value.partial:
        return record.value
    return record.value.field(ROW) if is_envelope(record.value) else None


def _rewrites(transform: Transform) -> bool:
    modes = (transform.option("delete.handling.mode"), transform.option("delete.tombstone.handling.mode"))
    return any(mode.startswith("rewrite") for mode in modes)


def _name(transform: Transform, asked: str) -> str:
    field, _, other = asked.partition(":")
    plain = other.strip() or field.strip().replace(".", "_")
    return transform.options.get("add.fields.prefix", "__") + plain


def _added(transform: Transform, value: Column, asked: str) -> Column:
    field = asked.partition(":")[0].strip()
    found = deep(value, field) or deep(value, f"source.{field}")
    return replace(found or Column(field), name=_name(transform, asked))


# -- outbox ----------------------------------------------------------------------------------------

OUTBOX = "table.field.event."
OUTBOX_FIELDS = {"id": "id", "key": "aggregateid", "type": "type", "payload": "payload"}


def outbox(transform: Transform, record: Record) -> Record:
    """EventRouter: the payload of an outbox's row is the record, and another of its fields names the topic."""
    row = _row(record)
    if row is None:
        return record
    route = transform.option("route.by.field", default="aggregatetype")
    form = transform.option("route.topic.replacement", default="outbox.event.${routedByValue}")
    topic = form.replace("${routedByValue}", "${" + route + "}")
    key, payload = (row.field(_outbox_field(transform, name)) for name in ("key", "payload"))
    value = replace(payload, name="") if payload else unknown("the outbox has no payload that is known")
    extra = [part.split(":") for part in listed(transform.option("table.fields.additional.placement"))]
    placed = [
        replace(found, name=part[2] if len(part) > 2 else part[0])
        for part in extra
        if len(part) > 1 and part[1] == "envelope" and (found := row.field(part[0]))
    ]
    if placed:
        value = struct([replace(value, name="payload"), *placed])
    deciding = tuple(
        Use(use.path, INDIRECT, FILTER) for found in [row.field(route)] if found for use in all_uses(found)
    )
    return replace(
        record,
        topic=topic,
        key=replace(key, name="") if key else record.key,
        value=value,
        whole=(*record.whole, *deciding),
    )


def undo_outbox(transform: Transform, record: Record) -> Record:
    """The outbox has at least the fields that the settings name; what is in the payload is no column of it."""
    names = [_outbox_field(transform, name) for name in OUTBOX_FIELDS]
    names.append(transform.option("route.by.field", default="aggregatetype"))
    row = struct([Column(name) for name in dict.fromkeys(names)], partial=f"{transform} takes the payload out")
    payload = _outbox_field(transform, "payload")
    inner = unused(replace(record.value, name=payload, partial=""))
    fields = (inner if each.name == payload and not inner.fields else each for each in row.fields)
    return replace(record, key=unknown(f"{transform} has replaced the key"), value=envelope(with_fields(row, fields)))


def _outbox_field(transform: Transform, name: str) -> str:
    return transform.option(OUTBOX + name, default=OUTBOX_FIELDS[name])
