"""Delta Lake's sinks: tables of a Databricks workspace, or by where they are."""

from __future__ import annotations

from headwater.capture.connect.families.family import (
    Family,
    Locations,
    Sink,
    Target,
    columns_of,
    filled,
    mapping,
    open_name,
)
from headwater.capture.connect.options import Config, option
from headwater.capture.connect.transforms.flow import Column, Record
from headwater.openlineage.naming import DatasetName, location


def databricks(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """A table of the workspace; the connector adds the record's partition."""
    known = mapping(option(config, "delta.lake.topic2table.map"))
    form = option(config, "delta.lake.table.format", default="${topic}")
    table = known.get(record.topic) or filled(form, record.topic).replace(".", "_")
    catalog = option(config, "delta.lake.catalog", "delta.lake.catalog.name", default="hive_metastore")
    schema = option(config, "delta.lake.database", "delta.lake.schema", default="default")
    full = f"{catalog}.{schema}.{table}"
    columns = [*columns_of(record), Column("partition", "int")]
    if place := locations.get(full, ""):
        return (Target(location(place), columns, (DatasetName(_workspace(config), full),)),)
    return (Target(DatasetName(_workspace(config), full), columns, unknown=open_name(table)),)


def by_location(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """A table by the folder that the settings have for it."""
    place = filled(option(config, "delta.table.location", "table.uri", "delta.table.path", "table.path"), record.topic)
    if not place:
        unnamed = DatasetName("connect:delta", config.get("name", record.topic))
        return (Target(unnamed, columns_of(record), unknown="the settings do not say where the table is"),)
    return (Target(location(place), columns_of(record), unknown=open_name(place)),)


def _workspace(config: Config) -> str:
    return f"databricks://{option(config, 'delta.lake.host.name').rpartition('://')[2].rstrip('/').lower()}"


FAMILIES: dict[str, Family] = {
    "io.confluent.connect.databricks.deltalake.DatabricksDeltaLakeSinkConnector": Sink("Delta Lake sink", databricks),
    "io.delta.connect.DeltaSinkConnector": Sink("Delta sink", by_location),
}
