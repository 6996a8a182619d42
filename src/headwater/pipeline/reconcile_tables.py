"""reconcile: counts what the Iceberg tables hold, and finds the rows that are not as in the shop."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from headwater.pipeline.command import job_parser, run_job
from headwater.pipeline.session import build_session
from headwater.pipeline.settings import PipelineSettings

NAME = "reconcile"
SHOWN = 40
TICK = 1.0
COLUMNS = "bid_time timestamp, price decimal(12, 2), item string, supplier string"
STATS = ("supplier", "bid_date", "bid_hour", "total_price", "total_count")


def as_in_shop(rows: DataFrame, key: str) -> DataFrame:
    """The shop's columns, in the shop's types, whatever the place keeps beside them."""
    types = ("timestamp", "decimal(12, 2)", "string", "string")
    names = ("bid_time", "price", "item", "supplier")
    columns = [F.col(name).cast(kind).alias(name) for name, kind in zip(names, types, strict=True)]
    return rows.select(F.col(key).cast("string").alias(key), *columns)


def hourly(orders: DataFrame) -> DataFrame:
    """What the batch job should have made of the orders."""
    return orders.groupBy(
        "supplier", F.to_date("bid_time").alias("bid_date"), F.hour("bid_time").alias("bid_hour")
    ).agg(F.sum("price").cast("decimal(20, 2)").alias("total_price"), F.count(F.lit(1)).alias("total_count"))


def tally(rows: DataFrame, key: str) -> dict[str, Any]:
    """How many rows, how many different keys, and the sum of prices."""
    (found,) = rows.agg(F.count(F.lit(1)), F.count_distinct(key), F.coalesce(F.sum("price"), F.lit(0))).collect()
    return {"rows": found[0], "keys": found[1], "price": str(found[2])}


def differences(expected: DataFrame, found: DataFrame) -> DataFrame:
    """The rows that one side has more often than the other: `surplus` is above zero if found has it too often."""
    columns = expected.columns
    both = expected.withColumn("n", F.lit(-1)).unionByName(found.select(columns).withColumn("n", F.lit(1)))
    return both.groupBy(*columns).agg(F.sum("n").alias("surplus")).where("surplus != 0").orderBy(*columns)


def in_words(expected: DataFrame, found: DataFrame, name: Callable[[Any], str]) -> list[str]:
    """The first differences, each as what is wrong with a row."""
    rows = differences(expected, found).limit(SHOWN).collect()
    words = {True: "is there, but is not so in the shop", False: "is missing"}
    return [f"{name(row)} {words[row['surplus'] > 0]}" for row in rows]


def sold(key: str) -> Callable[[Any], str]:
    """How to name an order or a bid: its key and all that could be wrong with it."""
    return lambda row: f"{row[key]} ({row['bid_time']}, {row['price']}, {row['item']}, {row['supplier']})"


def hour_name(row: Any) -> str:
    """How to name a row of the batch job's table."""
    return " ".join(str(row[column]) for column in STATS)


def wait_for_rows(spark: SparkSession, table: str, rows: int, patience: float) -> None:
    """Give a table that a connector commits to every few seconds the time to show what is on its way."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = there(spark, table)
        if found is not None and found.count() >= rows:
            return
        time.sleep(TICK)
        if found is not None:
            spark.catalog.refreshTable(table)


def report(spark: SparkSession, settings: PipelineSettings, expected: Path, patience: float) -> dict[str, Any]:
    """What each place holds; `expected` is a folder with the shop's tables as orders.csv and bids.csv."""
    table = settings.catalog.table
    orders, bids = (
        spark.read.csv(f"file://{expected}/{name}.csv", schema=f"{key} string, {COLUMNS}", header=True).cache()
        for name, key in (("orders", "order_id"), ("bids", "bid_id"))
    )
    wait_for_rows(spark, table("bids"), bids.count(), patience)
    places = ((table("orders"), "order_id", orders), (table("bids"), "bid_id", bids))
    counted: dict[str, Any] = {}
    for place, key, shop in places:
        if (rows := there(spark, place)) is None:
            counted[place] = {"rows": 0, "keys": 0, "price": "0", "differences": []}
            continue
        found = as_in_shop(rows, key).cache()
        counted[place] = tally(found, key) | {"differences": in_words(shop, found, sold(key))}
    stats = there(spark, table("supplier_stats"))
    if stats is None:
        counted[table("supplier_stats")] = {"rows": 0, "price": "0", "differences": []}
    else:
        found = stats.select(*STATS).cache()
        (sums,) = found.agg(F.sum("total_count"), F.sum("total_price")).collect()
        wrong = in_words(hourly(orders), found, hour_name)
        counted[table("supplier_stats")] = {"rows": sums[0] or 0, "price": str(sums[1] or 0), "differences": wrong}
    return counted


def there(spark: SparkSession, table: str) -> DataFrame | None:
    """What a table holds; None if there is no such table yet."""
    return spark.table(table) if spark.catalog.tableExists(table) else None


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Build the session, count, and write what was found as JSON to a file."""
    spark = build_session(settings, NAME)
    try:
        counted = report(spark, settings, given.expected.resolve(), given.patience)
    finally:
        spark.stop()
    given.output.write_text(json.dumps(counted))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job from the command line."""
    parser = job_parser(NAME, __doc__)
    parser.add_argument("--expected", type=Path, required=True, help="folder of orders.csv and bids.csv from the shop")
    parser.add_argument("--output", type=Path, required=True, help="file to write the counts to, as JSON")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds to wait for a connector's last commit")
    return run_job(parser, job, argv)


if __name__ == "__main__":
    sys.exit(main())
