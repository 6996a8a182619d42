from headwater.capture.connect.flow import Flow, Pulse, TopicFlow, sink_positions
from tests.capture.connect.workers import answer


def test_the_offsets_of_a_real_sink_are_read_and_those_of_a_source_are_not_of_topics() -> None:
    assert sink_positions(answer("orders-s3-sink-offsets")["offsets"]) == {("orders", 0): 3600}
    assert sink_positions(answer("orders-source-offsets")["offsets"]) == {}


def test_a_sink_has_a_rate_and_a_lag_by_topic_and_in_all() -> None:
    pulse = Pulse(0.0)
    pulse.look(0.0, {("a", 0): 10, ("b", 0): 0}, {("a", 0): 20, ("b", 0): 5, ("b", 1): 7})
    assert pulse.flow == Flow(None, 22, (TopicFlow("a", None, 10), TopicFlow("b", None, 12)))
    pulse.look(10.0, {("a", 0): 30, ("b", 0): 5}, {("a", 0): 30, ("b", 0): 5, ("b", 1): 7})
    assert pulse.flow == Flow(2.5, 7, (TopicFlow("a", 2.0, 0), TopicFlow("b", 0.5, 7)))
    assert pulse.flow.as_json()["topics"][1] == {"topic": "b", "recordsPerSecond": 0.5, "lag": 7}


def test_a_source_has_a_rate_and_no_lag() -> None:
    pulse = Pulse(0.0)
    pulse.look(0.0, {("a", 0): 10})
    pulse.look(5.0, {("a", 0): 20})
    assert pulse.flow == Flow(2.0, None, (TopicFlow("a", 2.0, None),))


def test_a_topic_that_was_made_anew_does_not_flow_backwards() -> None:
    pulse = Pulse(0.0)
    pulse.look(0.0, {("a", 0): 1000})
    pulse.look(5.0, {("a", 0): 3})
    assert pulse.flow.records_per_second == 0.0


def test_offsets_that_are_committed_once_a_minute_give_a_steady_rate() -> None:
    pulse = Pulse(0.0)
    for second in range(0, 301, 10):
        pulse.look(float(second), {("a", 0): second // 60 * 600})
    assert pulse.flow.records_per_second is not None
    assert 6.0 <= pulse.flow.records_per_second <= 14.0


def test_it_knows_since_when_records_wait_and_nothing_moves() -> None:
    pulse = Pulse(0.0)
    pulse.look(0.0, {("a", 0): 5}, {("a", 0): 5})
    pulse.look(100.0, {("a", 0): 5}, {("a", 0): 9})
    assert pulse.behind_for(100.0) == 0.0
    pulse.look(150.0, {("a", 0): 5}, {("a", 0): 9})
    assert pulse.behind_for(150.0) == 50.0
    pulse.look(160.0, {("a", 0): 7}, {("a", 0): 9})
    assert pulse.behind_for(170.0) == 10.0
    pulse.look(180.0, {("a", 0): 9}, {("a", 0): 9})
    assert pulse.behind_for(180.0) == 0.0


def test_any_sign_that_changes_is_a_sign_of_life() -> None:
    pulse = Pulse(0.0)
    pulse.note(10.0, "a")
    pulse.note(20.0, "a")
    assert pulse.moved == 0.0
    pulse.note(30.0, "b")
    assert pulse.moved == 30.0


def test_the_mark_of_a_transaction_is_no_record_that_waits() -> None:
    pulse = Pulse(0.0)
    for at in (0.0, 600.0):
        pulse.look(at, {("a", 0): 9, ("a", 1): 9}, {("a", 0): 10, ("a", 1): 10})
    assert pulse.flow.lag == 2
    assert pulse.behind_for(600.0) == 0.0
