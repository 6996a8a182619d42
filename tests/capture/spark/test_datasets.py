"""Names of sources and sinks from what the program asked for."""

from collections.abc import Mapping

import pytest

from headwater.capture.connect.lineage import lineage_of
from headwater.capture.spark.datasets import Asked, Identity, sink_identity, source_identity, table_identity
from headwater.capture.spark.repairs import one_spelling
from headwater.openlineage.naming import DatasetName

SERVERS = {"kafka.bootstrap.servers": "kafka-2:9092,kafka-1:9092"}


def names(identity: Identity) -> list[str]:
    return [f"{each.namespace} {each.name}" for each in identity.names]


SOURCES = [
    ("kafka", {"subscribe": "orders"}, ["kafka://kafka-1:9092 orders"]),
    ("kafka", {"subscribe": "orders, bids"}, ["kafka://kafka-1:9092 orders", "kafka://kafka-1:9092 bids"]),
    (
        "kafka",
        {"assign": '{"orders": [0, 1], "bids": [2]}'},
        ["kafka://kafka-1:9092 bids", "kafka://kafka-1:9092 orders"],
    ),
    ("parquet", {"path": "s3a://warehouse/orders/"}, ["s3://warehouse orders"]),
    ("json", {"PATH": "/data/drop"}, ["file /data/drop"]),
    ("csv", {"path": "hdfs://nn:8020/in/day=2026-01-01/*.csv"}, ["hdfs://nn:8020 /in"]),
    ("orc", {"paths": "gs://a/x,gs://b/y"}, ["gs://a x", "gs://b y"]),
    ("delta", {"path": "abfss://box@lake.dfs.core.windows.net/t"}, ["abfss://box@lake.dfs.core.windows.net /t"]),
    ("org.apache.spark.sql.avro.avro", {"path": "file:/a"}, ["file /a"]),
    ("jdbc", {"url": "jdbc:postgresql://db:5432/shop", "dbtable": "orders"}, ["postgres://db:5432 shop.public.orders"]),
    ("socket", {"host": "h", "port": "9"}, ["spark:socket h:9"]),
    ("rate", {}, ["spark:rate my-query"]),
    ("memory", {}, ["spark:memory my-query"]),
    ("com.example.Odd", {}, ["spark:odd my-query"]),
    ("com.example.Odd", {"path": "s3://b/k"}, ["s3://b k"]),
]
SINKS = [
    ("kafka", {"topic": "stats"}, ["kafka://kafka-1:9092 stats"]),
    ("kafka", {}, ["spark:kafka my-query"]),
    ("parquet", {"path": "s3n://lake/out"}, ["s3://lake out"]),
    ("console", {}, ["spark:console my-query"]),
    ("foreach", {}, ["spark:foreach my-query"]),
    ("foreachBatch", {}, ["spark:foreachbatch my-query"]),
    ("foreachBatch", {"path": "s3a://archive/orders"}, ["s3://archive orders"]),
    ("memory", {}, ["spark:memory my-query"]),
]
UNNAMED = {"socket", "rate", "memory", "console", "foreach", "foreachBatch", "com.example.Odd"}


@pytest.mark.parametrize(("format", "options", "expected"), SOURCES)
def test_a_source_is_named_by_its_format_and_options(
    format: str, options: Mapping[str, str], expected: list[str]
) -> None:
    found = source_identity(Asked(format, {**SERVERS, **options}, "my-query"))
    assert names(found) == expected
    assert bool(found.unnamed) == (format in UNNAMED and "path" not in options)


@pytest.mark.parametrize(("format", "options", "expected"), SINKS)
def test_a_sink_is_named_by_its_format_and_options(
    format: str, options: Mapping[str, str], expected: list[str]
) -> None:
    found = sink_identity(Asked(format, {**SERVERS, **options}, "my-query"))
    assert names(found) == expected
    assert bool(found.unnamed) == expected[0].startswith("spark:")


def test_a_pattern_stands_for_the_topics_that_were_met() -> None:
    options = {**SERVERS, "subscribePattern": "orders.*"}
    before = source_identity(Asked("kafka", options, "q"))
    assert (names(before), before.unnamed) == (
        ["kafka://kafka-1:9092 orders.*"],
        "no topic that matches orders.* was met yet",
    )
    after = source_identity(Asked("kafka", options, "q", topics=("orders-eu", "orders-us")))
    assert (names(after), after.unnamed) == (["kafka://kafka-1:9092 orders-eu", "kafka://kafka-1:9092 orders-us"], "")


def test_a_sink_whose_rows_name_the_topic_writes_to_those_that_are_known() -> None:
    found = sink_identity(Asked("kafka", SERVERS, "q", topics=("large", "small")))
    assert names(found) == ["kafka://kafka-1:9092 large", "kafka://kafka-1:9092 small"]
    assert found.sink().routes == ("topic",)


def test_an_alias_settles_how_a_cluster_is_spelled() -> None:
    asked = Asked(
        "kafka",
        {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "orders"},
        "q",
        {"localhost:9092": "kafka-1:19092"},
    )
    assert names(source_identity(asked)) == ["kafka://kafka-1:19092 orders"]


def test_the_value_of_a_topic_and_a_line_of_text_are_records() -> None:
    assert source_identity(Asked("kafka", {**SERVERS, "subscribe": "a"}, "q")).source([1, 2]).record == "value"
    assert source_identity(Asked("text", {"path": "/a"}, "q")).source([1]).record == "value"
    assert sink_identity(Asked("text", {"path": "/a"}, "q")).sink().record == "*"
    assert sink_identity(Asked("parquet", {"path": "/a"}, "q")).sink().record == ""


def test_a_table_is_its_location_and_its_catalogs_names_are_symlinks() -> None:
    hive = {"type": "hive", "uri": "thrift://metastore:9083", "warehouse": "s3://warehouse"}
    found = table_identity("s3a://warehouse/orders", "demo_ib", "default.orders", hive)
    assert names(found) == ["s3://warehouse orders"]
    assert found.symlinks == (
        DatasetName("hive://metastore:9083", "default.orders"),
        DatasetName("hive://metastore:9083", "demo_ib.default.orders"),
    )


def test_a_table_is_one_node_whether_a_stream_the_agent_or_a_connector_fills_it() -> None:
    catalog = {"type": "hive", "uri": "thrift://metastore:9083", "warehouse": "s3a://warehouse/"}
    connector = {
        "name": "orders-sink",
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "topics": "orders",
        "iceberg.tables": "default.orders",
        **{f"iceberg.catalog.{name}": value for name, value in catalog.items()},
    }
    [filled] = lineage_of(connector, ["orders"], {}, "kafka://kafka-1:9092").outputs
    [streamed] = table_identity("s3a://warehouse/orders", "demo_ib", "default.orders", catalog).names
    told_by_agent = DatasetName(one_spelling("s3a://warehouse"), "orders")
    assert filled.dataset == streamed == told_by_agent


def test_a_table_whose_catalog_says_nothing_has_no_symlink() -> None:
    assert table_identity("s3://warehouse/orders", "demo_ib", "default.orders").symlinks == ()
