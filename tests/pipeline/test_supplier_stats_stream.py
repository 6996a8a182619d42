import io
import json
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import fastavro
from pyspark.sql import SparkSession

from headwater.pipeline.stopping import Stop
from headwater.pipeline.supplier_stats_stream import SCHEMA, aggregate
from tests.pipeline.frames import ORDER, field, framed, now, order, record
from tests.pipeline.world import World

# Windows are on the clock, so tests that name them start on a full minute of the near past.
START = now().replace(second=0, microsecond=0) - timedelta(minutes=5)


def sold(schema_id: int, *sales: tuple[str | None, float, float | None]) -> list[bytes]:
    """Orders as supplier, seconds after the start, and price."""
    return [framed(order(supplier=s, bid_time=at(t), price=p), schema_id=schema_id) for s, t, p in sales]


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def run(spark: SparkSession, world: World, max_offsets: int = 1_000_000) -> None:
    settings = world.settings
    bounded = replace(settings, stream=replace(settings.stream, max_offsets=max_offsets))
    aggregate(spark, bounded, Stop(), once=True)


def said(world: World) -> list[tuple[float, str | None, Decimal | None, int]]:
    """What is on the result topic: start of the window in seconds, supplier, total, count."""
    records = world.received(world.settings.topics.supplier_stats)
    return sorted(window(value) for _, value, _ in records if value)


def window(value: bytes) -> tuple[float, str | None, Decimal | None, int]:
    schema = fastavro.parse_schema(json.loads(SCHEMA))
    row: Any = fastavro.schemaless_reader(io.BytesIO(value[5:]), schema, None)
    assert row["window_end"] - row["window_start"] == timedelta(seconds=5)
    return (row["window_start"] - START).total_seconds(), row["supplier"], row["total_price"], row["count"]


def test_totals_of_closed_windows_are_on_the_topic_with_a_registered_schema(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    world.send(sold(schema_id, ("Alice", 0, 1.1), ("Alice", 4.999, 2.2), ("Bob", 3, None), ("Alice", 20, 9.0)), 0)
    run(spark, world)
    assert said(world) == [(0, "Alice", Decimal("3.30"), 2), (0, "Bob", None, 1)]
    keys = {key for key, _, _ in world.received(world.settings.topics.supplier_stats)}
    assert keys == {b"Alice", b"Bob"}


def test_an_order_that_is_late_counts_until_its_window_is_closed(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    # At 14.9 s the watermark is at 4.9 s and the window that ends at 5 s is open. 15 s closes it, for what comes after
    # the next micro-batch: Spark lets rows in by the watermark that the last one began with.
    sales = [("Alice", 0, 1.0), ("Bob", 14.9, 1.0), ("Alice", 1, 2.0), ("Bob", 15, 1.0), ("Bob", 15, 1.0)]
    world.send(sold(schema_id, *sales, ("Alice", 2, 4.0), ("Bob", 60, 1.0)), partition=0)
    run(spark, world, max_offsets=1)
    alice = [row for row in said(world) if row[1] == "Alice"]
    assert alice == [(0, "Alice", Decimal("3.00"), 2)]


def test_a_restart_goes_on_with_half_a_window(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    world.send(sold(schema_id, ("Alice", 0, 1.0)), 0)
    run(spark, world)
    world.send(sold(schema_id, ("Alice", 1, 2.0), ("Alice", 60, 1.0)), 0)
    run(spark, world)
    assert said(world) == [(0, "Alice", Decimal("3.00"), 2)]


def test_what_cannot_be_read_is_skipped_and_what_is_new_is_learned(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    future = framed(order(bid_time=now() + timedelta(days=400)), schema_id=schema_id)
    world.send([*sold(schema_id, ("Alice", 0, 1.0)), b"junk", None, future, framed(order(), schema_id=2**31)], 0)
    run(spark, world)
    wider = record(*ORDER, field("colour", "string"))
    new = world.register(wider)
    late = [("Alice", 1, 2.0), ("Alice", 60, 1.0)]
    world.send([framed(order(supplier=s, bid_time=at(t), price=p, colour="red"), wider, new) for s, t, p in late], 0)
    run(spark, world)
    assert said(world) == [(0, "Alice", Decimal("3.00"), 2)]
