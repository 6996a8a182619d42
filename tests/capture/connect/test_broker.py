"""The brokers: topics, ends and a newest record, on a real one; and one that is not there."""

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from headwater.capture.connect.broker import Broker, BrokerError, Record
from headwater.stack.lab import Lab

TOPIC = "broker-test"


def test_topics_ends_and_a_newest_record_are_told(running_lab: Lab) -> None:
    servers = running_lab.address("kafka")
    admin = AdminClient({"bootstrap.servers": servers})
    for future in admin.create_topics([NewTopic(TOPIC, 2, 1)]).values():
        future.result(30)
    broker = Broker(servers)
    assert broker.partitions()[TOPIC] == (0, 1)
    assert broker.newest(TOPIC) is None
    producer = Producer({"bootstrap.servers": servers})
    for number in range(30):
        producer.produce(TOPIC, key=b"k", value=str(number).encode(), partition=0)
    assert producer.flush(30) == 0
    assert broker.ends([(TOPIC, 0), (TOPIC, 1), ("no-such-topic", 0)]) == {(TOPIC, 0): 30, (TOPIC, 1): 0}
    assert broker.newest(TOPIC) == Record(b"k", b"29")
    for future in admin.delete_topics([TOPIC]).values():
        future.result(30)


def test_brokers_that_are_not_there_are_one_error() -> None:
    with pytest.raises(BrokerError, match=r"127\.0\.0\.1:1 do not answer"):
        Broker("127.0.0.1:1").partitions()
