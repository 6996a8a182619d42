"""Subjects: what a registry calls the schema of a topic's keys or values, by the strategy of the converter."""

from __future__ import annotations

import re

from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.schemas.converters import Side

TOPIC, RECORD, TOPIC_RECORD = "TOPIC", "RECORD", "TOPIC_RECORD"
STRATEGIES = {
    "TopicNameStrategy": TOPIC,
    "RecordNameStrategy": RECORD,
    "TopicRecordNameStrategy": TOPIC_RECORD,
    "TopicIdStrategy": TOPIC,
    "RecordIdStrategy": RECORD,
    "QualifiedRecordIdStrategy": RECORD,
    "TopicRecordIdStrategy": TOPIC_RECORD,
}


def subjects(config: Config, topic: str, side: Side) -> tuple[str, ...]:
    """Subjects that may have the schema, the likeliest first."""
    settings = _settings(config, side)
    if named := option(config, *(prefix + "apicurio.registry.artifact.artifact-id" for prefix in settings)):
        return (named,)
    name = _strategy(config, settings, side)
    if name == "SimpleTopicIdStrategy":
        return (topic, f"{topic}-{side}")
    records = _records(config, topic, side)
    match STRATEGIES.get(name, TOPIC):
        case "RECORD":
            return (*records, *(each.rpartition(".")[2] for each in records if name == "RecordIdStrategy"))
        case "TOPIC_RECORD":
            return tuple(f"{topic}-{record}" for record in records)
    return (f"{topic}-{side}",)


def subject_pattern(config: Config, topic: str, side: Side) -> str:
    """A pattern that the subject matches where it depends on the record's name; empty where it does not."""
    name = _strategy(config, _settings(config, side), side)
    return f"{re.escape(topic)}-.+" if STRATEGIES.get(name) == TOPIC_RECORD else ""


def _settings(config: Config, side: Side) -> tuple[str, str]:
    return f"{side}.converter.", ""


def _strategy(config: Config, settings: tuple[str, str], side: Side) -> str:
    keys = (f"{side}.subject.name.strategy", "subject.name.strategy", "apicurio.registry.artifact-resolver-strategy")
    return option(config, *(settings[0] + key for key in keys)).rpartition(".")[2]


def _records(config: Config, topic: str, side: Side) -> tuple[str, ...]:
    """What the record may be called: what a transform calls it, else what Debezium and others make of the topic."""
    names = []
    for alias in listed(config.get("transforms", "")):
        kind = config.get(f"transforms.{alias}.type", "")
        if kind.endswith(f"SetSchemaMetadata${side.capitalize()}"):
            names.append(option(config, f"transforms.{alias}.schema.name"))
    words = ("Key",) if side == "key" else ("Envelope", "Value")
    return tuple(dict.fromkeys([*filter(None, names), *(f"{topic}.{word}" for word in words), topic]))
