from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from headwater.errors import SettingError
from headwater.pipeline.orders_s3_sink import Archive, archive, bucket_and_prefix
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.stopping import Stop
from tests.pipeline.frames import NOON, framed, order
from tests.pipeline.world import World


def run(spark: SparkSession, settings: PipelineSettings, **more: Any) -> None:
    archive(spark, settings, Stop(), once=True, **more)


def ids(world: World) -> list[str]:
    return [line["order_id"] for lines in world.archived().values() for line in lines]


def test_a_micro_batch_is_an_object_for_each_day_and_partition(spark: SparkSession, world: World) -> None:
    schema_id = world.register()
    days = [NOON, NOON + timedelta(days=1), NOON]
    world.send([framed(order(order_id=f"o{n}", bid_time=day), schema_id=schema_id) for n, day in enumerate(days)], 1)
    world.send([b"junk"], 0)
    run(spark, world.settings)
    topic = world.settings.topics.orders
    found = world.archived()
    assert {key: [line.get("order_id") for line in lines] for key, lines in found.items()} == {
        f"bid_date=2026-01-31/{topic}+1+00000000000000000000.json": ["o0", "o2"],
        f"bid_date=2026-02-01/{topic}+1+00000000000000000001.json": ["o1"],
        f"bid_date=unknown/{topic}+0+00000000000000000000.json": [None],
    }


def test_a_micro_batch_done_twice_is_there_once(spark: SparkSession, world: World) -> None:
    world.send_orders(range(10), world.register())

    class Crashing(Archive):
        def take(self, frames: Any, batch: int) -> None:
            super().take(frames, batch)
            raise RuntimeError("pulled the plug")

    with pytest.raises(Exception, match="pulled the plug"):
        run(spark, world.settings, make=Crashing)
    assert len(ids(world)) == 10
    run(spark, world.settings)
    assert sorted(ids(world)) == [f"o{number}" for number in range(10)]


@pytest.mark.parametrize(
    "wrong", [{"secret_key": "wrong-secret"}, {"endpoint": "http://127.0.0.1:1"}], ids=["key", "outage"]
)
def test_nothing_is_lost_when_the_store_refuses(spark: SparkSession, world: World, wrong: dict[str, Any]) -> None:
    world.send_orders(range(10), world.register())
    settings = world.settings
    with pytest.raises(Exception, match="object store"):
        run(spark, replace(settings, s3=replace(settings.s3, **wrong)))
    assert ids(world) == []
    run(spark, settings)
    assert sorted(ids(world)) == [f"o{number}" for number in range(10)]


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("s3://bucket", ("bucket", "")),
        ("s3a://bucket/", ("bucket", "")),
        ("s3://bucket/a/b/", ("bucket", "a/b/")),
    ],
)
def test_a_place_is_a_bucket_and_a_prefix(place: str, parts: tuple[str, str]) -> None:
    assert bucket_and_prefix(place) == parts


@pytest.mark.parametrize("place", ["", "bucket/orders", "file:///tmp", "s3://"])
def test_a_place_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(SettingError, match=r"'s3\.archive' is .*; expected a place such as s3://fh-dev-bucket/orders"):
        bucket_and_prefix(place)
