"""The Iceberg tables of the pipeline: how they are made, and how they follow a schema that gains a field."""

from collections.abc import Iterable, Mapping

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import NullType, StructField

from headwater.pipeline.locks import free_abandoned_locks
from headwater.pipeline.settings import Catalog

# For a table that many small commits reach.
PROPERTIES: Mapping[str, str] = {
    "format-version": "2",
    "write.format.default": "parquet",
    "write.parquet.compression-codec": "zstd",
    "write.target-file-size-bytes": str(128 * 1024 * 1024),
    # A commit every few seconds leaves a metadata file each time; the newest are enough.
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
    # Upkeep and the stream commit at the same time; the loser of a race tries again.
    "commit.retry.num-retries": "10",
    "commit.retry.min-wait-ms": "100",
}
# Every task writes what it has, to a file for each day it meets: no shuffle, twice as fast.
STREAMED: Mapping[str, str] = {"write.distribution-mode": "none", "write.spark.fanout.enabled": "true"}

# What a snapshot says about the micro-batch that made it.
QUERY_PROPERTY = "headwater.query"
BATCH_PROPERTY = "headwater.batch"

ORDERS = """
    order_id STRING COMMENT 'the key in the shop',
    bid_time TIMESTAMP COMMENT 'when the order was made',
    price DECIMAL(10,2),
    item STRING,
    supplier STRING"""
SUPPLIER_STATS = """
    supplier STRING,
    bid_date DATE COMMENT 'day of the orders, UTC',
    bid_hour INT COMMENT 'hour of the orders, UTC',
    total_price DECIMAL(20,2),
    total_count BIGINT"""


def make_orders(spark: SparkSession, catalog: Catalog) -> str:
    """The table of orders, made if it is absent; its full name."""
    return make(spark, catalog, "orders", ORDERS, "days(bid_time)", {**PROPERTIES, **STREAMED})


def make_supplier_stats(spark: SparkSession, catalog: Catalog) -> str:
    """The table of hourly totals, made if it is absent; its full name."""
    return make(spark, catalog, "supplier_stats", SUPPLIER_STATS, "bid_date", PROPERTIES)


def make(
    spark: SparkSession, catalog: Catalog, name: str, columns: str, partition: str, properties: Mapping[str, str]
) -> str:
    """A table, made if it is absent and ready for a commit; its full name."""
    table = catalog.table(name)
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {catalog.name}.{catalog.namespace}")
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark.sql(
        f"CREATE TABLE IF NOT EXISTS {table} ({columns}) USING iceberg "
        f"PARTITIONED BY ({partition}) TBLPROPERTIES ({listed})"
    )
    if catalog.type == "hive":
        free_abandoned_locks(spark, catalog, name)
    return table


def add_columns(spark: SparkSession, table: str, fields: Iterable[StructField]) -> list[str]:
    """Add fields to a table as nullable columns; the names of those added."""
    wanted = [one for one in fields if not isinstance(one.dataType, NullType)]
    if wanted:
        columns = ", ".join(f"`{one.name}` {one.dataType.simpleString()}" for one in wanted)
        spark.sql(f"ALTER TABLE {table} ADD COLUMNS ({columns})")
    return [one.name for one in wanted]


def committed(spark: SparkSession, table: str, query: str, batch: int) -> bool:
    """Whether a snapshot of the table says that it holds this micro-batch of this query."""
    summaries = spark.table(f"{table}.snapshots").select(
        F.col("summary")[QUERY_PROPERTY].alias("query"), F.col("summary")[BATCH_PROPERTY].alias("batch")
    )
    return not summaries.where((F.col("query") == query) & (F.col("batch") == str(batch))).isEmpty()
