"""Lenses' connectors, whose settings are statements in KCQL: INSERT INTO bucket:prefix SELECT a, b AS c FROM topic."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.families.family import (
    Family,
    Locations,
    Origin,
    Sink,
    Source,
    Target,
    columns_of,
    open_name,
)
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Column, Record, deep, struct
from headwater.openlineage.naming import DatasetName, location, server_table

_INSERT = re.compile(
    r"(?:insert|upsert|update|push)\s+into\s+(?P<into>`[^`]*`|\S+)\s+select\s+(?P<what>.+?)\s+from\s+"
    r"(?P<origin>`[^`]*`|\S+)",
    re.IGNORECASE | re.DOTALL,
)


class Statement(Struct, frozen=True):
    """What one statement reads, chooses and writes; a field's other name is what it is called after."""

    into: str
    fields: tuple[tuple[str, str], ...]
    origin: str


def statements(kcql: str) -> tuple[Statement, ...]:
    """The statements of a setting; what is no statement is left out."""
    found = []
    for each in _INSERT.finditer(kcql):
        chosen = (re.split(r"\s+as\s+", part.strip(), flags=re.IGNORECASE) for part in each["what"].split(","))
        fields = tuple((part[0].strip("` "), part[-1].strip("` ")) for part in chosen)
        everything = any(name == "*" for name, _ in fields)
        found.append(Statement(_plain(each["into"]), () if everything else fields, _plain(each["origin"])))
    return tuple(found)


def chosen(statement: Statement, record: Record) -> tuple[Column, ...]:
    """The columns that a statement selects of a record."""
    if not statement.fields:
        return columns_of(record)
    made: list[Column] = []
    for path, name in statement.fields:
        part, rest = record.value, path.removeprefix("_value.")
        if path.startswith("_key"):
            part, rest = record.key, path.removeprefix("_key").lstrip(".")
        found = deep(part, rest) if rest else part
        last = name.rpartition(".")[2]
        made.append(replace(found, name=last) if found else Column(last))
    return struct(made).fields


def sink(title: str, key: str, name: Callable[[Config, str], DatasetName]) -> Sink:
    """A family of sinks by the setting that has its statements."""

    def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
        return tuple(
            Target(name(config, statement.into), chosen(statement, record), unknown=open_name(statement.into))
            for statement in statements(option(config, key))
            if statement.origin in (record.topic, "*")
        )

    return Sink(title, targets)


def source(title: str, key: str, name: Callable[[Config, str], DatasetName]) -> Source:
    """A family of sources by the setting that has its statements."""

    def origins(config: Config) -> tuple[Origin, ...]:
        found = statements(option(config, key))
        return tuple(Origin(name(config, statement.origin), statement.into) for statement in found)

    return Source(title, origins)


def store(scheme: str) -> Callable[[Config, str], DatasetName]:
    """bucket:prefix of an object store."""

    def name(config: Config, place: str) -> DatasetName:
        bucket, _, path = place.partition(":")
        return location(f"{scheme}://{bucket}/{path}")

    return name


def lake(config: Config, place: str) -> DatasetName:
    """container:prefix of an account of Azure's data lake."""
    container, _, path = place.partition(":")
    account = option(config, "connect.datalake.azure.account.name")
    return location(f"abfss://{container}@{account}.dfs.core.windows.net/{path}")


def redis(config: Config, key: str) -> DatasetName:
    """A key, or what keys begin with, of a Redis."""
    return server_table("redis", option(config, "connect.redis.host"), option(config, "connect.redis.port"), key)


def elastic(config: Config, index: str) -> DatasetName:
    """An index of an Elasticsearch."""
    hosts = listed(option(config, "connect.elastic.hosts"))
    port = option(config, "connect.elastic.port")
    return server_table("elasticsearch", hosts[0] if hosts else "", port, index)


def mongo(config: Config, collection: str) -> DatasetName:
    """A collection of a MongoDB."""
    place = option(config, "connect.mongo.connection").rpartition("://")[2].rpartition("@")[2].partition("/")[0]
    return server_table("mongodb", place.split(",")[0], None, option(config, "connect.mongo.db"), collection)


def _plain(name: str) -> str:
    return name.strip("`;'\" ")


LENSES, OLD = "io.lenses.streamreactor.connect.", "com.datamountaineer.streamreactor.connect."
S3_SINK = sink("Lenses S3 sink", "connect.s3.kcql", store("s3"))
S3_SOURCE = source("Lenses S3 source", "connect.s3.kcql", store("s3"))
GCS_SINK = sink("Lenses GCS sink", "connect.gcpstorage.kcql", store("gs"))
REDIS = sink("Lenses Redis sink", "connect.redis.kcql", redis)
ELASTIC = sink("Lenses Elasticsearch sink", "connect.elastic.kcql", elastic)
MONGO = sink("Lenses MongoDB sink", "connect.mongo.kcql", mongo)
FAMILIES: dict[str, Family] = {
    LENSES + "aws.s3.sink.S3SinkConnector": S3_SINK,
    LENSES + "aws.s3.source.S3SourceConnector": S3_SOURCE,
    LENSES + "datalake.sink.DatalakeSinkConnector": sink("Lenses Data Lake sink", "connect.datalake.kcql", lake),
    LENSES + "gcp.storage.sink.GCPStorageSinkConnector": GCS_SINK,
    LENSES + "gcp.storage.source.GCPStorageSourceConnector": source(
        "Lenses GCS source", "connect.gcpstorage.kcql", store("gs")
    ),
    LENSES + "elastic7.ElasticSinkConnector": ELASTIC,
    LENSES + "elastic8.ElasticSinkConnector": ELASTIC,
    LENSES + "mongodb.sink.MongoSinkConnector": MONGO,
    LENSES + "redis.sink.RedisSinkConnector": REDIS,
    OLD + "aws.s3.sink.S3SinkConnector": S3_SINK,
    OLD + "aws.s3.source.S3SourceConnector": S3_SOURCE,
    OLD + "redis.sink.RedisSinkConnector": REDIS,
    OLD + "mongodb.sink.MongoSinkConnector": MONGO,
}
