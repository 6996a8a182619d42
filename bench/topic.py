"""A topic of orders to measure with: filled at once by Spark, or at a steady rate by a process of its own."""

import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from random import Random
from typing import Any

import fastavro
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import to_avro

from headwater.pipeline.schemas import frame
from headwater.pipeline.session import kafka_options
from headwater.pipeline.settings import PipelineSettings

SUPPLIERS = ("Alice", "Bob", "Carol", "Alex", "Joe", "James", "Jane", "Jack")
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Value",
    "namespace": "shop.public.orders",
    "fields": [
        {"name": "order_id", "type": "string"},
        {"name": "bid_time", "type": MILLIS},
        {"name": "price", "type": ["null", "double"], "default": None},
        {"name": "item", "type": ["null", "string"], "default": None},
        {"name": "supplier", "type": ["null", "string"], "default": None},
    ],
}
# Orders a second of event time, of which the last is just now.
EVENT_RATE = 10_000


def fill(spark: SparkSession, settings: PipelineSettings, count: int, schema_id: int) -> None:
    """Write that many orders to the topic."""
    names = F.array(*[F.lit(name) for name in SUPPLIERS])
    first = time.time() - count / EVENT_RATE
    orders = spark.range(count).select(
        F.format_string("order-%010d", "id").alias("order_id"),
        F.timestamp_millis((F.lit(first * 1000) + F.col("id") * 1000 / EVENT_RATE).cast("long")).alias("bid_time"),
        (F.round(F.rand(7) * 1000, 2)).alias("price"),
        F.format_string("item-%d", F.col("id") % 1000).alias("item"),
        F.element_at(names, (F.col("id") % len(SUPPLIERS) + 1).cast("int")).alias("supplier"),
    )
    row = F.struct(*[F.col(name) for name in orders.columns])
    records = orders.select(
        F.col("order_id").cast("binary").alias("key"),
        F.concat(F.lit(bytearray(frame(schema_id))), to_avro(row, json.dumps(SCHEMA))).alias("value"),
    )
    options = {**kafka_options(settings), "kafka.linger.ms": "20", "kafka.batch.size": "262144"}
    records.write.format("kafka").options(**options, topic=settings.topics.orders).save()


@contextmanager
def steady(settings: PipelineSettings, rate: int, seconds: int, schema_id: int) -> Iterator[subprocess.Popen[bytes]]:
    """Orders of the present at that rate, from another process so that they do not wait for this one."""
    given = [settings.kafka.bootstrap, settings.topics.orders, rate, seconds, schema_id]
    with subprocess.Popen([sys.executable, "-m", "bench.topic", *map(str, given)]) as process:
        try:
            yield process
        finally:
            process.kill()


def produce(bootstrap: str, topic: str, rate: int, seconds: int, schema_id: int) -> None:
    """Write orders of the present for so long, in steps of a fiftieth of a second."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "queue.buffering.max.messages": 1_000_000})
    schema, random, head = fastavro.parse_schema(SCHEMA), Random(7), frame(schema_id)
    began, sent = time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        while sent < passed * rate:
            out = io.BytesIO(head)
            out.seek(len(head))
            order = {
                "order_id": f"order-{sent:010d}",
                "bid_time": datetime.now(UTC),
                "price": round(random.uniform(1, 1000), 2),
                "item": "item",
                "supplier": random.choice(SUPPLIERS),
            }
            fastavro.schemaless_writer(out, schema, order)
            producer.produce(topic, key=str(order["order_id"]), value=out.getvalue())
            sent += 1
        producer.poll(0)
        time.sleep(0.02)
    producer.flush(30)


if __name__ == "__main__":
    produce(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
