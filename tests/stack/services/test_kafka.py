from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from headwater.stack.jars.folders import fill_sets
from headwater.stack.lab import Lab
from headwater.stack.services.kafka import PARTITIONS, logs, new_cluster_id, prepare
from tests.stack.real import kill, start
from tests.stack.small import quiet_board


def send(lab: Lab, topic: str, value: bytes) -> None:
    failures: list[object] = []
    producer = Producer({"bootstrap.servers": lab.address("kafka")})
    producer.produce(topic, value, on_delivery=lambda error, _: failures.append(error))
    assert producer.flush(30) == 0
    assert failures == [None]


def receive(lab: Lab, topic: str) -> bytes | None:
    settings = {"bootstrap.servers": lab.address("kafka"), "group.id": "reader", "auto.offset.reset": "earliest"}
    consumer = Consumer(settings)
    try:
        consumer.subscribe([topic])
        message = consumer.poll(30)
        assert message is not None
        assert message.error() is None
        value: bytes | None = message.value()
        return value
    finally:
        consumer.close()


def cluster(lab: Lab) -> str | None:
    found: str | None = AdminClient({"bootstrap.servers": lab.address("kafka")}).list_topics(timeout=10).cluster_id
    return found


def test_records_are_there_after_the_broker_was_killed(real_lab: Lab) -> None:
    start(real_lab, "kafka")
    send(real_lab, "kept", b"an order")
    before = cluster(real_lab)
    kill(real_lab, "kafka")
    start(real_lab, "kafka")
    assert receive(real_lab, "kept") == b"an order"
    assert cluster(real_lab) == before


def test_a_topic_that_nobody_made_has_the_usual_partitions(real_lab: Lab) -> None:
    start(real_lab, "kafka")
    send(real_lab, "spontaneous", b"a bid")
    topics = AdminClient({"bootstrap.servers": real_lab.address("kafka")}).list_topics("spontaneous", timeout=10).topics
    assert len(topics["spontaneous"].partitions) == PARTITIONS


def test_a_data_folder_is_laid_out_once_and_again_if_that_was_cut_short(real_lab: Lab, lab: Lab) -> None:
    new = real_lab.__class__(**{**vars(lab), "java": real_lab.java, "cache": real_lab.cache})
    fill_sets(new, ["kafka"], quiet_board().console, {})
    prepare(new)
    meta = logs(new) / "meta.properties"
    first = meta.read_text()
    prepare(new)
    assert meta.read_text() == first
    # The last file that the tool writes.
    meta.unlink()
    prepare(new)
    assert meta.exists()


def test_a_cluster_id_is_never_taken_for_an_option() -> None:
    made = {new_cluster_id() for _ in range(2000)}
    assert len(made) == 2000
    assert {len(written) for written in made} == {22}
    assert not any(written.startswith("-") for written in made)
