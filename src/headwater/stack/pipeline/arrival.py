"""Waits until rows that are on their way have arrived, and tells which connector is stuck if they do not."""

import time
from collections.abc import Mapping

from headwater.errors import HeadwaterError
from headwater.pipeline.census import shop_keys
from headwater.pipeline.shop import Shop
from headwater.pipeline.topic_reader import TopicReader, key_of
from headwater.stack.pipeline.progress import connector_offsets
from headwater.stack.pipeline.setup import Running

SOURCE = "orders-source"
# Seconds without a single new row before a connector counts as stuck.
PATIENCE = 90.0
TICK = 0.25


class Stuck(HeadwaterError):
    """Rows that do not arrive."""


def wait_for_topic(running: Running, shop: Shop, topic: str) -> dict[int, int]:
    """Wait until a topic has every row of the shop's table; by partition, the offset behind its last record."""
    missing = set(shop_keys(shop, topic))
    deadline = time.monotonic() + PATIENCE
    with TopicReader(running.settings.kafka, topic) as reader:
        while missing:
            rows = reader.rows
            for message in reader.read():
                missing.discard(key_of(message))
            if reader.rows > rows:
                deadline = time.monotonic() + PATIENCE
            elif missing:
                running.worker.check(SOURCE)
                wait(deadline, f"{len(missing)} rows, such as {min(missing)!r}, do not reach the topic {topic}", SOURCE)
        return reader.next_offsets


def wait_for_sink(running: Running, connector: str, topic: str, offsets: Mapping[int, int]) -> None:
    """Wait until a sink connector has taken over a topic up to these offsets."""
    deadline = time.monotonic() + PATIENCE
    while True:
        reached = connector_offsets(running.worker.offsets(connector), topic)
        if all(reached.get(partition, 0) >= offset for partition, offset in offsets.items()):
            return
        running.worker.check(connector)
        wait(deadline, f"the topic {topic} is not read to its end", connector)


def wait(deadline: float, trouble: str, connector: str) -> None:
    """Wait a moment; Stuck once the deadline has passed."""
    if time.monotonic() > deadline:
        raise Stuck(
            f"{trouble} after {PATIENCE:.0f} s; see what connector {connector!r} says: headwater lab logs connect"
        )
    time.sleep(TICK)
