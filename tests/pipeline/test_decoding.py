from datetime import UTC
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType

from headwater.pipeline.decoding import PROBLEM, Wanted, decode, unknown_ids, unknown_schema
from headwater.pipeline.registry import Schema
from headwater.pipeline.transforms import BID_TIME, ORDER_ID, PRICE, SUPPLIER
from tests.pipeline.frames import NOON, ORDER, ORDERS, field, framed, kafka_frame, known, order, record

WANTED = (ORDER_ID, BID_TIME, PRICE, Wanted("item", StringType()), SUPPLIER)


def decoded(
    spark: SparkSession, values: list[bytes | None], schemas: dict[int, Any], strict: bool = False
) -> list[dict[str, Any]]:
    rows = decode(kafka_frame(spark, values), WANTED, known(spark, schemas), keep=["offset"], strict=strict)
    return [row.asDict() for row in rows.orderBy("offset").collect()]


def test_a_record_becomes_typed_columns(spark: SparkSession) -> None:
    (row,) = decoded(spark, [framed(order())], {1: ORDERS})
    moment = row["bid_time"].astimezone(UTC)
    assert (row["order_id"], moment, row["price"]) == ("o1", NOON, Decimal("12.34"))
    assert (row["item"], row["supplier"], row[PROBLEM]) == ("lamp", "Alice", None)


PROBLEMS = [
    (None, "no value: a tombstone"),
    (b"", "not a Confluent frame: only 0 bytes"),
    (b"\0\0\0", "not a Confluent frame: only 3 bytes"),
    (b'{"order_id": "o1"}', "not a Confluent frame: it begins with 0x7B instead of 0x00"),
    (framed(order(), schema_id=99), "schema id 99 is not in the registry"),
    (framed(order(), schema_id=2**32 - 1), "schema id 4294967295 is not in the registry"),
    (framed(order())[:-3], "does not decode with schema id 1"),
    (b"\0\0\0\0\1", "does not decode with schema id 1"),
    # The length of the first text: two gigabytes, of which not one byte follows.
    (b"\0\0\0\0\1\xfe\xff\xff\xff\x0f", "does not decode with schema id 1"),
    (framed(order(bid_time=None)), "bid_time is null"),
    (framed(order(price=100_000_000.0)), "price 1.0E8 does not fit decimal(10,2)"),
    (framed(order(price=float("nan"))), "price NaN does not fit decimal(10,2)"),
    (framed(order(price=float("-inf"))), "price -Infinity does not fit decimal(10,2)"),
]


def test_every_record_that_cannot_be_read_says_why(spark: SparkSession) -> None:
    rows = decoded(spark, [value for value, _ in PROBLEMS], {1: ORDERS})
    assert [row[PROBLEM] for row in rows] == [reason for _, reason in PROBLEMS]


@pytest.mark.parametrize(
    ("change", "column", "expected"),
    [
        ({"price": None}, "price", None),
        ({"supplier": None}, "supplier", None),
        ({"item": ""}, "item", ""),
        ({"price": 0.005}, "price", Decimal("0.01")),
        ({"price": -12.345}, "price", Decimal("-12.35")),
        ({"price": 99_999_999.99}, "price", Decimal("99999999.99")),
    ],
)
def test_what_is_odd_but_readable_is_kept(
    spark: SparkSession, change: dict[str, Any], column: str, expected: object
) -> None:
    (row,) = decoded(spark, [framed(order(**change))], {1: ORDERS})
    assert (row[column], row[PROBLEM]) == (expected, None)


def test_each_record_is_read_with_the_schema_that_wrote_it(spark: SparkSession) -> None:
    older = record(*[one for one in ORDER if one["name"] != "item"])
    reordered = record(*reversed(ORDER), field("colour", "string"))
    exact = record(*[one for one in ORDER if one["name"] != "price"], field("price", DECIMAL))
    schemas = {1: ORDERS, 2: older, 3: reordered, 4: exact}
    rows = decoded(
        spark,
        [
            framed(order(order_id="a")),
            framed(order(order_id="b"), older, 2),
            framed(order(order_id="c", colour="red"), reordered, 3),
            framed(order(order_id="d", price=Decimal("1.50")), exact, 4),
        ],
        schemas,
    )
    assert [row["order_id"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["item"] for row in rows] == ["lamp", None, "lamp", "lamp"]
    assert [row["price"] for row in rows] == [Decimal("12.34")] * 3 + [Decimal("1.50")]
    assert {row[PROBLEM] for row in rows} == {None}


DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}


def test_a_number_is_not_taken_for_a_moment(spark: SparkSession) -> None:
    bare = record(*[field("bid_time", "long") if one["name"] == "bid_time" else one for one in ORDER])
    (row,) = decoded(spark, [framed(order(bid_time=1_769_860_800_000), bare)], {1: bare})
    assert row[PROBLEM] == "bid_time 1769860800000 does not fit timestamp"


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("string", "schema id 7 cannot be read: it is string, expected a record"),
        (Schema(7, "{}", "JSON"), "schema id 7 cannot be read: it is JSON, expected AVRO"),
        (
            record(field("a", "int"), field("A", "int")),
            "schema id 7 cannot be read: two of its fields differ only in case, which Spark cannot tell apart",
        ),
    ],
)
def test_a_schema_that_is_no_order_is_the_records_problem(spark: SparkSession, schema: Any, reason: str) -> None:
    (row,) = decoded(spark, [b"\0\0\0\0\7abc"], {1: ORDERS, 7: schema}, strict=True)
    assert row[PROBLEM] == reason


def test_a_schema_that_spark_cannot_parse_is_the_records_problem(spark: SparkSession) -> None:
    recursive = record(field("next", "shop.public.orders.Value"))
    (row,) = decoded(spark, [b"\0\0\0\0\7abc"], {7: recursive}, strict=True)
    assert row[PROBLEM].startswith("schema id 7 cannot be read: ")


def test_a_record_of_another_topic_has_no_order_id(spark: SparkSession) -> None:
    bids = record(field("bid_id", "string", nullable=False), *ORDER[1:])
    (row,) = decoded(spark, [framed(order(bid_id="b1"), bids, 5)], {1: ORDERS, 5: bids})
    assert row[PROBLEM] == "order_id is null"


def test_a_schema_met_for_the_first_time_fails_the_query_and_says_which(spark: SparkSession) -> None:
    schemas = known(spark, {1: ORDERS})
    frames = kafka_frame(spark, [framed(order()), framed(order(), schema_id=42)])
    with pytest.raises(Exception, match="schema id 42") as raised:
        decode(frames, WANTED, schemas).collect()
    assert unknown_schema(raised.value) == 42
    assert unknown_ids(frames, schemas, 10) == [42]


def test_another_error_names_no_schema() -> None:
    assert unknown_schema(ValueError("schema id 42")) is None


def test_the_registry_is_asked_again_for_a_missing_schema_after_a_while(spark: SparkSession) -> None:
    now = 0.0
    schemas = known(spark, {1: ORDERS})
    schemas.clock = lambda: now
    schemas.learn([42])
    schemas.forget_the_missing()
    assert 42 in schemas.unusable
    now = 1_000.0
    schemas.forget_the_missing()
    assert schemas.unusable == {}


def test_what_newer_schemas_gained_is_known_by_name_and_type(spark: SparkSession) -> None:
    second = record(*ORDER, field("Colour", "string"), field("weight", "int"))
    third = record(*ORDER, field("colour", "string"), field("weight", "long"))
    gained = known(spark, {1: ORDERS, 2: second, 3: third}).gained(one.name for one in WANTED)
    assert [(one.name, one.dataType.simpleString()) for one in gained] == [("colour", "string"), ("weight", "bigint")]


def test_a_value_too_large_for_an_older_column_is_put_aside_not_wrapped_around(spark: SparkSession) -> None:
    wider = record(*ORDER, field("weight", "long"))
    frames = kafka_frame(spark, [framed(order(weight=7), wider), framed(order(weight=2**40), wider)])
    rows = decode(frames, (*WANTED, Wanted("weight", IntegerType())), known(spark, {1: wider}), strict=False).collect()
    assert [(row.weight, row[PROBLEM]) for row in rows] == [(7, None), (None, "weight 1099511627776 does not fit int")]


def test_a_record_is_decoded_once_however_many_columns_are_read(spark: SparkSession) -> None:
    frames = kafka_frame(spark, [framed(order())])
    rows = (
        decode(frames, WANTED, known(spark, {1: ORDERS}))
        .observe("counts", F.count("*").alias("rows"))
        .where(f"{PROBLEM} IS NULL")
    )
    plan = rows._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("from_avro") == 1, plan
