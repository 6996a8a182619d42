"""Transforms that work on whole records."""

from headwater.capture.connect.transforms.chain import Transform
from headwater.capture.connect.transforms.debezium import is_envelope, row_of
from headwater.capture.connect.transforms.flow import Column, Record, noted, struct, with_fields


def filtered(transform: Transform, record: Record) -> Record | None:
    """Filter: records are left out; all of them, but for the predicate that it comes with."""
    return None


def filtered_by_condition(transform: Transform, record: Record) -> Record:
    """A filter with a condition of its own."""
    return noted(record, f"some records are left out by the condition of {transform}, which is not read")


def kafka_metadata(transform: Transform, record: Record) -> Record:
    """KafkaMetadataTransform: where the record was in Kafka, as one more field."""
    name = transform.option("field_name", default="_kafka_metadata")
    facts = (Column("topic", "string"), Column("partition", "int"), Column("offset", "long"))
    nested = transform.option("nested").lower() == "true"
    added = (
        [Column(name, "struct", fields=facts)]
        if nested
        else [Column(f"{name}_{each.name}", each.type) for each in facts]
    )
    return Record(
        record.topic,
        record.key,
        with_fields(record.value, [*record.value.fields, *added]),
        record.headers,
        record.whole,
        record.notes,
    )


def iceberg_debezium(transform: Transform, record: Record) -> Record:
    """DebeziumTransform of the Iceberg sink: the row, and what happened to it in one more field."""
    row = row_of(record.value)
    if row is None or not is_envelope(record.value):
        return record
    words = {"op": "string", "ts": "timestamp-millis", "offset": "long", "source": "string", "target": "string"}
    cdc = Column("_cdc", "struct", fields=tuple(Column(name, type) for name, type in words.items()))
    return Record(record.topic, record.key, struct([*row.fields, cdc]), record.headers, record.whole, record.notes)
