"""A test's own corner of the lab: topics, a namespace of tables, an archive and checkpoints that nobody else uses."""

import json
import urllib.request
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from confluent_kafka import Consumer, Producer, TopicPartition

from headwater.pipeline.objects import Store, signed_headers
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.settings import PipelineSettings, Topics, write_settings
from tests.pipeline.frames import ORDERS, framed, now, order


@dataclass(frozen=True)
class World:
    """Settings of one test, and what a producer and a reader do around its jobs."""

    settings: PipelineSettings
    file: Path

    def register(self, schema: Any = ORDERS) -> int:
        """Register a schema of the topic's values."""
        registry = SchemaRegistry(self.settings.registry)
        return registry.register(f"{self.settings.topics.orders}-value", json.dumps(schema))

    def send(self, values: Iterable[bytes | None], partition: int | None = None) -> None:
        """Write records to the topic, and wait until they are there."""
        producer = Producer({"bootstrap.servers": self.settings.kafka.bootstrap, "linger.ms": 5})
        place = -1 if partition is None else partition  # -1 lets the client choose
        for number, value in enumerate(values):
            producer.produce(self.settings.topics.orders, key=str(number), value=value, partition=place)
            producer.poll(0)
        assert producer.flush(30) == 0

    def send_orders(self, numbers: Iterable[int], schema_id: int) -> None:
        """Write well-formed orders with these numbers."""
        self.send([framed(order(order_id=f"o{number}"), schema_id=schema_id) for number in numbers])

    def received(self, topic: str) -> list[tuple[bytes | None, bytes | None, dict[str, str]]]:
        """All records of a topic: key, value, headers."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.settings.kafka.bootstrap,
                "group.id": uuid.uuid4().hex,
                "enable.auto.commit": False,
                "enable.partition.eof": True,
            }
        )
        try:
            partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
            consumer.assign([TopicPartition(topic, one, 0) for one in partitions])
            found, left = [], set(partitions)
            while left:
                message = consumer.poll(10)
                assert message is not None, f"no answer from the broker about {topic}"
                if message.error():
                    left.discard(message.partition())
                    continue
                given: Any = message.headers() or ()
                headers = {name: value.decode() for name, value in given}
                found.append((message.key(), message.value(), headers))
            return found
        finally:
            consumer.close()

    def archived(self) -> dict[str, list[Mapping[str, Any]]]:
        """The lines of every object in the archive, by its key below the archive's prefix."""
        bucket, _, prefix = self.settings.s3.archive.partition("://")[2].partition("/")
        listing = self._get(f"/{bucket}?list-type=2&prefix={prefix}%2F")
        keys = [one.text or "" for one in ElementTree.fromstring(listing).iter() if one.tag.endswith("Key")]
        return {
            key.removeprefix(f"{prefix}/"): [json.loads(line) for line in self._get(f"/{bucket}/{key}").splitlines()]
            for key in sorted(keys)
        }

    def _get(self, path: str) -> bytes:
        s3 = self.settings.s3
        store = Store(endpoint=s3.endpoint, region=s3.region, access_key=s3.access_key, secret_key=s3.secret_key)
        url = s3.endpoint + path.replace("+", "%2B").replace("bid_date=", "bid_date%3D")
        request = urllib.request.Request(url, headers=signed_headers(store, "GET", url, b"", now()))
        with urllib.request.urlopen(request, timeout=10) as answer:
            body: bytes = answer.read()
        return body


def new_world(settings: PipelineSettings, folder: Path) -> World:
    """A corner of the lab that these settings lead to."""
    name = f"t{uuid.uuid4().hex[:12]}"
    own = replace(
        settings,
        topics=Topics(orders=f"{name}-orders", supplier_stats=f"{name}-stats", dead_letters=f"{name}-dead-letters"),
        # Without its cache, a session sees at once what the stream's own session has committed.
        catalog=replace(settings.catalog, namespace=name, options={"cache-enabled": "false"}),
        s3=replace(settings.s3, archive=f"s3://fh-dev-bucket/{name}"),
        spark=replace(settings.spark, checkpoints=f"file://{folder}/checkpoints"),
        stream=replace(settings.stream, trigger="0 seconds", archive_trigger="0 seconds"),
    )
    file = folder / "pipeline.toml"
    write_settings(file, own)
    return World(own, file)
