import os
import signal
import threading
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.processes.interrupts import interruptible
from headwater.stack.processes.spawning import run_tool
from headwater.stack.supervisor.board import Row, State
from headwater.stack.supervisor.starting import Failed, Start, as_failure, explain
from tests.stack.small import SLEEP, processes, quiet_board, small_service, wait_for


def test_a_start_that_is_called_off_ends_a_preparation_in_the_middle(lab: Lab) -> None:
    services = [
        small_service("postgres", prepare=lambda lab: void(run_tool(lab, "initdb", SLEEP, timeout=600))),
        small_service("kafka"),
    ]
    board = quiet_board()
    start = Start(lab, services, board)
    threading.Thread(target=interrupt_when_tool_runs, args=(lab.home,)).start()
    board.add(Row(service.name, "") for service in services)
    with interruptible(), pytest.raises(KeyboardInterrupt):
        start.run()
    assert processes(lab.home) == []
    assert board.rows["postgres"].state is State.STOPPED
    assert start.failures == {}


def interrupt_when_tool_runs(home: Path) -> None:
    """Interrupt this process once a service and a tool of the lab run."""
    wait_for(lambda: len(processes(home)) == 2)
    os.kill(os.getpid(), signal.SIGTERM)


def void(value: object) -> None:
    """Forget a value."""


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (HeadwaterError("no room; make some"), "no room; make some"),
        (KeyError("bucket"), "KeyError: 'bucket'"),
        (Failed(State.UNHEALTHY, "slow"), "slow"),
    ],
)
def test_whatever_breaks_a_start_is_told(error: Exception, why: str) -> None:
    assert as_failure(error).why == why


def test_an_explanation_has_the_cause_the_log_and_what_was_kept_waiting(lab: Lab) -> None:
    failures = {
        "kafka": Failed(State.DEAD, "ended with exit code 1", ["no room"]),
        "connect": Failed(State.NOT_STARTED, "it needs kafka"),
    }
    lines = explain(lab, failures).splitlines()
    assert lines[0] == "kafka: ended with exit code 1"
    assert lines[1] == f"{lab.log('kafka')} ends with:"
    assert lines[2] == "    no room"
    assert lines[3] == "not started, because they need one of these: connect"
    assert "run the same command again" in lines[4]
