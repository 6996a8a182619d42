"""BigQuery's sink: a table for each topic in a dataset of a project."""

from __future__ import annotations

import re

from msgspec.structs import replace

from headwater.capture.connect.families.family import Family, Locations, Sink, Target, columns_of, mapping
from headwater.capture.connect.options import Config, flag, java_pattern, option
from headwater.capture.connect.transforms.flow import Column, Record
from headwater.openlineage.naming import bigquery_table


def table_of(config: Config, topic: str) -> str:
    """The table that a topic is mapped to; else its name, with a line for what BigQuery cannot write."""
    known = mapping(option(config, "topic2TableMap"))
    if topic in known:
        return known[topic]
    # project:dataset.table and dataset:table are topics that name both.
    name = topic.rpartition(":")[2]
    return re.sub(r"[^A-Za-z0-9_]", "_", name) if flag(config, "sanitizeTopics", True) else name


def dataset_of(config: Config, topic: str) -> str:
    """The dataset of a topic: the first whose pattern matches in older settings, else the one for all."""
    for name, dataset in (each.split("=", 1) for each in config.get("datasets", "").split(",") if "=" in each):
        pattern = java_pattern(name.strip())
        if pattern and pattern.fullmatch(topic):
            return dataset.strip()
    return option(config, "defaultDataset")


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The topic's table; the key and where the record was in Kafka are columns if they are asked for."""
    table = bigquery_table(option(config, "project"), dataset_of(config, record.topic), table_of(config, record.topic))
    columns = list(columns_of(record))
    if flag(config, "sanitizeFieldNames"):
        columns = [replace(each, name=re.sub(r"[^A-Za-z0-9_]", "_", each.name)) for each in columns]
    if key := option(config, "kafkaKeyFieldName"):
        columns.append(replace(record.key, name=key, partial=""))
    if data := option(config, "kafkaDataFieldName"):
        columns.append(Column(data, "struct"))
    return (Target(table, columns),)


SINK = Sink("BigQuery sink", targets)
FAMILIES: dict[str, Family] = {
    "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector": SINK,
    "io.aiven.kafka.connect.bigquery.BigQuerySinkConnector": SINK,
}
