from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from headwater.pipeline.iceberg_ingestion import NAME, Ingestion, ingest
from headwater.pipeline.stopping import Stop
from tests.pipeline.frames import NOON, ORDER, ORDERS, field, framed, order, record
from tests.pipeline.world import World


def ingested(spark: SparkSession, world: World) -> Ingestion:
    """Let the stream work off what is there."""
    return ingest(spark, world.settings, Stop(), once=True)


def rows(spark: SparkSession, world: World, query: str = "SELECT * FROM {orders} ORDER BY order_id") -> list[Row]:
    return spark.sql(query.format(orders=world.settings.catalog.table("orders"))).collect()


def ids(spark: SparkSession, world: World) -> list[str]:
    return [row.order_id for row in rows(spark, world)]


def test_orders_become_rows_with_exact_prices(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    world.send(framed(one, schema_id=schema_id) for one in (order(order_id="a"), order(order_id="b", price=None)))
    ingested(spark, world)
    a, b = rows(spark, world)
    assert (a.order_id, a.price, a.item, a.supplier) == ("a", Decimal("12.34"), "lamp", "Alice")
    assert a.bid_time.astimezone(UTC) == NOON
    assert b.price is None


def test_the_table_is_made_for_a_stream(spark: SparkSession, world: World) -> None:
    world.register()
    ingested(spark, world)
    properties = {row.key: row.value for row in rows(spark, world, "SHOW TBLPROPERTIES {orders}")}
    assert properties["write.distribution-mode"] == "none"
    assert properties["write.parquet.compression-codec"] == "zstd"
    assert properties["write.metadata.delete-after-commit.enabled"] == "true"
    assert "PARTITIONED BY (days(bid_time))" in rows(spark, world, "SHOW CREATE TABLE {orders}")[0][0]


def test_a_stream_goes_on_where_it_was(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    world.send_orders(range(3), schema_id)
    ingested(spark, world)
    world.send_orders(range(3, 5), schema_id)
    ingested(spark, world)
    ingested(spark, world)
    assert ids(spark, world) == ["o0", "o1", "o2", "o3", "o4"]


def test_records_that_cannot_be_read_are_dead_letters_with_their_reason(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    late = framed(order(bid_time=None), schema_id=schema_id)
    unknown = framed(order(), schema_id=2**31)
    world.send([framed(order(), schema_id=schema_id), b"junk", None, late, unknown], partition=1)
    done = ingested(spark, world)
    assert (done.rows, done.letters) == (1, 4)
    letters = world.received(world.settings.topics.dead_letters)
    told = {int(headers["offset"]): (value, headers) for _, value, headers in letters}
    assert {offset: headers["reason"] for offset, (_, headers) in told.items()} == {
        1: "not a Confluent frame: only 4 bytes",
        2: "no value: a tombstone",
        3: "bid_time is null",
        4: "schema id 2147483648 is not in the registry",
    }
    assert told[3][0] == late
    where = told[3][1]
    assert (where["topic"], where["partition"], where["job"]) == (world.settings.topics.orders, "1", NAME)


def test_a_dead_letter_larger_than_the_broker_takes_is_cut_and_says_so(spark: SparkSession, world: World) -> None:
    world.register()
    world.send([b"{" + b"x" * 999_900])
    assert ingested(spark, world).letters == 1
    ((_, value, headers),) = world.received(world.settings.topics.dead_letters)
    assert value is not None
    assert (len(value), headers["bytes"]) == (900_000, "999901")


def test_a_topic_full_of_noise_neither_stops_the_stream_nor_asks_the_registry_for_ever(
    spark: SparkSession, world: World
) -> None:
    schema_id = world.register()
    noise = [b"\0" + number.to_bytes(4, "big") + b"noise" for number in range(10_000, 10_300)]
    world.send([*noise, framed(order(), schema_id=schema_id)])
    done = ingested(spark, world)
    assert (done.rows, done.letters) == (1, 300)
    assert len(done.schemas.unusable) == 100


def test_a_field_gained_while_the_stream_runs_becomes_a_column(spark: SparkSession, world: World) -> None:
    stop = Stop()
    first = world.register()
    world.send_orders(range(2), first)
    wider = record(*ORDER, field("colour", "string"), field("weight", "int"))
    taken: list[int] = []

    class Watched(Ingestion):
        def take(self, frames: Any, batch: int) -> None:
            super().take(frames, batch)
            taken.append(batch)
            if len(taken) == 1:
                # Between two micro-batches of one running query, as a shop's release would.
                world.send([framed(order(order_id="wide", colour="red", weight=3), wider, world.register(wider))])
            else:
                stop.ask()

    ingest(spark, world.settings, stop, once=False, make=Watched)
    assert taken == [0, 1]
    found = {row.order_id: (row.colour, row.weight) for row in rows(spark, world)}
    assert found == {"o0": (None, None), "o1": (None, None), "wide": ("red", 3)}


def test_an_old_schema_still_works_after_a_new_one(spark: SparkSession, world: World) -> None:
    old = world.register()
    wider = record(*ORDER, field("colour", "string"))
    new = world.register(wider)
    world.send([framed(order(order_id="new", colour="red"), wider, new), framed(order(order_id="old"), ORDERS, old)])
    ingested(spark, world)
    assert {row.order_id: row.colour for row in rows(spark, world)} == {"new": "red", "old": None}


def test_a_batch_committed_before_a_crash_is_not_appended_again(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    world.send([framed(order(order_id="a"), schema_id=schema_id), b"junk"])

    class Crashing(Ingestion):
        def take(self, frames: Any, batch: int) -> None:
            super().take(frames, batch)
            # The rows are committed to Iceberg; Spark has not yet noted that the micro-batch is done.
            raise RuntimeError("pulled the plug")

    with pytest.raises(Exception, match="pulled the plug"):
        ingest(spark, world.settings, Stop(), once=True, make=Crashing)
    assert ids(spark, world) == ["a"]
    ingested(spark, world)
    assert ids(spark, world) == ["a"]
    # Dead letters are sent at least once: a reader tells copies by topic, partition and offset.
    letters = world.received(world.settings.topics.dead_letters)
    assert len({(headers["partition"], headers["offset"]) for _, _, headers in letters}) == 1


def test_a_stop_ends_the_stream_between_two_micro_batches(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    world.send_orders(range(4), schema_id)
    settings = world.settings
    stop = Stop()

    class Asking(Ingestion):
        def take(self, frames: Any, batch: int) -> None:
            if batch == 1:
                stop.ask()
            super().take(frames, batch)

    small = replace(settings, stream=replace(settings.stream, max_offsets=1))
    ingest(spark, small, stop, once=True, make=Asking)
    # The first is committed, the second had not begun: nothing of it is there.
    assert len(ids(spark, world)) == 1
    ingested(spark, world)
    assert sorted(ids(spark, world)) == ["o0", "o1", "o2", "o3"]
