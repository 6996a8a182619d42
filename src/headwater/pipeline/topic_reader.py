"""Topics as a plain consumer sees them: what was committed, and nothing that a failed transaction left behind."""

import io
import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

import fastavro
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from headwater.errors import HeadwaterError
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.settings import Kafka

TIMEOUT = 15.0
# A consumer waits for a full batch, or this long for what there is.
BATCH = 2_000
TICK = 0.05
FRAME = 5


class UnreadableTopic(HeadwaterError):
    """A topic cannot be read."""


class TopicReader(AbstractContextManager["TopicReader"]):
    """Reads one topic from its start, in as many goes as wanted, and is in no group's way."""

    def __init__(self, kafka: Kafka, topic: str) -> None:
        self.topic = topic
        self.bootstrap = kafka.bootstrap
        self.rows = 0
        # By partition: the offset behind the newest record that was read.
        self.next_offsets: dict[int, int] = {}
        # By partition: how far it is read, with what is no record.
        self.reached: dict[int, int] = {}
        self.consumer = Consumer(
            {
                **kafka.options,
                "bootstrap.servers": kafka.bootstrap,
                # A name is asked for, but nothing is ever stored under it.
                "group.id": f"headwater-reader-{uuid.uuid4()}",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "enable.partition.eof": True,
                "isolation.level": "read_committed",
                # A broker with nothing to give answers after this long, and only then is the end known.
                "fetch.wait.max.ms": 50,
                # What goes wrong is told by an exception; a broker that is away is no news for a person's terminal.
                "log_level": 0,
            }
        )

    def __exit__(self, *_: object) -> None:
        self.consumer.close()

    def partitions(self) -> list[TopicPartition]:
        """The topic's partitions; none while there is no such topic. New ones are read from their start."""
        described = self.consumer.list_topics(self.topic, timeout=TIMEOUT).topics[self.topic]
        found = [TopicPartition(self.topic, number) for number in described.partitions] if not described.error else []
        assigned = {partition.partition for partition in self.consumer.assignment()}
        for partition in found:
            if partition.partition not in assigned:
                self.consumer.incremental_assign([TopicPartition(self.topic, partition.partition, OFFSET_BEGINNING)])
        return found

    def ends(self) -> dict[int, int]:
        """By partition: the offset behind all that is committed now."""
        try:
            return {
                partition.partition: self.consumer.get_watermark_offsets(partition, timeout=TIMEOUT)[1]
                for partition in self.partitions()
            }
        except KafkaException as error:
            raise UnreadableTopic(f"no answer from the broker at {self.bootstrap}: {error.args[0].str()}") from error

    def read(self) -> Iterator[Message]:
        """The records since the last call, up to where the topic ends now; UnreadableTopic if they do not come."""
        ends, deadline = self.ends(), time.monotonic() + TIMEOUT
        while any(self.reached.get(partition, 0) < end for partition, end in ends.items()):
            if messages := self.consumer.consume(BATCH, TICK):
                deadline = time.monotonic() + TIMEOUT
            elif time.monotonic() > deadline:
                raise UnreadableTopic(f"no records of {self.topic} from {self.bootstrap} for {TIMEOUT:.0f} s")
            for message in messages:
                if self.is_record(message):
                    yield message

    def is_record(self, message: Message) -> bool:
        """Whether what a consumer gives is a record; how far the partition is read is noted in any case."""
        partition, offset, error = message.partition(), message.offset(), message.error()
        assert partition is not None
        assert offset is not None
        if error is None:
            self.rows += 1
            self.reached[partition] = self.next_offsets[partition] = offset + 1
        elif error.code() == KafkaError._PARTITION_EOF:
            # Behind the last record there may be the marks of transactions, which nobody is shown.
            self.reached[partition] = offset
        elif not error.retriable():
            raise UnreadableTopic(f"cannot read {self.topic} from {self.bootstrap}: {error.str()}")
        return error is None


def key_of(message: Message) -> str:
    """A record's key as text."""
    key = message.key()
    return key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else str(key)


def decoder(registry: SchemaRegistry) -> Callable[[Message], Any]:
    """A function from a record with a Confluent frame to its fields; it asks for each schema once."""

    @lru_cache
    def schema(schema_id: int) -> Any:
        return fastavro.parse_schema(json.loads(registry.schema(schema_id).text))

    def decode(message: Message) -> Any:
        value = message.value()
        if not isinstance(value, bytes) or len(value) < FRAME or value[0] != 0:
            where = f"{message.topic()} partition {message.partition()} offset {message.offset()}"
            raise UnreadableTopic(f"{where} is no Avro record: it has no Confluent frame")
        return fastavro.schemaless_reader(
            io.BytesIO(value[FRAME:]), schema(int.from_bytes(value[1:FRAME], "big")), None
        )

    return decode
