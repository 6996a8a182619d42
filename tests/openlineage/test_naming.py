"""Names of datasets: one for each thing, whoever spells it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from headwater.openlineage.naming import (
    azure_blobs,
    azure_lake,
    bigquery_table,
    catalog_namespace,
    hive_namespace,
    jdbc_table,
    kafka_namespace,
    kafka_topic,
    location,
    postgres_table,
    server_table,
    snowflake_table,
)

EVENTS = Path(__file__).parents[1] / "fixtures" / "events"

LOCATIONS = [
    ("s3://warehouse/orders", "s3://warehouse", "orders"),
    ("s3a://warehouse/orders/", "s3://warehouse", "orders"),
    ("s3n://warehouse//db/orders", "s3://warehouse", "db/orders"),
    ("S3A://warehouse/orders", "s3://warehouse", "orders"),
    ("s3://warehouse", "s3://warehouse", "/"),
    ("gs://bucket/a/b.csv", "gs://bucket", "a/b.csv"),
    ("wasb://box@account.blob.core.windows.net/a", "wasbs://box@account.blob.core.windows.net", "a"),
    ("abfss://box@account.dfs.core.windows.net/a/b", "abfss://box@account.dfs.core.windows.net", "/a/b"),
    ("abfs://box@account.dfs.core.windows.net/a/b", "abfss://box@account.dfs.core.windows.net", "/a/b"),
    ("hdfs://namenode:8020/user/hive/t1", "hdfs://namenode:8020", "/user/hive/t1"),
    ("hdfs:///user/t1", "hdfs", "/user/t1"),
    ("dbfs:/mnt/t1", "dbfs", "/mnt/t1"),
    ("file:/data/orders", "file", "/data/orders"),
    ("file:///data/orders/", "file", "/data/orders"),
    ("file://host/data", "file://host", "/data"),
    ("/data/orders", "file", "/data/orders"),
    ("/data/a:b c", "file", "/data/a:b c"),
    ("/", "file", "/"),
]
SERVERS = [
    ("kafka-1:19092", "kafka://kafka-1:19092"),
    ("kafka-2:9092,kafka-1:9092", "kafka://kafka-1:9092"),
    (" kafka-1:9092 , kafka-2:9092 ", "kafka://kafka-1:9092"),
    ("KAFKA-1", "kafka://kafka-1:9092"),
    ("PLAINTEXT://kafka-1:9092", "kafka://kafka-1:9092"),
    ("[::1]:9092", "kafka://[::1]:9092"),
]
JDBC = [
    ("jdbc:postgresql://db:5433/shop", "sales.orders", "postgres://db:5433", "shop.sales.orders"),
    ("jdbc:postgresql://db/shop?ssl=true", "orders", "postgres://db:5432", "shop.public.orders"),
    ("jdbc:postgresql://db/shop", '"sales"."orders"', "postgres://db:5432", "shop.sales.orders"),
    ("jdbc:mysql://db:3306/shop", "orders", "mysql://db:3306", "shop.orders"),
    ("jdbc:mariadb://user:secret@db/shop", "orders", "mysql://db:3306", "shop.orders"),
    ("jdbc:mysql://db/shop", "`sales`.`orders`", "mysql://db:3306", "sales.orders"),
    ("jdbc:postgresql://user:secret@a:5433,b:5433/shop", "orders", "postgres://a:5433", "shop.public.orders"),
    ("jdbc:sqlserver://db;databaseName=shop;encrypt=true", "orders", "mssql://db:1433", "shop.dbo.orders"),
    ("jdbc:sqlserver://db\\one:1444;database=shop", "[sales].[orders]", "mssql://db:1444", "shop.sales.orders"),
    ("jdbc:oracle:thin:@//db:1522/shop", "SALES.ORDERS", "oracle://db:1522", "shop.SALES.ORDERS"),
    ("jdbc:oracle:thin:scott/tiger@db:1521:shop", "ORDERS", "oracle://db:1521", "shop.ORDERS"),
    (
        "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=db)(PORT=1521))(CONNECT_DATA=(SERVICE_NAME=shop)))",
        "ORDERS",
        "oracle://db:1521",
        "shop.ORDERS",
    ),
    ("jdbc:redshift://wh.eu:5439/dev", "orders", "redshift://wh.eu:5439", "dev.public.orders"),
    ("jdbc:db2://db:50000/shop", "S.ORDERS", "db2://db:50000", "shop.S.ORDERS"),
    ("jdbc:sqlite:/data/shop.db", "orders", "sqlite://", "data/shop.db.orders"),
    ("", "orders", "jdbc://", "orders"),
]
CATALOGS = [
    ({"type": "hive", "uri": "thrift://a:9083,thrift://b:9083"}, "hive://a:9083"),
    ({"type": "hadoop", "warehouse": "/data/wh-3.5.7"}, "file:/data/wh-3.5.7"),
    ({"type": "hadoop", "warehouse": "s3a://warehouse/tables/"}, "s3://warehouse/tables"),
    ({"type": "rest", "uri": "http://catalog:8181/", "warehouse": "s3://w"}, "http://catalog:8181"),
    ({"catalog-impl": "org.apache.iceberg.hive.HiveCatalog", "uri": "thrift://a"}, "hive://a:9083"),
    ({}, ""),
]


@pytest.mark.parametrize(("uri", "namespace", "name"), LOCATIONS)
def test_files_are_named_by_their_folder_whatever_the_scheme_is_called(uri: str, namespace: str, name: str) -> None:
    found = location(uri)
    assert (found.namespace, found.name) == (namespace, name)


@pytest.mark.parametrize(("servers", "namespace"), SERVERS)
def test_a_cluster_is_named_by_the_first_of_its_servers_in_sorted_order(servers: str, namespace: str) -> None:
    assert kafka_namespace(servers) == namespace
    assert kafka_namespace(servers.split(",")[::-1]) == namespace


def test_an_alias_for_any_server_of_a_cluster_names_the_cluster() -> None:
    aliases = {"localhost:9092": "kafka-1:19092", "kafka-2": "kafka-1:19092"}
    for servers in ("localhost:9092", "LOCALHOST:9092,other:9092", "a:9092,kafka-2:9092"):
        assert kafka_topic(servers, "orders", aliases) == kafka_topic("kafka-1:19092", "orders")


@pytest.mark.parametrize(("url", "table", "namespace", "name"), JDBC)
def test_a_table_is_named_by_its_jdbc_address(url: str, table: str, namespace: str, name: str) -> None:
    found = jdbc_table(url, table)
    assert (found.namespace, found.name) == (namespace, name)


def test_a_table_has_one_name_however_its_database_is_addressed() -> None:
    assert postgres_table("DB", None, "shop", "public", "orders") == jdbc_table("jdbc:postgresql://db/shop", "orders")


def test_tables_of_the_cloud_are_named_by_what_they_are_in() -> None:
    names = [
        bigquery_table("project", "sales", "orders"),
        snowflake_table("https://Org-Account.snowflakecomputing.com:443", "SHOP", "PUBLIC", "ORDERS"),
        azure_blobs("account", "box", "topics/orders"),
        azure_lake("account", "box", "topics/orders"),
        server_table("mongodb", "user:secret@DB", None, "shop", "orders"),
    ]
    assert [(each.namespace, each.name) for each in names] == [
        ("bigquery", "project.sales.orders"),
        ("snowflake://org-account", "SHOP.PUBLIC.ORDERS"),
        ("wasbs://box@account.blob.core.windows.net", "topics/orders"),
        ("abfss://box@account.dfs.core.windows.net", "/topics/orders"),
        ("mongodb://db:27017", "shop.orders"),
    ]


@pytest.mark.parametrize(("properties", "namespace"), CATALOGS)
def test_a_catalog_is_named_as_the_spark_agent_names_it(properties: Mapping[str, str], namespace: str) -> None:
    assert catalog_namespace(properties) == namespace


def test_tables_are_named_as_the_spark_agent_has_named_them() -> None:
    lines = (EVENTS / "lab-supplier-stats-batch-s3.jsonl").read_text().splitlines()
    seen = {(each["namespace"], each["name"]) for line in lines for each in json.loads(line).get("outputs") or []}
    found = location("s3a://warehouse/supplier_stats")
    assert (found.namespace, found.name) in seen
    links = [
        (link["namespace"], link["name"])
        for line in lines
        for each in json.loads(line).get("outputs") or []
        for link in each["facets"].get("symlinks", {}).get("identifiers", [])
    ]
    assert (hive_namespace("thrift://127.0.0.1:39083"), "default.supplier_stats") in links
