"""Redis: keys, streams and what else it has."""

from __future__ import annotations

from msgspec.structs import replace

from headwater.capture.connect.families.family import (
    Family,
    Locations,
    Origin,
    Sink,
    Source,
    Target,
    columns_of,
    filled,
)
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Record
from headwater.openlineage.naming import DatasetName, server_table


def keys(config: Config, name: str) -> DatasetName:
    """What is under a name in the first of the servers."""
    hosts = listed(option(config, "redis.uri", "redis.hosts", "redis.host"))
    server = hosts[0].rpartition("://")[2].rpartition("@")[2].partition("/")[0] if hosts else ""
    return server_table("redis", server, None, name)


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """Keys that begin with the topic's name, unless the settings name another; or any, where each record is its key."""
    name = option(config, "redis.key", "redis.keyspace", default="${topic}")
    dataset = keys(config, filled(name, record.topic))
    columns = list(columns_of(record))
    if not record.key.fields and record.key.uses:
        columns.insert(0, replace(record.key, name="key", partial=""))
    return (Target(dataset, columns),)


def origins(config: Config) -> tuple[Origin, ...]:
    """A stream, or keys by a pattern."""
    name = option(config, "redis.stream.name", "redis.keys.pattern", "redis.channels", default="*")
    form = option(config, "topic", default="${stream}")
    return (Origin(keys(config, name), form.replace("${stream}", name).replace("${task}", "0")),)


SINK = Sink("Redis sink", targets)
SOURCE = Source("Redis source", origins)
FAMILIES: dict[str, Family] = {
    "com.github.jcustenborder.kafka.connect.redis.RedisSinkConnector": SINK,
    "com.redis.kafka.connect.RedisKeysSourceConnector": SOURCE,
    "com.redis.kafka.connect.RedisSinkConnector": SINK,
    "com.redis.kafka.connect.RedisStreamSourceConnector": SOURCE,
}
