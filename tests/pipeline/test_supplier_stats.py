import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.supplier_stats import NoOrders, main, summarise
from headwater.pipeline.tables import make_orders
from headwater.pipeline.transforms import of_day

JANUARY, FEBRUARY = date(2026, 1, 31), date(2026, 2, 1)


@pytest.fixture
def settings(spark: SparkSession, local_settings: PipelineSettings) -> Iterator[PipelineSettings]:
    """A namespace of tables for this test alone."""
    name = f"stats_{uuid.uuid4().hex}"
    yield replace(local_settings, catalog=replace(local_settings.catalog, namespace=name))
    for table in ("orders", "supplier_stats"):
        spark.sql(f"DROP TABLE IF EXISTS local_ib.{name}.{table} PURGE")


def sell(spark: SparkSession, settings: PipelineSettings, *sales: tuple[str, str, str]) -> None:
    """Orders as supplier, time and price."""
    table = make_orders(spark, settings.catalog)
    rows = [("o", datetime.fromisoformat(f"{t}+00:00"), Decimal(p), "lamp", s) for s, t, p in sales]
    spark.createDataFrame(rows, spark.table(table).schema).writeTo(table).append()


def stats(spark: SparkSession, settings: PipelineSettings) -> set[tuple[object, ...]]:
    return {tuple(row) for row in spark.table(settings.catalog.table("supplier_stats")).collect()}


def test_a_day_becomes_a_row_for_each_supplier_and_hour(spark: SparkSession, settings: PipelineSettings) -> None:
    sell(
        spark,
        settings,
        ("Alice", "2026-01-31T10:00:00", "1.00"),
        ("Alice", "2026-01-31T10:30:00", "2.00"),
        ("Alice", "2026-01-31T11:00:00", "4.00"),
        ("Bob", "2026-01-31T10:00:00", "8.00"),
        ("Bob", "2026-02-01T00:00:00", "16.00"),
    )
    assert summarise(spark, settings, JANUARY) == 4
    assert stats(spark, settings) == {
        ("Alice", JANUARY, 10, Decimal("3.00"), 2),
        ("Alice", JANUARY, 11, Decimal("4.00"), 1),
        ("Bob", JANUARY, 10, Decimal("8.00"), 1),
    }


def test_a_day_done_again_replaces_its_own_rows_and_no_others(spark: SparkSession, settings: PipelineSettings) -> None:
    sell(spark, settings, ("Alice", "2026-01-31T10:00:00", "1.00"), ("Alice", "2026-02-01T10:00:00", "2.00"))
    for day in (JANUARY, FEBRUARY, JANUARY):
        summarise(spark, settings, day)
    sell(spark, settings, ("Alice", "2026-01-31T10:00:01", "4.00"))
    assert summarise(spark, settings, JANUARY) == 2
    assert stats(spark, settings) == {
        ("Alice", JANUARY, 10, Decimal("5.00"), 2),
        ("Alice", FEBRUARY, 10, Decimal("2.00"), 1),
    }


def test_a_day_that_was_emptied_loses_its_rows(spark: SparkSession, settings: PipelineSettings) -> None:
    sell(spark, settings, ("Alice", "2026-01-31T10:00:00", "1.00"))
    summarise(spark, settings, JANUARY)
    spark.sql(f"DELETE FROM {settings.catalog.table('orders')} WHERE supplier = 'Alice'")
    assert summarise(spark, settings, JANUARY) == 0
    assert stats(spark, settings) == set()


@pytest.mark.parametrize("sold", [(), (("Alice", "2026-02-01T10:00:00", "1.00"),)], ids=["no rows", "no partition"])
def test_a_day_without_orders_leaves_an_empty_target(
    spark: SparkSession, settings: PipelineSettings, sold: tuple[tuple[str, str, str], ...]
) -> None:
    sell(spark, settings, *sold)
    assert summarise(spark, settings, JANUARY) == 0
    assert stats(spark, settings) == set()


def test_only_the_days_partition_is_read(spark: SparkSession, settings: PipelineSettings) -> None:
    sell(spark, settings, *[("Alice", f"2026-01-{day:02}T10:00:00", "1.00") for day in range(1, 11)])
    orders = spark.table(settings.catalog.table("orders"))
    (read,) = of_day(orders, date(2026, 1, 3)).selectExpr("input_file_name() AS file").collect()
    assert "bid_time_day=2026-01-03" in read.file
    (scan,) = [line for line in plan_of(of_day(orders, date(2026, 1, 3))) if "BatchScan" in line]
    assert "bid_time >= 1767398400000000" in scan


def plan_of(frame: DataFrame) -> list[str]:
    plan: str = frame._jdf.queryExecution().executedPlan().toString()
    return plan.splitlines()


def test_without_orders_the_message_says_what_to_run(spark: SparkSession, settings: PipelineSettings) -> None:
    with pytest.raises(NoOrders, match=r"no table local_ib\..*\.orders; run iceberg-ingestion first"):
        summarise(spark, settings, JANUARY)


def test_a_day_that_is_none_is_refused_before_spark_starts(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--date", "31.1.2026"])
    assert ended.value.code == 2
    assert "'31.1.2026' is not a day; expected one such as 2026-01-31" in capsys.readouterr().err
