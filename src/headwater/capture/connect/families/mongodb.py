"""MongoDB's own source and sink: collections."""

from __future__ import annotations

import re

import msgspec
from msgspec.structs import replace

from headwater.capture.connect.families.family import (
    PLAIN,
    Family,
    Locations,
    Origin,
    Shape,
    Sink,
    Source,
    Target,
    columns_of,
    used,
)
from headwater.capture.connect.options import Config, flag, option
from headwater.capture.connect.transforms.flow import Column, Record, unknown
from headwater.openlineage.naming import DatasetName, server_table


def collection(config: Config, database: str, name: str) -> DatasetName:
    """A collection of the first of the servers that the connector knows."""
    place = option(config, "connection.uri").rpartition("://")[2].rpartition("@")[2].partition("/")[0]
    return server_table("mongodb", re.split("[,?]", place)[0], None, database, name)


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The collection that the settings name for all topics or for this one; else one with the topic's name."""
    own = f"topic.override.{record.topic}."
    database = option(config, own + "database", "database")
    name = option(config, own + "collection", "collection", default=record.topic)
    mapper = option(config, own + "namespace.mapper", "namespace.mapper")
    why = (
        f"{mapper.rpartition('.')[2]} chooses the collection by the record"
        if mapper.endswith("FieldPathNamespaceMapper")
        else ""
    )
    return (Target(collection(config, database, name), columns_of(record), unknown=why),)


def origins(config: Config) -> tuple[Origin, ...]:
    """The collection that is watched; a whole database, or all of them, is known by its topics."""
    database, name = option(config, "database"), option(config, "collection")
    if not (database and name):
        return ()
    return (Origin(collection(config, database, name), topic_of(config, database, name)),)


def topic_of(config: Config, database: str, name: str) -> str:
    """The topic of a collection."""
    try:
        known = msgspec.json.decode(option(config, "topic.namespace.map", default="{}"))
    except msgspec.DecodeError:
        known = {}
    full = f"{database}.{name}"
    if isinstance(known, dict) and isinstance(found := known.get(full, known.get(database)), str):
        return found if full in known else f"{found}.{name}"
    joint = option(config, "topic.separator", default=".")
    return joint.join(
        each for each in (option(config, "topic.prefix"), database, name, option(config, "topic.suffix")) if each
    )


def origin_of(config: Config, topic: str) -> Origin | None:
    """The collection that a topic's name ends with."""
    joint = option(config, "topic.separator", default=".")
    before, after = option(config, "topic.prefix"), option(config, "topic.suffix")
    rest = topic.removeprefix(before + joint) if before else topic
    rest = rest.removesuffix(joint + after) if after else rest
    database, _, name = rest.partition(joint)
    return Origin(collection(config, database, name), topic) if name else None


def row(record: Record) -> Column:
    """The document is in the change, or is the change where only documents are asked for."""
    found = record.value.field("fullDocument")
    if found is not None:
        return replace(found, name="", type="struct") if found.fields else unknown("documents have no schema")
    return PLAIN.row(record) if record.value.fields else unknown("documents have no schema")


def emit(config: Config, origin: Origin, record: Record) -> Record:
    """The document in the change, or instead of it."""
    if flag(config, "publish.full.document.only"):
        return PLAIN.emit(config, origin, record)
    fields = (used(each) if each.name == "fullDocument" else each for each in record.value.fields)
    return replace(record, value=replace(record.value, fields=tuple(fields)))


FAMILIES: dict[str, Family] = {
    "com.mongodb.kafka.connect.MongoSinkConnector": Sink("MongoDB sink", targets),
    "com.mongodb.kafka.connect.MongoSourceConnector": Source("MongoDB source", origins, origin_of, Shape(row, emit)),
}
