"""The brokers: which topics there are, and where each partition ends."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures import as_completed
from typing import Any, NamedTuple

from headwater.capture.connect.flow import Positions
from headwater.errors import HeadwaterError

log = logging.getLogger(__name__)

SECONDS = 5.0
SAMPLE_SECONDS = 2.0
# Before the end of a partition there may be marks of transactions, which are no records.
MARKS = 10
# What librdkafka says on its own goes to standard error; what matters comes back from the calls below.
QUIET = {"log_level": 0, "socket.timeout.ms": 10_000, "allow.auto.create.topics": False}


class BrokerError(HeadwaterError):
    """The brokers cannot be asked."""


class Record(NamedTuple):
    """A record as it is in a topic."""

    key: bytes | None
    value: bytes | None


class Broker:
    """A Kafka cluster, asked only for what any client may know."""

    def __init__(self, bootstrap: str) -> None:
        try:
            from confluent_kafka.admin import AdminClient
        except ModuleNotFoundError as error:
            raise BrokerError(
                "lag and the flow of sources need confluent-kafka; install it with: pip install confluent-kafka"
            ) from error
        self.bootstrap = bootstrap
        settings: dict[str, Any] = {"bootstrap.servers": bootstrap, "error_cb": _ignore, **QUIET}
        self._admin = AdminClient(settings)

    def partitions(self) -> dict[str, tuple[int, ...]]:
        """Every topic with its partitions."""
        from confluent_kafka import KafkaException

        try:
            topics = self._admin.list_topics(timeout=SECONDS).topics
        except KafkaException as error:
            raise self._trouble(error) from error
        return {name: tuple(sorted(topic.partitions)) for name, topic in topics.items() if topic.error is None}

    def ends(self, partitions: Iterable[tuple[str, int]]) -> Positions:
        """Where partitions end, as a reader of committed records sees it; those that are gone are left out."""
        from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
        from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

        latest: Any = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        asked = {TopicPartition(topic, partition): latest for topic, partition in partitions}
        if not asked:
            return {}
        try:
            futures = self._admin.list_offsets(
                asked, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=SECONDS
            )
        except KafkaException as error:
            raise self._trouble(error) from error
        places = {future: place for place, future in futures.items()}
        found: dict[tuple[str, int], int] = {}
        try:
            for future in as_completed(places, timeout=SECONDS * 2):
                if (offset := _offset(future)) is not None:
                    found[places[future].topic, places[future].partition] = offset
        except FutureTimeout as error:
            raise self._trouble(error) from error
        return found

    def newest(self, topic: str) -> Record | None:
        """One of the newest records of a topic; None if it has none, or none comes in time."""
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        partitions = self.partitions().get(topic, ())
        ends = self.ends((topic, partition) for partition in partitions)
        filled = {place: end for place, end in ends.items() if end}
        if not filled:
            return None
        # It joins no group and commits nothing; librdkafka wants a name all the same.
        settings: dict[str, Any] = {"group.id": "headwater", "enable.auto.commit": False, "error_cb": _ignore}
        consumer = Consumer({"bootstrap.servers": self.bootstrap, **settings, **QUIET})
        found: Record | None = None
        try:
            consumer.assign([TopicPartition(*place, max(0, end - MARKS)) for place, end in filled.items()])
            for message in consumer.consume(MARKS * len(filled), timeout=SAMPLE_SECONDS):
                if message.error() is None and message.value() is not None:
                    found = Record(message.key(), message.value())
        except KafkaException as error:
            raise self._trouble(error) from error
        finally:
            consumer.close()
        return found

    def _trouble(self, error: Exception) -> BrokerError:
        return BrokerError(f"the brokers at {self.bootstrap} do not answer: {str(error) or type(error).__name__}")


def _offset(future: Any) -> int | None:
    from confluent_kafka import KafkaException

    try:
        return int(future.result().offset)
    except KafkaException:
        return None  # the topic was deleted a moment ago


def _ignore(_: object) -> None:
    """What clients say of a broker that is away; the call that needs it says so too."""
