from io import StringIO

import pytest
from rich.console import Console

from headwater.stack.lab import Lab
from headwater.stack.processes.records import find, running
from headwater.stack.processes.spawning import start
from headwater.stack.supervisor.board import Board
from headwater.stack.supervisor.stopping import down
from tests.stack.small import SLEEP, bring_up, processes, quiet_board, small_service


def test_down_ends_those_first_that_need_the_others_and_leaves_no_process(lab: Lab) -> None:
    services = (
        small_service("kafka", manner="parent"),
        small_service("registry"),
        small_service("connect", needs=("kafka", "registry")),
    )
    bring_up(lab, services)
    assert len(processes(lab.home)) == 4
    text = StringIO()
    assert set(down(lab, services, (), Board(Console(file=text)))) == {"kafka", "registry", "connect"}
    assert processes(lab.home) == []
    assert find(lab, "kafka") is None
    lines = text.getvalue().splitlines()
    first_kafka = next(number for number, line in enumerate(lines) if "kafka stopping" in line)
    assert any("connect stopped" in line for line in lines[:first_kafka])


def test_down_of_one_service_ends_what_needs_it_too(lab: Lab) -> None:
    services = (small_service("kafka"), small_service("registry"), small_service("connect", needs=("kafka",)))
    bring_up(lab, services)
    down(lab, services, ["kafka"], quiet_board())
    assert running(lab, "registry")
    assert not running(lab, "kafka")
    assert not running(lab, "connect")


def test_a_service_that_does_not_want_to_end_is_ended_by_force(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.stack.supervisor.stopping.PATIENCE", 0.5)
    services = [small_service("kafka", manner="stubborn")]
    bring_up(lab, services)
    down(lab, services, (), quiet_board())
    assert processes(lab.home) == []


def test_jobs_end_before_the_services_that_they_read_from(lab: Lab) -> None:
    services = [small_service("kafka")]
    bring_up(lab, services)
    start(lab, "job:supplier-stats", SLEEP)
    text = StringIO()
    assert down(lab, services, (), Board(Console(file=text))) == ["supplier-stats", "kafka"]
    lines = text.getvalue()
    assert lines.index("supplier-stats stopped") < lines.index("kafka stopping")
    assert processes(lab.home) == []


def test_down_of_a_service_leaves_jobs_alone(lab: Lab) -> None:
    services = [small_service("kafka")]
    bring_up(lab, services)
    start(lab, "job:supplier-stats", SLEEP)
    assert down(lab, services, ["kafka"], quiet_board()) == ["kafka"]
    assert running(lab, "supplier-stats")
