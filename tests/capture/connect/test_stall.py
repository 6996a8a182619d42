import pytest

from headwater.capture.connect.answers import Fault
from headwater.capture.connect.flow import Flow, Pulse, TopicFlow
from headwater.capture.connect.stall import (
    heartbeat_evidence,
    heartbeat_topic,
    sink_evidence,
    source_evidence,
    topic_evidence,
)

DEBEZIUM = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "topic.prefix": "shop",
    "heartbeat.interval.ms": "10000",
}
LOGIN = Fault("database.hostname", ('FATAL: password authentication failed for user "shop"',))


def test_a_sink_with_records_waiting_and_no_offset_committed_has_stalled() -> None:
    behind = Flow(0.0, 1234, (TopicFlow("orders", 0.0, 1234), TopicFlow("bids", 0.0, 0)))
    assert sink_evidence(behind, 30.0) == ""
    assert sink_evidence(Flow(0.0, 0, ()), 600.0) == ""
    assert sink_evidence(behind, 130.0) == "records wait (1,234 on orders) and no offset was committed for 130 s"


def test_a_sink_whose_topic_was_deleted_has_stalled() -> None:
    pulse = Pulse(0.0)
    assert topic_evidence([], pulse.miss(10.0, False)) == ""
    assert topic_evidence(["orders"], pulse.miss(20.0, True)) == ""
    assert topic_evidence(["orders"], pulse.miss(90.0, True)) == "there is no topic orders for it to read"
    assert pulse.miss(100.0, False) == 0.0


def test_a_source_that_is_quiet_has_stalled_if_the_worker_finds_fault_with_it() -> None:
    assert source_evidence(600.0, ()) == ""
    assert source_evidence(30.0, [LOGIN]) == ""
    said = source_evidence(90.0, [LOGIN])
    assert 'database.hostname: FATAL: password authentication failed for user "shop"' in said


@pytest.mark.parametrize(
    ("changes", "quiet", "stalled"),
    [
        ({}, 30.0, False),
        ({}, 90.0, True),
        ({"heartbeat.interval.ms": "60000"}, 90.0, False),
        ({"heartbeat.interval.ms": "0"}, 900.0, False),
        ({"heartbeat.interval.ms": ""}, 900.0, False),
        ({"connector.class": "org.example.Source"}, 900.0, False),
    ],
)
def test_a_debezium_connector_whose_heart_stopped_has_stalled(
    changes: dict[str, str], quiet: float, stalled: bool
) -> None:
    assert bool(heartbeat_evidence(DEBEZIUM | changes, quiet)) is stalled


def test_the_topic_of_heartbeats_is_named_after_the_prefix() -> None:
    assert heartbeat_topic(DEBEZIUM) == "__debezium-heartbeat.shop"
    assert heartbeat_topic(DEBEZIUM | {"topic.heartbeat.prefix": "beat"}) == "beat.shop"
    assert heartbeat_topic({"connector.class": "org.example.Source"}) == ""
