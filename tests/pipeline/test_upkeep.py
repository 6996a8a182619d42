import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.pipeline.settings import Catalog, PipelineSettings
from headwater.pipeline.tables import BATCH_PROPERTY, QUERY_PROPERTY, committed, make_orders
from headwater.pipeline.upkeep import Policy, look_after
from tests.pipeline.frames import now

EVERYTHING = Policy(snapshots_for=timedelta(0), least_snapshots=1)
LATER = now() + timedelta(hours=1)


@pytest.fixture
def catalog(spark: SparkSession, local_settings: PipelineSettings) -> Iterator[Catalog]:
    """A namespace of tables for this test alone."""
    own = replace(local_settings.catalog, namespace=f"upkeep_{uuid.uuid4().hex}")
    yield own
    spark.sql(f"DROP TABLE IF EXISTS {own.table('orders')} PURGE")


def commit(spark: SparkSession, catalog: Catalog, query: str, batches: range) -> None:
    """What a stream leaves behind: one small commit after the other."""
    table = make_orders(spark, catalog)
    for batch in batches:
        rows = spark.sql(f"SELECT 'o{batch}', TIMESTAMP '2026-01-31 12:00:00 UTC', CAST(1 AS DECIMAL(10,2)), 'a', 'b'")
        writer = rows.toDF(*spark.table(table).columns).writeTo(table)
        for name, value in ((QUERY_PROPERTY, query), (BATCH_PROPERTY, str(batch))):
            writer = writer.option(f"snapshot-property.{name}", value)
        writer.append()


def test_many_small_commits_become_one_file_and_few_snapshots(spark: SparkSession, catalog: Catalog) -> None:
    commit(spark, catalog, "q1", range(6))
    done = look_after(spark, catalog, "orders", EVERYTHING, LATER)
    assert (done.before.files, done.before.snapshots, done.before.rows) == (6, 6, 6)
    assert (done.after.files, done.after.rows, done.rewritten_files) == (1, 6, 6)
    # The current one, and the stream's last, which it looks for when it comes back.
    assert done.after.snapshots == 2
    assert done.after.kept_files == 7
    assert spark.table(catalog.table("orders")).count() == 6


def test_a_stream_finds_its_last_commit_after_expiry(spark: SparkSession, catalog: Catalog) -> None:
    commit(spark, catalog, "q1", range(3))
    commit(spark, catalog, "q2", range(3))
    look_after(spark, catalog, "orders", EVERYTHING, LATER)
    look_after(spark, catalog, "orders", EVERYTHING, LATER)
    table = catalog.table("orders")
    assert [committed(spark, table, "q1", batch) for batch in range(3)] == [False, False, True]
    assert committed(spark, table, "q2", 2)


def test_young_snapshots_stay(spark: SparkSession, catalog: Catalog) -> None:
    commit(spark, catalog, "q1", range(3))
    done = look_after(spark, catalog, "orders", Policy(least_snapshots=1), now())
    assert (done.expired_snapshots, done.rewritten_files) == (0, 0)
    assert done.after.snapshots >= 3


def test_only_old_orphans_are_removed(spark: SparkSession, catalog: Catalog) -> None:
    commit(spark, catalog, "q1", range(1))
    folder = Path(catalog.warehouse.removeprefix("file://")) / catalog.namespace / "orders" / "data"
    old, young = folder / "old.parquet", folder / "young.parquet"
    for file in (old, young):
        file.write_bytes(b"left by a killed task")
    os.utime(old, (time.time() - 10 * 86_400,) * 2)
    done = look_after(spark, catalog, "orders", Policy(), now())
    assert (done.orphans, old.exists(), young.exists()) == (1, False, True)


def test_an_empty_table_needs_nothing(spark: SparkSession, catalog: Catalog) -> None:
    make_orders(spark, catalog)
    done = look_after(spark, catalog, "orders", Policy(), now())
    assert (done.before, done.rewritten_files, done.orphans) == (done.after, 0, 0)
