"""Iceberg sinks of Apache and Tabular: tables by where they are, with their catalog's names for them as symlinks."""

from __future__ import annotations

import re

from msgspec.structs import replace

from headwater.capture.connect.families.family import Family, Locations, Sink, Target, columns_of
from headwater.capture.connect.options import Config, flag, java_pattern, listed, option, under
from headwater.capture.connect.transforms.flow import FILTER, INDIRECT, Column, Record, Use, all_uses, deep
from headwater.openlineage.naming import DatasetName, catalog_namespace, location

# Types that the sink makes of records' types, as Spark names them, so that both tell the same of one table.
TYPES = {
    "bytes": "binary",
    "enum": "string",
    "int": "integer",
    "json": "string",
    "local-timestamp-micros": "timestamp_ntz",
    "local-timestamp-millis": "timestamp_ntz",
    "time-micros": "long",
    "time-millis": "time",
    "timestamp-micros": "long",
    "timestamp-millis": "timestamp",
    "timestamp-with-zone": "string",
    "uuid": "string",
}


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The tables that records of this topic go to."""
    return tuple(table_target(config, record, table, why, locations) for table, why in routes(config, record))


def routes(config: Config, record: Record) -> list[tuple[str, str]]:
    """Tables, each with why it is only possible: without a route field every listed table has every record."""
    field = option(config, "iceberg.tables.route-field")
    tables = listed(config.get("iceberg.tables", ""))
    found = deep(record.value, field) if field else None
    text = found.text if found is not None else None
    if flag(config, "iceberg.tables.dynamic-enabled"):
        if text is not None:
            return [(text.lower(), "")]
        return [("${" + field + "}", f"each record names its table in the field {field}")]
    if not field:
        return [(table, "") for table in tables]
    matched = []
    for table in tables:
        pattern = java_pattern(option(config, f"iceberg.table.{table}.route-regex"))
        if pattern is None or not pattern.pattern:
            continue
        if text is None:
            matched.append((table, f"only records whose field {field} matches {pattern.pattern}"))
        elif pattern.fullmatch(text):
            matched.append((table, ""))
    return matched


def table_target(config: Config, record: Record, table: str, why: str, locations: Locations) -> Target:
    """A table, its names and its columns."""
    dataset, symlinks, unknown = identity(config, table, locations)
    field = option(config, "iceberg.tables.route-field")
    deciding = deep(record.value, field) if field and why else None
    whole = tuple(Use(use.path, INDIRECT, FILTER, why) for use in (all_uses(deciding) if deciding else ()))
    made = [_typed(each) for each in columns_of(record)]
    return Target(dataset, made, symlinks, unknown or (why if "${" in table else ""), whole)


def identity(config: Config, table: str, locations: Locations) -> tuple[DatasetName, tuple[DatasetName, ...], str]:
    """A table's name by its place, the names that its catalog has for it, and why its place is not known."""
    properties = under(config, "iceberg.catalog.")
    catalog = option(config, "iceberg.catalog", default="iceberg")
    namespace = catalog_namespace(properties)
    symlinks = tuple(DatasetName(namespace, name) for name in (table, f"{catalog}.{table}") if namespace)
    if "${" in table:
        return DatasetName(namespace or f"iceberg:{catalog}", table), (), "the records say which table it is"
    if place := locations.get(table, "") or usual_location(properties, table):
        return location(place), symlinks, ""
    why = "its catalog decides where the table is, and the settings do not tell"
    return DatasetName(namespace or f"iceberg:{catalog}", table), symlinks[1:], why


def usual_location(properties: Config, table: str) -> str:
    """Where a catalog makes a table if it is not told otherwise; empty for one that has no such rule."""
    warehouse = option(properties, "warehouse").rstrip("/")
    kind = option(properties, "type", "catalog-impl").lower()
    *space, name = table.split(".")
    if not warehouse or ("://" not in warehouse and not warehouse.startswith(("/", "file:"))):
        return ""
    if kind.endswith(("hive", "hivecatalog")):
        # The metastore's own database is the warehouse itself; each other has a folder there.
        parts = [] if space in ([], ["default"]) else [f"{'.'.join(space)}.db"]
    elif kind.endswith(("glue", "gluecatalog")):
        parts = [f"{'.'.join(space)}.db"]
    elif kind.endswith(("hadoop", "hadoopcatalog", "jdbc", "jdbccatalog")):
        parts = space
    else:
        return ""
    return "/".join([warehouse, *parts, name])


def _typed(column: Column) -> Column:
    # The sink knows a decimal's scale, and takes the widest there is.
    type = re.sub(r"decimal\(\d+,", "decimal(38,", TYPES.get(column.type, column.type))
    return replace(column, type=type, fields=tuple(_typed(each) for each in column.fields))


SINK = Sink("Iceberg sink", targets)
FAMILIES: dict[str, Family] = {
    "org.apache.iceberg.connect.IcebergSinkConnector": SINK,
    "io.tabular.iceberg.connect.IcebergSinkConnector": SINK,
}
