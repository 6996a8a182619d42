"""Transforms, each one small pure function from a record to a record, and back where there is a way back."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.transforms import debezium, fields, headers, predicates, records, topics, values
from headwater.capture.connect.transforms.chain import KAFKA, Transform, chain_of
from headwater.capture.connect.transforms.flow import Record, doubted_record, either, noted, unknown

__all__ = ["RULES", "Rule", "Transform", "before", "chain_of", "run", "topics_before"]

# Each router on the way back doubles the topics that it may have been.
MOST_WAYS = 64
Undo = Callable[[Transform, Record], Record]


class Rule(Struct, frozen=True):
    """What a transform does to a record, and how the record was before; `apply` gives None for one it leaves out."""

    apply: Callable[[Transform, Record], Record | None]
    undo: Undo = values.same


def run(chain: Sequence[Transform], record: Record) -> Record | None:
    """A record after all its transforms; None if it is left out."""
    for transform in chain:
        made = _step(transform, record)
        if made is None:
            return None
        record = made
    return record


def before(chain: Sequence[Transform], topic: str, record: Record) -> Record:
    """A record of this topic as it was before its transforms, as far as that can be told from how it is after them."""
    stages = list(_stages(chain, topic))
    for transform, start in reversed(stages):
        rule = RULES.get(transform.kind)
        if rule is None:
            record = noted(record, f"what was before {transform} is not known: nothing is known of this transform")
        elif transform.predicate is None or predicates.holds(transform.predicate, start) is not False:
            record = rule.undo(transform, record)
        record = replace(record, topic=start.topic)
    return record


def topics_before(chain: Sequence[Transform], topic: str) -> list[str]:
    """Topics that the chain may have sent to this one: found backwards, checked forwards."""
    found = [topic]
    for transform in reversed(chain):
        more = (earlier for each in found if (earlier := topics.topic_before(transform, each)))
        found = list(dict.fromkeys([*found, *more]))[:MOST_WAYS]
    return [each for each in reversed(found) if topic_after(chain, each) == topic]


def may_have_others(chain: Sequence[Transform], topic: str) -> str:
    """Why a topic may have records of other topics than those found backwards; empty if it cannot."""
    routers = (transform for transform in chain if topics.may_send_others(transform, topic))
    return next((f"{transform} may have sent records of others to the topic {topic}" for transform in routers), "")


def topic_after(chain: Sequence[Transform], topic: str) -> str:
    """The topic that the chain sends the records of this one to; empty if it leaves them out."""
    made = run(chain, _empty(topic))
    return made.topic if made else ""


def _stages(chain: Sequence[Transform], topic: str) -> Iterator[tuple[Transform, Record]]:
    record = _empty(topic)
    for transform in chain:
        yield transform, record
        record = _step(transform, record) or record


def _empty(topic: str) -> Record:
    return Record(topic, unknown("not asked"), unknown("not asked"))


def _step(transform: Transform, record: Record) -> Record | None:
    rule = RULES.get(transform.kind)
    applies = predicates.holds(transform.predicate, record) if transform.predicate else True
    if applies is False:
        return record
    if rule is None:
        why = f"nothing is known of the transform {transform}, which may change it"
        return doubted_record(record, (transform.side,) if transform.sided else ("key", "value"), why)
    made = rule.apply(transform, record)
    if applies or transform.predicate is None:
        return made
    return either(record, made, predicates.why(transform.predicate))


DEBEZIUM = "io.debezium.transforms."
CONFLUENT = "io.confluent.connect.transforms."
AIVEN = "io.aiven.kafka.connect.transforms."
SAME = Rule(values.same)
REPLACE_FIELD = Rule(fields.replace_field, fields.undo_replace_field)
UNWRAP = Rule(debezium.unwrap, debezium.undo_unwrap)

RULES: dict[str, Rule] = {
    KAFKA + "Cast": Rule(values.cast, values.undo_cast),
    KAFKA + "DropHeaders": Rule(headers.drop_headers),
    KAFKA + "ExtractField": Rule(fields.extract_field, fields.undo_extract_field),
    KAFKA + "Filter": Rule(records.filtered),
    KAFKA + "Flatten": Rule(fields.flatten, fields.undo_flatten),
    KAFKA + "HeaderFrom": Rule(headers.header_from, headers.undo_header_from),
    KAFKA + "HoistField": Rule(fields.hoist_field, fields.undo_hoist_field),
    KAFKA + "InsertField": Rule(fields.insert_field, fields.undo_insert_field),
    KAFKA + "InsertHeader": Rule(headers.insert_header),
    KAFKA + "MaskField": Rule(values.mask_field),
    KAFKA + "RegexRouter": Rule(topics.regex_router),
    KAFKA + "ReplaceField": REPLACE_FIELD,
    KAFKA + "SetSchemaMetadata": SAME,
    KAFKA + "TimestampConverter": Rule(values.timestamp_converter, values.undo_timestamp_converter),
    KAFKA + "TimestampRouter": Rule(topics.timestamp_router),
    KAFKA + "ValueToKey": Rule(fields.value_to_key, fields.undo_value_to_key),
    DEBEZIUM + "ByLogicalTableRouter": Rule(topics.by_logical_table, topics.undo_by_logical_table),
    DEBEZIUM + "ContentBasedRouter": Rule(topics.by_expression),
    DEBEZIUM + "ExtractChangedRecordState": SAME,
    DEBEZIUM + "ExtractNewRecordState": UNWRAP,
    DEBEZIUM + "Filter": Rule(records.filtered_by_condition),
    DEBEZIUM + "SchemaChangeEventFilter": Rule(records.filtered_by_condition),
    DEBEZIUM + "TimezoneConverter": SAME,
    DEBEZIUM + "outbox.EventRouter": Rule(debezium.outbox, debezium.undo_outbox),
    DEBEZIUM + "partitions.PartitionRouting": SAME,
    "io.debezium.connector.mongodb.transforms.ExtractNewDocumentState": UNWRAP,
    "io.debezium.connector.mongodb.transforms.outbox.MongoEventRouter": Rule(debezium.outbox, debezium.undo_outbox),
    CONFLUENT + "Drop": Rule(fields.drop, fields.undo_drop),
    CONFLUENT + "ExtractTopic": Rule(topics.extract_topic),
    CONFLUENT + "Filter": Rule(records.filtered_by_condition),
    CONFLUENT + "MessageTimestampRouter": Rule(topics.timestamp_router),
    CONFLUENT + "ReplaceField": REPLACE_FIELD,
    CONFLUENT + "TombstoneHandler": SAME,
    "io.confluent.connect.cloud.transforms.TopicRegexRouter": Rule(topics.regex_router),
    AIVEN + "ExtractTopic": Rule(topics.extract_topic),
    AIVEN + "Hash": Rule(values.hashed),
    "org.apache.camel.kafkaconnector.transforms.SchemaAndStructToJsonTransform": SAME,
    "org.apache.iceberg.connect.transforms.CopyValue": Rule(fields.copy_value),
    "org.apache.iceberg.connect.transforms.DebeziumTransform": Rule(records.iceberg_debezium),
    "org.apache.iceberg.connect.transforms.KafkaMetadataTransform": Rule(records.kafka_metadata),
    "io.tabular.iceberg.connect.transforms.CopyValue": Rule(fields.copy_value),
    "io.tabular.iceberg.connect.transforms.DebeziumTransform": Rule(records.iceberg_debezium),
    "io.tabular.iceberg.connect.transforms.KafkaMetadataTransform": Rule(records.kafka_metadata),
    # It reports lineage from inside the connector, and hands the record on as it is.
    "io.factorhouse.smt.OpenLineageLifecycleSmt": SAME,
    # A value that may be null becomes one that may not.
    "io.factorhouse.smt.UnwrapUnionTransform": SAME,
}
