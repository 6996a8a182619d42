"""What the jobs compute: pure functions from DataFrames to DataFrames."""

from datetime import date, timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import to_avro
from pyspark.sql.types import DecimalType, DoubleType, StringType, TimestampType

from headwater.pipeline.decoding import PROBLEM, Wanted
from headwater.pipeline.schemas import frame

ORDER_ID = Wanted("order_id", StringType(), required=True)
BID_TIME = Wanted("bid_time", TimestampType(), required=True)
PRICE = Wanted("price", DecimalType(10, 2))
SUPPLIER = Wanted("supplier", StringType())
# The archive keeps what was sent: a price as it came, and also an order without a time.
ARCHIVED = (
    Wanted("order_id", StringType()),
    Wanted("bid_time", TimestampType()),
    Wanted("price", DoubleType()),
    Wanted("item", StringType()),
    Wanted("supplier", StringType()),
)
# Where a record is in Kafka.
COORDINATES = ("topic", "partition", "offset")
# A broker refuses a record of more than a megabyte, headers included; a dead letter must always get through.
LARGEST_LETTER = 900_000


def supplier_windows(orders: DataFrame, window: str = "5 seconds", patience: str = "10 seconds") -> DataFrame:
    """Price total and order count for each supplier in each tumbling window of event time.

    A window is final once the newest order is `patience` past its end: 5 s of disorder and 5 s of lateness.
    """
    return (
        orders.withWatermark("bid_time", patience)
        .groupBy(F.window("bid_time", window), "supplier")
        .agg(total(), F.count("*").alias("count"))
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            "supplier",
            "total_price",
            "count",
        )
    )


def supplier_hours(orders: DataFrame) -> DataFrame:
    """Price total and order count for each supplier in each hour (UTC)."""
    return (
        orders.groupBy("supplier", F.to_date("bid_time").alias("bid_date"), F.hour("bid_time").alias("bid_hour"))
        .agg(total(), F.count("*").alias("total_count"))
        .select("supplier", "bid_date", "bid_hour", "total_price", "total_count")
    )


def total() -> Column:
    """The sum of prices; an order without one adds nothing, and orders without any have none (null)."""
    return F.sum("price").cast("decimal(20,2)").alias("total_price")


def of_day(orders: DataFrame, day: date) -> DataFrame:
    """The orders of one day (UTC), as a range of bid_time that Iceberg turns into one partition."""
    after = day + timedelta(days=1)
    return orders.where(f"bid_time >= TIMESTAMP '{day} 00:00:00 UTC' AND bid_time < TIMESTAMP '{after} 00:00:00 UTC'")


def well_timed(decoded: DataFrame, ahead: str = "1 day") -> DataFrame:
    """Put aside orders that claim a time long after they were sent: one would move the watermark past all others."""
    early = F.col("bid_time") > F.col("timestamp") + F.expr(f"INTERVAL {ahead}")
    words = F.lit(f"bid_time is more than {ahead} ahead of the time it was sent")
    return decoded.withColumn(PROBLEM, F.coalesce(PROBLEM, F.when(early, words)))


def framed(stats: DataFrame, schema_id: int, schema: str) -> DataFrame:
    """Rows as Kafka records: the supplier as key, the row as Confluent-framed Avro."""
    row = F.struct(*[F.col(name) for name in stats.columns])
    return stats.select(
        F.col("supplier").cast("binary").alias("key"),
        F.concat(F.lit(bytearray(frame(schema_id))), to_avro(row, schema)).alias("value"),
    )


def archive_lines(decoded: DataFrame) -> DataFrame:
    """Each record as a line of JSON, with its day; one that does not decode keeps all its bytes."""
    names = [name for name in decoded.columns if name not in (*COORDINATES, "value", PROBLEM)]
    record = F.to_json(F.struct(*names), {"ignoreNullFields": "false"})
    raw = F.to_json(F.struct(F.col(PROBLEM).alias("problem"), *COORDINATES, F.base64("value").alias("value")))
    return decoded.select(
        *COORDINATES,
        F.when(F.col(PROBLEM).isNull(), record).otherwise(raw).alias("line"),
        F.coalesce(F.date_format("bid_time", "yyyy-MM-dd"), F.lit("unknown")).alias("bid_date"),
    )


def archive_objects(lines: DataFrame) -> DataFrame:
    """The lines of a micro-batch as objects, one for each day and partition of the topic, in the topic's order.

    The name is made of what Kafka fixes, so that doing a micro-batch again writes the same objects again.
    """
    ordered = F.sort_array(F.collect_list(F.struct("offset", "line")))
    first = F.format_string("bid_date=%s/%s+%d+%020d.json", "bid_date", "topic", "partition", F.min("offset"))
    return lines.groupBy("bid_date", "topic", "partition").agg(
        first.alias("key"), F.concat(F.array_join(ordered["line"], "\n"), F.lit("\n")).alias("body")
    )


def dead_letters(decoded: DataFrame, job: str) -> DataFrame:
    """Records put aside, as Kafka records that carry the reason and where each came from in their headers."""
    headers = {
        "reason": F.col(PROBLEM),
        **{name: F.col(name).cast("string") for name in COORDINATES},
        "bytes": F.coalesce(F.length("value"), F.lit(0)).cast("string"),
        "job": F.lit(job),
    }
    return decoded.select(
        "key",
        F.expr(f"substring(value, 1, {LARGEST_LETTER})").alias("value"),
        F.array(*[header(name, text) for name, text in headers.items()]).alias("headers"),
    )


def header(name: str, text: Column) -> Column:
    """One header of a Kafka record."""
    return F.struct(F.lit(name).alias("key"), text.cast("binary").alias("value"))
