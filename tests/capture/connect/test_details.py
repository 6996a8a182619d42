"""What is asked beside the list: offsets without brokers, and the check of a source that is quiet."""

from collections.abc import Iterator

import pytest

from headwater.capture.connect.details import CHECK_SECONDS, Details, Sources
from headwater.capture.connect.life_cycle import fingerprint
from headwater.capture.connect.stall import SOURCE_SECONDS
from headwater.capture.connect.status import Status
from headwater.capture.connect.watched import Watched
from headwater.capture.connect.worker import Worker
from tests.capture.connect.workers import Fake, fake_worker
from tests.server.serving import wait_until


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def fake() -> Iterator[Fake]:
    with fake_worker() as fake:
        yield fake


def source(fake: Fake) -> Watched:
    fake.has("source", type="source", topics="")
    config = fake.connectors["source"]["info"]["config"]
    return Watched("source", config=config, status=Status(type="source"), fingerprint=fingerprint(config))


def test_a_source_that_is_quiet_is_checked_and_has_stalled_if_its_settings_are_at_fault(fake: Fake) -> None:
    clock, watched = Clock(), source(fake)
    with Worker(fake.url, patience=0) as worker, Details(worker, Sources(), clock) as details:
        fake.faults = {"database.password": ["the login was refused"]}
        details.look(watched)
        details.look(watched)
        assert not [request for request in fake.asked if "validate" in request]
        clock.now += SOURCE_SECONDS
        details.look(watched)
        wait_until(lambda: watched.faults)
        details.look(watched)
        assert "database.password: the login was refused" in watched.stalled
        fake.offsets["source"] = [{"partition": {"server": "shop"}, "offset": {"lsn": 2}}]
        details.look(watched)
        assert watched.stalled == ""


def test_a_source_that_is_quiet_and_well_is_checked_seldom(fake: Fake) -> None:
    clock, watched = Clock(), source(fake)
    with Worker(fake.url, patience=0) as worker, Details(worker, Sources(), clock) as details:
        for _ in range(int(CHECK_SECONDS // 10)):
            clock.now += 10.0
            details.look(watched)
        wait_until(lambda: [request for request in fake.asked if "validate" in request])
        assert len([request for request in fake.asked if "validate" in request]) == 1
        assert watched.stalled == ""


def test_the_brokers_are_found_in_the_settings_of_connectors(fake: Fake) -> None:
    with Worker(fake.url, patience=0) as worker, Details(worker, Sources()) as details:
        details.kafka_cluster_id = "abc"
        assert details.namespace({}) == "kafka://abc"
        named = {"schema.history.internal.kafka.bootstrap.servers": "kafka-1:19092"}
        assert details.namespace(named) == "kafka://kafka-1:19092"
        assert details.namespace({"consumer.override.bootstrap.servers": "${env:KAFKA}"}) == "kafka://abc"
    with Worker(fake.url, patience=0) as worker, Details(worker, Sources(bootstrap="given:9092")) as details:
        assert details.namespace(named) == "kafka://given:9092"


def test_topics_in_use_and_topics_that_are_named_are_the_connector_s(fake: Fake) -> None:
    watched = source(fake)
    fake.topics["source"] = ["orders", "bids"]
    with Worker(fake.url, patience=0) as worker, Details(worker, Sources()) as details:
        details.datasets(watched)
        assert watched.topics == ("bids", "orders")
        fake.asked.clear()
        details.datasets(watched)
        assert fake.asked == []
