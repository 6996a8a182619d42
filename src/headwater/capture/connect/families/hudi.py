"""Hudi's sink: one table by where it is."""

from __future__ import annotations

from headwater.capture.connect.families.family import Family, Locations, Sink, Target, columns_of
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Column, Record
from headwater.openlineage.naming import DatasetName, hive_namespace, location

# What Hudi keeps in every row.
OWN = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The table at the base path; where it is put into a metastore, that name is a symlink."""
    table, place = option(config, "hoodie.table.name"), option(config, "hoodie.base.path", "target.base.path")
    columns = [*(Column(name, "string") for name in OWN), *columns_of(record)]
    if not place:
        unnamed = DatasetName("connect:hudi", table or config.get("name", record.topic))
        return (Target(unnamed, columns, unknown="the settings have no hoodie.base.path"),)
    stores = listed(option(config, "hoodie.datasource.hive_sync.metastore.uris", "hive.metastore.uris"))
    database = option(config, "hoodie.datasource.hive_sync.database", default="default")
    name = option(config, "hoodie.datasource.hive_sync.table", default=table)
    symlinks = (DatasetName(hive_namespace(stores[0]), f"{database}.{name}"),) if stores and name else ()
    return (Target(location(place), columns, symlinks),)


FAMILIES: dict[str, Family] = {"org.apache.hudi.connect.HoodieSinkConnector": Sink("Hudi sink", targets)}
