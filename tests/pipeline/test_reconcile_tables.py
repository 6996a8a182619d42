"""The job that counts, on real Iceberg tables: some lack a row, have one too many, or one that is off."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from headwater.pipeline.reconcile_tables import report
from headwater.pipeline.settings import PipelineSettings

ORDERS = (
    ("order-1", "2026-03-01 10:00:00.001", "1.10", "lamp", "Alice"),
    ("order-2", "2026-03-01 10:59:59.999", "2.20", None, "Alice"),
    ("order-3", "2026-03-02 11:00:00", None, "mug", "Bob"),
    ("order-4", "2026-03-02 12:00:00", "4.40", "mug, blue", None),
)
Row = tuple[str | None, ...]


@pytest.fixture
def settings(local_settings: PipelineSettings, tmp_path: Path) -> PipelineSettings:
    """A namespace of the test's own."""
    catalog = dataclasses.replace(local_settings.catalog, namespace=f"n{tmp_path.name.replace('-', '_')}")
    return dataclasses.replace(local_settings, catalog=catalog)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The shop's tables as PostgreSQL exports them."""
    for name, key in (("orders", "order_id"), ("bids", "bid_id")):
        lines = [",".join(quoted(value) for value in row) for row in ORDERS]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"{key},bid_time,price,item,supplier", *lines]) + "\n")
    return tmp_path


def quoted(value: str | None) -> str:
    return "" if value is None else f'"{value}"' if "," in value else value


@pytest.fixture
def tables(spark: SparkSession, settings: PipelineSettings) -> Iterator[None]:
    spark.sql(f"CREATE NAMESPACE {settings.catalog.name}.{settings.catalog.namespace}")
    yield
    for name in ("orders", "bids", "supplier_stats"):
        spark.sql(f"DROP TABLE IF EXISTS {settings.catalog.table(name)}")
    spark.catalog.clearCache()


def fill(spark: SparkSession, settings: PipelineSettings, orders: tuple[Row, ...] = ORDERS) -> None:
    """The tables, all with the rows that are given."""
    rows = spark.createDataFrame(
        list(orders), "order_id string, bid_time string, price string, item string, supplier string"
    )
    rows.createOrReplaceTempView("given")
    price, time = "CAST(price AS {}) price", "CAST(bid_time AS timestamp) bid_time"
    table = settings.catalog.table
    typed = f"SELECT order_id, item, supplier, {time}, {price.format('decimal(10, 2)')} FROM given"
    spark.sql(f"CREATE OR REPLACE TABLE {table('orders')} USING iceberg AS {typed}")
    # The connector keeps prices as doubles.
    doubles = f"SELECT order_id AS bid_id, {time}, {price.format('double')}, item, supplier, 'bids' _topic FROM given"
    spark.sql(f"CREATE OR REPLACE TABLE {table('bids')} USING iceberg AS {doubles}")
    spark.sql(
        f"CREATE OR REPLACE TABLE {table('supplier_stats')} USING iceberg AS "
        "SELECT supplier, to_date(bid_time) bid_date, hour(bid_time) bid_hour, "
        f"CAST(sum(price) AS decimal(20, 2)) total_price, count(*) total_count FROM ({typed}) GROUP BY ALL"
    )


def counted(spark: SparkSession, settings: PipelineSettings, shop: Path, patience: float = 0.0) -> dict[str, Any]:
    """What the job says, by the last part of each place's name."""
    said = json.loads(json.dumps(report(spark, settings, shop, patience)))
    return {place.rpartition(".")[2]: found for place, found in said.items()}


@pytest.mark.usefixtures("tables")
def test_tables_that_hold_what_the_shop_holds_have_no_differences(
    spark: SparkSession, settings: PipelineSettings, shop: Path
) -> None:
    fill(spark, settings)
    said = counted(spark, settings, shop)
    for place in ("orders", "bids"):
        assert said[place] == {"rows": 4, "keys": 4, "price": "7.70", "differences": []}, place
    assert said["supplier_stats"] == {"rows": 4, "price": "7.70", "differences": []}


@pytest.mark.usefixtures("tables")
def test_a_row_that_is_missing_doubled_or_changed_is_named(
    spark: SparkSession, settings: PipelineSettings, shop: Path
) -> None:
    changed: Row = ("order-3", "2026-03-02 11:00:00", "3.30", "mug", "Bob")
    fill(spark, settings, (ORDERS[1], ORDERS[1], changed, ORDERS[3]))
    said = counted(spark, settings, shop)
    assert (said["orders"]["rows"], said["orders"]["keys"]) == (4, 3)
    assert said["orders"]["differences"] == [
        "order-1 (2026-03-01 10:00:00.001000, 1.10, lamp, Alice) is missing",
        "order-2 (2026-03-01 10:59:59.999000, 2.20, None, Alice) is there, but is not so in the shop",
        "order-3 (2026-03-02 11:00:00, None, mug, Bob) is missing",
        "order-3 (2026-03-02 11:00:00, 3.30, mug, Bob) is there, but is not so in the shop",
    ]
    assert said["supplier_stats"]["differences"] == [
        "Alice 2026-03-01 10 3.30 2 is missing",
        "Alice 2026-03-01 10 4.40 2 is there, but is not so in the shop",
        "Bob 2026-03-02 11 None 1 is missing",
        "Bob 2026-03-02 11 3.30 1 is there, but is not so in the shop",
    ]


@pytest.mark.usefixtures("tables")
def test_places_that_are_not_there_yet_hold_nothing(
    spark: SparkSession, settings: PipelineSettings, shop: Path
) -> None:
    said = counted(spark, settings, shop, patience=0.1)
    assert {place: found["rows"] for place, found in said.items()} == dict.fromkeys(
        ("orders", "bids", "supplier_stats"), 0
    )
