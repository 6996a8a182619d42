"""JDBC sources and sinks of Confluent, Aiven and Debezium: tables by the address of their database."""

from __future__ import annotations

import re

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
    mapping,
    open_name,
)
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.debezium import is_envelope, row_of
from headwater.capture.connect.transforms.flow import Column, Record
from headwater.openlineage.naming import jdbc_table

QUERIED = "the connector's query is not read"


def origins(config: Config) -> tuple[Origin, ...]:
    """The tables that are listed, or those that the query names after FROM and JOIN."""
    url, prefix = option(config, "connection.url"), option(config, "topic.prefix")
    if query := option(config, "query"):
        found = re.findall(r"\b(?:from|join)\s+([\w.\"`\[\]$]+)", query, re.IGNORECASE)
        tables = dict.fromkeys(found)
        return tuple(
            Origin(jdbc_table(url, table), prefix, unknown=QUERIED, possible=QUERIED, opaque=len(tables) > 1)
            for table in tables
        )
    listing = option(config, "table.whitelist", "table.include.list", "table.names")
    return tuple(
        Origin(jdbc_table(url, table), prefix + table.replace('"', "").rpartition(".")[2]) for table in listed(listing)
    )


def origin_of(config: Config, topic: str) -> Origin | None:
    """The table whose name is behind the prefix; the schema that it is in is the usual one."""
    prefix = option(config, "topic.prefix")
    table = topic.removeprefix(prefix)
    if not topic.startswith(prefix) or not table or option(config, "query"):
        return None
    schema = option(config, "schema.pattern")
    named = f"{schema}.{table}" if schema and "%" not in schema else table
    return Origin(jdbc_table(option(config, "connection.url"), named), topic)


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The table that the format makes of the topic, with the columns of the value and what is asked of the key."""
    table = mapping(option(config, "topics.to.tables.mapping", "topic.to.table.mapping")).get(record.topic, "")
    form = option(config, "table.name.format", "collection.name.format", default="${topic}")
    table = table or filled(form, record.topic)
    if "debezium" in config.get("connector.class", "") and "collection.name.format" not in config:
        table = table if "table.name.format" in config else table.replace(".", "_")
    name = jdbc_table(option(config, "connection.url"), table)
    return (Target(name, columns(config, record), unknown=open_name(table)),)


def columns(config: Config, record: Record) -> tuple[Column, ...]:
    """The columns of the table: the key's by the mode of the primary key, then the value's."""
    row = row_of(record.value) if is_envelope(record.value) else None
    found = row.fields if row is not None else columns_of(record)
    wanted = listed(option(config, "fields.whitelist", "fields.include.list"))
    keys = key_columns(config, record)
    names = {each.name for each in keys}
    kept = tuple(each for each in found if each.name not in names and (not wanted or each.name in wanted))
    return (*keys, *kept)


def key_columns(config: Config, record: Record) -> tuple[Column, ...]:
    """What the primary key adds to the table, by its mode; record_value adds nothing."""
    mode = option(config, "pk.mode", "primary.key.mode", default="none").lower()
    fields = listed(option(config, "pk.fields", "primary.key.fields"))
    if mode == "kafka":
        names = fields if len(fields) == 3 else ("__connect_topic", "__connect_partition", "__connect_offset")
        return tuple(Column(name, type) for name, type in zip(names, ("string", "int", "long"), strict=True))
    if mode != "record_key":
        return ()
    if record.key.fields:
        return tuple(each for each in record.key.fields if not fields or each.name in fields)
    return (replace(record.key, name=fields[0], partial=""),) if fields else ()


SOURCE = Source("JDBC source", origins, origin_of)
SINK = Sink("JDBC sink", targets)
FAMILIES: dict[str, Family] = {
    "io.aiven.connect.jdbc.JdbcSinkConnector": SINK,
    "io.aiven.connect.jdbc.JdbcSourceConnector": SOURCE,
    "io.confluent.connect.jdbc.JdbcSinkConnector": SINK,
    "io.confluent.connect.jdbc.JdbcSourceConnector": SOURCE,
    "io.debezium.connector.jdbc.JdbcSinkConnector": SINK,
}
