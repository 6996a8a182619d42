"""Snowflake's sink: a table for each topic, of two columns unless its schema is taken from the records."""

from __future__ import annotations

import re

from msgspec.structs import replace

from headwater.capture.connect.families.family import Family, Locations, Sink, Target, columns_of, mapping
from headwater.capture.connect.options import Config, flag, java_pattern, option
from headwater.capture.connect.transforms.flow import Record, packed
from headwater.openlineage.naming import snowflake_table


def table_of(config: Config, topic: str) -> str:
    """The table that a topic is mapped to, by its name or a pattern; else its name as Snowflake can write it."""
    known = mapping(option(config, "snowflake.topic2table.map"))
    if topic in known:
        return known[topic]
    for name, table in known.items():
        pattern = java_pattern(name)
        if pattern and pattern.fullmatch(topic):
            return table
    plain = re.sub(r"[^A-Za-z0-9_$]", "_", topic)
    return (plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}").upper()


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The topic's table; RECORD_METADATA tells where in Kafka each row was."""
    table = snowflake_table(
        option(config, "snowflake.url.name"),
        option(config, "snowflake.database.name"),
        option(config, "snowflake.schema.name", default="PUBLIC"),
        table_of(config, record.topic),
    )
    metadata = packed("RECORD_METADATA", "VARIANT", record.key, "with the key in it")
    if flag(config, "snowflake.enable.schematization"):
        fields = [replace(each, name=each.name.upper()) for each in columns_of(record)]
        return (Target(table, [metadata, *fields]),)
    content = packed("RECORD_CONTENT", "VARIANT", record.value, "as JSON")
    return (Target(table, [metadata, content]),)


SINK = Sink("Snowflake sink", targets)
FAMILIES: dict[str, Family] = {
    "com.snowflake.kafka.connector.SnowflakeSinkConnector": SINK,
    "com.snowflake.kafka.connector.SnowflakeStreamingSinkConnector": SINK,
}
