"""One word for what a worker says, on the recorded answers of a real one in every state."""

import msgspec
import pytest

from headwater.capture.connect.status import State, Status, cause, state_of
from tests.capture.connect.workers import TRACE, recorded_status, status


@pytest.mark.parametrize(
    ("recorded", "state"),
    [
        ("orders-source-status", State.RUNNING),
        ("state-paused-status", State.PAUSED),
        ("state-stopped-status", State.STOPPED),
        ("source-stopped-status", State.STOPPED),
        ("task-failed-status", State.FAILED),
        ("source-task-failed-status", State.FAILED),
        ("iceberg-missing-table-status", State.FAILED),
        ("s3-wrong-secret-plain-status", State.FAILED),
        ("task-failed-restart", State.RESTARTING),
        # It cannot log in, and the worker does not see it: other signs have to tell.
        ("source-bad-password-at-start-status", State.RUNNING),
    ],
)
def test_a_recorded_answer_has_its_word(recorded: str, state: State) -> None:
    assert state_of(recorded_status(recorded)) == state


@pytest.mark.parametrize(
    ("whole", "tasks", "state"),
    [
        ("RUNNING", ["RUNNING", "FAILED"], State.PARTLY_FAILED),
        ("RUNNING", ["FAILED", "FAILED"], State.FAILED),
        ("FAILED", [], State.FAILED),
        ("FAILED", ["RUNNING"], State.FAILED),
        ("PAUSED", ["FAILED", "PAUSED"], State.PARTLY_FAILED),
        ("PAUSED", ["FAILED"], State.FAILED),
        ("PAUSED", ["RUNNING"], State.PAUSED),
        ("RUNNING", ["PAUSED", "RUNNING"], State.RUNNING),
        ("UNASSIGNED", ["UNASSIGNED"], State.UNASSIGNED),
        ("RUNNING", ["UNASSIGNED", "RUNNING"], State.UNASSIGNED),
        ("RESTARTING", ["RUNNING"], State.RESTARTING),
        ("RUNNING", ["RESTARTING", "RUNNING"], State.RESTARTING),
        ("RUNNING", [], State.RUNNING),
        ("", [], State.UNASSIGNED),
    ],
)
def test_tasks_decide(whole: str, tasks: list[str], state: State) -> None:
    assert state_of(msgspec.convert(status(whole, *tasks), Status)) == state


def test_only_a_restart_of_all_of_it_is_one() -> None:
    assert recorded_status("task-failed-restart").restarts
    assert not msgspec.convert(status("RUNNING", "RESTARTING", "RUNNING"), Status).restarts


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        (TRACE, "org.example.NotAuthorized: s3cret is not the password"),
        ("java.lang.Error: a\n\tat b", "java.lang.Error: a"),
        ("", ""),
    ],
)
def test_the_cause_is_where_the_trouble_began(trace: str, told: str) -> None:
    assert cause(trace) == told


def test_a_recorded_trace_has_its_cause() -> None:
    found = cause(recorded_status("iceberg-missing-table-status").trace)
    assert found == "org.apache.iceberg.exceptions.NoSuchTableException: Table does not exist: default.nope"
