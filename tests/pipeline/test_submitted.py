"""A stream as a process of its own: asked to stop, interrupted, killed; what it leaves is the same."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from headwater.pipeline.settings import Kafka, write_settings
from tests.pipeline.submitting import Submitted, submitted
from tests.pipeline.world import World

JOB = "iceberg-ingestion"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@contextmanager
def steady_orders(world: World, schema_id: int) -> Iterator[list[int]]:
    """Orders that keep coming, also while the stream is down; yields the count, which is final at the end."""
    count, stop = [0], threading.Event()

    def produce() -> None:
        while not stop.wait(0.2):
            world.send_orders(range(count[0], count[0] + 100), schema_id)
            count[0] += 100

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        yield count
    finally:
        stop.set()
        thread.join()


def rows(spark: SparkSession, world: World) -> tuple[int, int]:
    """How many rows the table has, and how many orders."""
    table = world.settings.catalog.table("orders")
    (row,) = spark.sql(f"SELECT count(*), count(DISTINCT order_id) FROM {table}").collect()
    return row[0], row[1]


def at_work(job: Submitted, batches: int = 1) -> None:
    """Wait until some micro-batches are done."""
    job.wait_until(lambda said: said.count(f"{JOB} batch ") >= batches)


@pytest.mark.long
def test_however_often_a_stream_is_stopped_or_killed_each_order_is_there_once(
    spark: SparkSession, world: World
) -> None:
    schema_id = world.register()
    # Small micro-batches, so that there is always one in work.
    small = replace(world.settings, stream=replace(world.settings.stream, max_offsets=100))
    write_settings(world.file, small)
    chance = random.Random()
    with steady_orders(world, schema_id) as sent:
        for number in (signal.SIGTERM, signal.SIGINT):
            with submitted(JOB, world.file) as job:
                at_work(job)
                # spark-submit is the JVM, of which Python is the child. A terminal signals both, `kill` the JVM alone.
                job.kill(number) if number == signal.SIGINT else os.kill(job.process.pid, number)
                assert job.exit_code() == 0, job.said()[-3000:]
                assert "stopping after the micro-batch in work" in job.said()
            total, distinct = rows(spark, world)
            assert total == distinct > 0
        for _ in range(3):
            with submitted(JOB, world.file) as job:
                at_work(job)
                time.sleep(chance.uniform(0, 3))
                job.kill()
    write_settings(world.file, world.settings)
    with submitted(JOB, world.file, "--once") as job:
        assert job.exit_code(300) == 0, job.said()[-3000:]
    assert rows(spark, world) == (sent[0], sent[0])


def test_a_broker_that_is_not_there_ends_a_job_with_one_clear_line(world: World) -> None:
    write_settings(world.file, replace(world.settings, kafka=Kafka(bootstrap="127.0.0.1:1", options=IMPATIENT)))
    with submitted(JOB, world.file, "--once") as job:
        assert job.exit_code() == 1
        assert f"{JOB}: cannot look at the topics of Kafka at 127.0.0.1:1: " in job.said()
        assert "Traceback" not in job.said()


IMPATIENT = {"request.timeout.ms": "1000", "default.api.timeout.ms": "2000"}
