"""MirrorMaker 2: topics of another cluster, byte by byte."""

from __future__ import annotations

from msgspec.structs import replace

from headwater.capture.connect.families.family import Family, Origin, Shape, Source, used
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.topic_columns import VALUE, columns, key_name
from headwater.capture.connect.transforms.flow import Column, Record, struct
from headwater.openlineage.naming import kafka_topic


def topic_of(config: Config, topic: str) -> str:
    """What a topic of the other cluster is called here: by its own name, or with the cluster's in front."""
    if option(config, "replication.policy.class").endswith("IdentityReplicationPolicy"):
        return topic
    return option(config, "source.cluster.alias") + option(config, "replication.policy.separator", default=".") + topic


def origins(config: Config) -> tuple[Origin, ...]:
    """The topics that the settings name one by one."""
    names = [each for each in listed(config.get("topics", "")) if not set(each) & set("*+?[](){}|\\^$")]
    found = (origin_of(config, topic_of(config, name)) for name in names)
    return tuple(each for each in found if each)


def origin_of(config: Config, topic: str) -> Origin | None:
    """The topic of the other cluster that one here is the copy of."""
    head = topic_of(config, "")
    servers = option(config, "source.cluster.bootstrap.servers")
    name = topic.removeprefix(head)
    if not topic.startswith(head) or not name or not servers:
        return None
    return Origin(kafka_topic(servers, name), topic)


def other(config: Config, topic: str) -> str:
    """Topics that MirrorMaker keeps for itself."""
    if topic == "heartbeats" or topic.endswith((".heartbeats", ".checkpoints.internal")):
        return "MirrorMaker's own heartbeats and checkpoints"
    return f"MirrorMaker's own offsets, {topic}" if topic.startswith("mm2-offset") else ""


def checkpoints(config: Config, topic: str) -> str:
    """Everything that these connectors write is about consumers, and is no copy of anything."""
    return "MirrorMaker's own heartbeats and checkpoints"


def row(record: Record) -> Column:
    """Both topics have the same columns."""
    return struct(columns(record.key, record.value), partial=record.value.partial)


def emit(config: Config, origin: Origin, record: Record) -> Record:
    """Keys and values are handed on as they are."""
    name = key_name([each.name for each in record.value.members])
    value = used(record.value, "" if record.value.members else VALUE)
    return replace(record, key=used(record.key, name), value=value)


MIRROR = "org.apache.kafka.connect.mirror."
FAMILIES: dict[str, Family] = {
    MIRROR + "MirrorCheckpointConnector": Source("MirrorMaker checkpoints", other=checkpoints),
    MIRROR + "MirrorHeartbeatConnector": Source("MirrorMaker heartbeats", other=checkpoints),
    MIRROR + "MirrorSourceConnector": Source("MirrorMaker", origins, origin_of, Shape(row, emit), other),
}
