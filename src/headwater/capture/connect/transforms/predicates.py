"""Predicates: whether a transform is applied to the records of a topic."""

from collections.abc import Callable

from headwater.capture.connect.options import java_pattern, option
from headwater.capture.connect.transforms.chain import KAFKA_PREDICATES, Predicate
from headwater.capture.connect.transforms.flow import Record


def holds(predicate: Predicate, record: Record) -> bool | None:
    """Whether it is so for records such as this one; None if only each record itself can tell."""
    rule = RULES.get(predicate.kind)
    found = rule(predicate, record) if rule else None
    return found if found is None else found != predicate.negate


def why(predicate: Predicate) -> str:
    """What a person is told where only each record can tell."""
    return f"it depends on the predicate {predicate.alias} ({predicate.kind.rpartition('.')[2]}), record by record"


def topic_name_matches(predicate: Predicate, record: Record) -> bool | None:
    """The topic's name, as it is at this place in the chain."""
    pattern = java_pattern(option(predicate.options, "pattern"))
    return bool(pattern.fullmatch(record.topic)) if pattern and "${" not in record.topic else None


def has_header_key(predicate: Predicate, record: Record) -> bool | None:
    """A header that a transform before has set is there; others may be."""
    name = option(predicate.options, "name")
    return True if any(header.name == name for header in record.headers) else None


def record_is_tombstone(predicate: Predicate, record: Record) -> bool | None:
    """A record without a value has no columns, so those with columns are none."""
    return False


RULES: dict[str, Callable[[Predicate, Record], bool | None]] = {
    KAFKA_PREDICATES + "TopicNameMatches": topic_name_matches,
    KAFKA_PREDICATES + "HasHeaderKey": has_header_key,
    KAFKA_PREDICATES + "RecordIsTombstone": record_is_tombstone,
}
