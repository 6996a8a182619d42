import json
from base64 import b64encode
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater.pipeline.decoding import PROBLEM, decode
from headwater.pipeline.transforms import (
    ARCHIVED,
    BID_TIME,
    COORDINATES,
    ORDER_ID,
    archive_lines,
    archive_objects,
    dead_letters,
    of_day,
    supplier_hours,
    supplier_windows,
    well_timed,
)
from tests.pipeline.frames import NOON, ORDERS, framed, kafka_frame, known, order


def orders(spark: SparkSession, *rows: tuple[str | None, str, str | None]) -> DataFrame:
    """Orders as supplier, time of day and price."""
    made = [(s, datetime.fromisoformat(f"2026-01-31T{t}+00:00"), p if p is None else Decimal(p)) for s, t, p in rows]
    return spark.createDataFrame(made, "supplier string, bid_time timestamp, price decimal(10,2)")


def windows(spark: SparkSession, *rows: tuple[str | None, str, str | None]) -> set[tuple[Any, ...]]:
    found = supplier_windows(orders(spark, *rows)).collect()
    return {(clock(r.window_start), clock(r.window_end), r.supplier, r.total_price, r["count"]) for r in found}


def clock(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%H:%M:%S}"


def test_windows_are_five_seconds_wide_and_begin_on_the_clock(spark: SparkSession) -> None:
    assert windows(
        spark,
        ("Alice", "12:00:00.000", "1.10"),
        ("Alice", "12:00:04.999", "2.20"),
        ("Alice", "12:00:05.000", "4.00"),
        ("Bob", "12:00:01.000", "8.00"),
    ) == {
        ("12:00:00", "12:00:05", "Alice", Decimal("3.30"), 2),
        ("12:00:05", "12:00:10", "Alice", Decimal("4.00"), 1),
        ("12:00:00", "12:00:05", "Bob", Decimal("8.00"), 1),
    }


def test_an_order_without_price_counts_and_adds_nothing(spark: SparkSession) -> None:
    rows = (("Alice", "12:00:00", None), ("Alice", "12:00:01", "1.00"), ("Bob", "12:00:00", None))
    assert windows(spark, *rows) == {
        ("12:00:00", "12:00:05", "Alice", Decimal("1.00"), 2),
        ("12:00:00", "12:00:05", "Bob", None, 1),
    }


def test_orders_without_supplier_are_a_group_of_their_own(spark: SparkSession) -> None:
    rows = ((None, "12:00:00", "1.00"), (None, "12:00:01", "2.00"), ("", "12:00:01", "4.00"))
    assert windows(spark, *rows) == {
        ("12:00:00", "12:00:05", None, Decimal("3.00"), 2),
        ("12:00:00", "12:00:05", "", Decimal("4.00"), 1),
    }


def test_a_total_is_exact_where_one_price_more_would_not_fit_its_column(spark: SparkSession) -> None:
    many = orders(spark, ("Alice", "12:00:00", "99999999.99")).crossJoin(spark.range(1000).select())
    (row,) = supplier_windows(many).collect()
    assert row.total_price == Decimal("99999999990.00")


def test_hours_are_those_of_the_day_in_utc(spark: SparkSession) -> None:
    found = supplier_hours(
        orders(spark, ("Alice", "00:00:00", "1.00"), ("Alice", "00:59:59.999", "2.00"), ("Alice", "23:59:59.999", None))
    ).collect()
    assert {tuple(row) for row in found} == {
        ("Alice", date(2026, 1, 31), 0, Decimal("3.00"), 2),
        ("Alice", date(2026, 1, 31), 23, None, 1),
    }
    assert [field.simpleString() for field in supplier_hours(orders(spark)).schema] == [
        "supplier:string",
        "bid_date:date",
        "bid_hour:int",
        "total_price:decimal(20,2)",
        "total_count:bigint",
    ]


@pytest.mark.parametrize(
    ("moment", "inside"),
    [
        ("2026-01-30T23:59:59.999", False),
        ("2026-01-31T00:00:00.000", True),
        ("2026-01-31T23:59:59.999", True),
        ("2026-02-01T00:00:00.000", False),
    ],
)
def test_a_day_goes_from_midnight_to_midnight(spark: SparkSession, moment: str, inside: bool) -> None:
    rows = spark.createDataFrame([(datetime.fromisoformat(f"{moment}+00:00"),)], "bid_time timestamp")
    assert of_day(rows, date(2026, 1, 31)).count() == inside


def test_an_order_from_the_far_future_is_put_aside(spark: SparkSession) -> None:
    times = [NOON, NOON + timedelta(hours=23), NOON + timedelta(days=400), NOON - timedelta(days=400)]
    frames = kafka_frame(spark, [framed(order(bid_time=time)) for time in times])
    decoded = decode(frames, (ORDER_ID, BID_TIME), known(spark, {1: ORDERS}), keep=["timestamp"])
    problems = [row[PROBLEM] for row in well_timed(decoded).collect()]
    assert problems == [None, None, "bid_time is more than 1 day ahead of the time it was sent", None]


def archived(spark: SparkSession, *values: bytes | None) -> DataFrame:
    keep = (*COORDINATES, "value")
    return archive_lines(decode(kafka_frame(spark, values), ARCHIVED, known(spark, {1: ORDERS}), keep, strict=False))


def test_the_archive_has_each_record_as_it_was_sent(spark: SparkSession) -> None:
    lines = archived(
        spark,
        framed(order(price=1e12)),
        framed(order(price=None, item=None, supplier='say "hi"\n')),
        framed(order(bid_time=None)),
        b"\0\0\0\0\1junk",
        None,
    )
    read = [(row.bid_date, json.loads(row.line)) for row in lines.orderBy("offset").collect()]
    sent = {
        "order_id": "o1",
        "bid_time": "2026-01-31T12:00:00.000Z",
        "price": 12.34,
        "item": "lamp",
        "supplier": "Alice",
    }
    where = {"topic": "orders", "partition": 0}
    problem = "does not decode with schema id 1"
    raw = b64encode(b"\0\0\0\0\1junk").decode()
    assert read == [
        ("2026-01-31", sent | {"price": 1e12}),
        ("2026-01-31", sent | {"price": None, "item": None, "supplier": 'say "hi"\n'}),
        ("unknown", sent | {"bid_time": None}),
        ("unknown", {"problem": problem, **where, "offset": 3, "value": raw}),
        ("unknown", {"problem": "no value: a tombstone", **where, "offset": 4}),
    ]


def test_an_object_holds_a_days_lines_in_order_under_a_name_that_kafka_fixes(spark: SparkSession) -> None:
    tomorrow = NOON + timedelta(days=1)
    sent = {"a": NOON, "b": tomorrow, "c": NOON}
    lines = archived(spark, *[framed(order(order_id=name, bid_time=time)) for name, time in sent.items()])
    objects = {row.key: row.body for row in archive_objects(lines.repartition(3)).collect()}
    assert {key: [json.loads(line)["order_id"] for line in body.splitlines()] for key, body in objects.items()} == {
        "bid_date=2026-01-31/orders+0+00000000000000000000.json": ["a", "c"],
        "bid_date=2026-02-01/orders+0+00000000000000000001.json": ["b"],
    }
    assert all(body.endswith("\n") for body in objects.values())


def test_a_dead_letter_carries_its_reason_and_its_place(spark: SparkSession) -> None:
    frames = kafka_frame(spark, [b"junk"])
    keep = ("key", "value", *COORDINATES)
    (letter,) = dead_letters(decode(frames, (ORDER_ID,), known(spark, {1: ORDERS}), keep), "a-job").collect()
    assert bytes(letter.value) == b"junk"
    assert {header.key: bytes(header.value).decode() for header in letter.headers} == {
        "reason": "not a Confluent frame: only 4 bytes",
        "topic": "orders",
        "partition": "0",
        "offset": "0",
        "bytes": "4",
        "job": "a-job",
    }
