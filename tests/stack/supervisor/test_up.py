import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from headwater.errors import HeadwaterError, SettingError
from headwater.stack.lab import Lab
from headwater.stack.processes.records import running
from headwater.stack.service import Service
from headwater.stack.settings import LabSettings
from headwater.stack.supervisor.board import Board
from headwater.stack.supervisor.starting import NotUp
from headwater.stack.supervisor.stopping import down
from headwater.stack.supervisor.up import up
from tests.stack.small import (
    bring_up,
    free_port,
    processes,
    quiet_board,
    small_lab,
    small_service,
    wait_for,
)

ROOT = Path(__file__).parents[3]


def pid(lab: Lab, name: str) -> int:
    """The process id of a service that runs."""
    record = running(lab, name)
    assert record, f"{name} does not run"
    return record.pid


def test_a_service_starts_after_those_it_needs_are_healthy(lab: Lab) -> None:
    order: list[str] = []

    def noted(name: str, *needs: str, delay: float = 0.0) -> Service:
        return small_service(
            name,
            needs=needs,
            delay=delay,
            prepare=lambda lab: order.append(f"prepare {name}"),
            after_start=lambda lab: order.append(f"{name} is well"),
        )

    services = (noted("connect", "kafka", "registry"), noted("kafka", delay=0.3), noted("registry"))
    result = bring_up(lab, services)
    assert order.index("prepare connect") > order.index("kafka is well")
    assert order.index("prepare connect") > order.index("registry is well")
    assert set(result.started) == {"kafka", "registry", "connect"}


def test_services_that_do_not_need_each_other_start_side_by_side(lab: Lab) -> None:
    together = threading.Barrier(3)
    names = ("kafka", "registry", "postgres")
    services = [small_service(name, prepare=lambda lab: void(together.wait(10))) for name in names]
    assert len(bring_up(lab, services).started) == 3


def void(value: object) -> None:
    """Forget a value."""


def test_only_what_was_named_and_what_it_needs_is_started(lab: Lab) -> None:
    services = (small_service("kafka"), small_service("registry"), small_service("connect", needs=("kafka",)))
    assert set(bring_up(lab, services, "connect").started) == {"kafka", "connect"}
    assert not running(lab, "registry")


def test_a_name_that_no_service_has_is_refused_with_a_hint(lab: Lab) -> None:
    with pytest.raises(HeadwaterError, match="no service 'kafak'; did you mean 'kafka'"):
        bring_up(lab, [small_service("kafka")], "kafak")


def test_a_process_that_dies_is_noticed_at_once_and_its_log_shown(lab: Lab) -> None:
    began = time.monotonic()
    with pytest.raises(NotUp) as caught:
        bring_up(lab, [small_service("kafka", manner="dying", deadline=60.0)])
    assert time.monotonic() - began < 20
    for part in ("kafka: ended with exit code 1", "no configuration: giving up", str(lab.log("kafka"))):
        assert part in str(caught.value)


def test_the_shown_end_of_a_log_is_of_this_start_only(lab: Lab) -> None:
    lab.log("kafka").write_text("a line of another day\n")
    with pytest.raises(NotUp) as caught:
        bring_up(lab, [small_service("kafka", manner="dying")])
    assert "another day" not in str(caught.value)


def test_a_service_that_never_becomes_healthy_is_given_up_and_ended(lab: Lab) -> None:
    with pytest.raises(NotUp) as caught:
        bring_up(lab, [small_service("kafka", manner="deaf", deadline=0.5)])
    assert "kafka: not healthy after 0 s: does not answer" in str(caught.value)
    assert processes(lab.home) == []


def test_what_does_not_need_the_failed_service_stays_up_and_what_does_is_not_started(lab: Lab) -> None:
    prepared: list[str] = []
    services = (
        small_service("kafka", manner="dying"),
        small_service("connect", needs=("kafka",), prepare=lambda lab: prepared.append("connect")),
        small_service("postgres"),
    )
    with pytest.raises(NotUp, match="not started, because they need one of these: connect"):
        bring_up(lab, services)
    assert prepared == []
    assert running(lab, "postgres")
    mended = (small_service("kafka"), *services[1:])
    assert set(bring_up(lab, mended).started) == {"kafka", "connect"}


def test_a_preparation_that_breaks_is_a_failure_of_that_service(lab: Lab) -> None:
    def broken(lab: Lab) -> None:
        raise HeadwaterError("no room on the disk; make some")

    with pytest.raises(NotUp, match="kafka: no room on the disk; make some"):
        bring_up(lab, [small_service("kafka", prepare=broken), small_service("postgres")])
    assert running(lab, "postgres")


def test_a_healthy_service_is_left_alone(lab: Lab) -> None:
    services = [small_service("kafka"), small_service("registry")]
    bring_up(lab, services)
    before = pid(lab, "kafka"), pid(lab, "registry")
    assert bring_up(lab, services).started == ()
    assert (pid(lab, "kafka"), pid(lab, "registry")) == before


def test_a_killed_service_is_started_again_by_the_next_up(lab: Lab) -> None:
    services = [small_service("kafka"), small_service("registry")]
    bring_up(lab, services)
    registry = pid(lab, "registry")
    os.kill(pid(lab, "kafka"), signal.SIGKILL)
    assert bring_up(lab, services).started == ("kafka",)
    assert pid(lab, "registry") == registry


def test_a_service_that_runs_but_is_not_well_is_started_again(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.stack.supervisor.starting.GRACE", 0.5)
    bring_up(lab, [small_service("kafka", deadline=0.9)])
    before = pid(lab, "kafka")
    os.kill(before, signal.SIGSTOP)
    assert bring_up(lab, [small_service("kafka", deadline=0.9)]).started == ("kafka",)
    assert pid(lab, "kafka") != before
    assert not psutil.pid_exists(before)


def test_a_changed_setting_starts_what_runs_again(lab: Lab) -> None:
    services = [small_service("kafka"), small_service("connect", needs=("kafka",))]
    bring_up(lab, services)
    before = pid(lab, "kafka"), pid(lab, "connect")
    moved = replace(lab.settings, kafka_port=free_port())
    result = bring_up(small_lab(lab.home, moved), services, "kafka")
    assert set(result.started) == {"kafka", "connect"}
    assert result.lab.ports["kafka"] == moved.kafka_port
    assert not {*before} & {pid(lab, "kafka"), pid(lab, "connect")}


def test_what_follows_a_start_is_done_once_even_when_the_first_time_failed(lab: Lab) -> None:
    done: list[str] = []

    def fails_once(lab: Lab) -> None:
        done.append("tried")
        if len(done) == 1:
            raise HeadwaterError("the role cannot be made")

    services = [small_service("postgres", after_start=fails_once)]
    with pytest.raises(NotUp, match="the role cannot be made"):
        bring_up(lab, services)
    bring_up(lab, services)
    bring_up(lab, services)
    assert len(done) == 2


def test_a_service_that_the_user_runs_is_checked_but_neither_started_nor_stopped(lab: Lab) -> None:
    bring_up(lab, [small_service("kafka")])
    mine = small_lab(
        lab.home.with_name("mine"),
        replace(lab.settings, kafka_bootstrap=lab.address("kafka"), connect_port=free_port()),
    )
    services = (small_service("kafka"), small_service("connect", needs=("kafka",)))
    assert bring_up(mine, services).started == ("connect",)
    assert down(mine, services, (), quiet_board()) == ["connect"]
    assert running(lab, "kafka")


def test_a_service_of_the_user_that_does_not_answer_is_named(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.stack.supervisor.starting.OWN_DEADLINE", 0.5)
    mine = small_lab(lab.home, replace(lab.settings, kafka_bootstrap="127.0.0.1:1"))
    with pytest.raises(NotUp, match=r"kafka: your own one at .*: does not listen"):
        bring_up(mine, [small_service("kafka"), small_service("connect", needs=("kafka",))])
    assert processes(lab.home) == []


def test_a_service_that_becomes_the_users_own_is_ended(lab: Lab, tmp_path: Path) -> None:
    elsewhere = small_lab(tmp_path / "elsewhere")
    bring_up(elsewhere, [small_service("kafka")])
    bring_up(lab, [small_service("kafka")])
    mine = small_lab(lab.home, replace(lab.settings, kafka_bootstrap=elsewhere.address("kafka")))
    try:
        bring_up(mine, [small_service("kafka")])
        assert processes(lab.home) == []
    finally:
        down(elsewhere, [small_service("kafka")], (), quiet_board())


def test_a_set_port_that_someone_holds_is_an_error_that_names_them(lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", lab.ports["kafka"])), pytest.raises(SettingError) as caught:
        bring_up(lab, [small_service("kafka")])
    assert f"port {lab.ports['kafka']}" in str(caught.value)
    assert f"pid {os.getpid()}" in str(caught.value)
    assert processes(lab.home) == []


def test_a_default_port_that_someone_holds_gives_way_and_is_shown_and_remembered(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = free_port()
    monkeypatch.setattr("headwater.stack.ports.DEFAULT_PORTS", {**lab.ports, "kafka": taken})
    text = StringIO()
    services = [small_service("kafka")]
    with socket.create_server(("127.0.0.1", taken)):
        first = up(small_lab(lab.home, LabSettings()), services, (), Board(Console(file=text, width=300)))
    assert first.lab.ports["kafka"] > taken
    assert f"port {taken} is held by" in text.getvalue()
    assert f"kafka gets {first.lab.ports['kafka']}" in text.getvalue()
    again = bring_up(small_lab(lab.home, LabSettings()), services)
    assert (again.started, again.lab.ports["kafka"]) == ((), first.lab.ports["kafka"])


@contextmanager
def supervisor(lab: Lab, manner: str) -> Iterator["subprocess.Popen[str]"]:
    """A supervisor in a process of its own, which a test can interrupt or kill."""
    ports = ",".join(map(str, lab.settings.ports.values()))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.stack.small", str(lab.home), manner],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PORTS": ports, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_up_leaves_nothing(lab: Lab, number: signal.Signals) -> None:
    with supervisor(lab, "troubled") as process:
        wait_for(lambda: running(lab, "connect") and running(lab, "registry"))
        process.send_signal(number)
        process.wait(30)
    assert processes(lab.home) == []


def test_an_interrupted_up_leaves_what_ran_before_alone(lab: Lab) -> None:
    with supervisor(lab, "sound") as process:
        assert "started" in process.communicate(timeout=60)[0]
    before = pid(lab, "kafka"), pid(lab, "connect")
    down(lab, [small_service("registry")], ["registry"], quiet_board())
    with supervisor(lab, "troubled") as process:
        wait_for(lambda: running(lab, "registry"))
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert not running(lab, "registry")
    assert (pid(lab, "kafka"), pid(lab, "connect")) == before


def test_what_a_killed_supervisor_leaves_is_taken_over_or_cleaned_by_the_next_up(lab: Lab) -> None:
    with supervisor(lab, "troubled") as process:
        wait_for(lambda: running(lab, "connect") and running(lab, "registry"))
        process.kill()
        process.wait(30)
    # A process that was started but not recorded: as if the kill had come in between.
    (lab.home / "run" / "processes" / "registry.json").unlink()
    left = {process.pid for process in processes(lab.home)}
    assert len(left) == 4
    bring_up(lab, (small_service("kafka"), small_service("registry"), small_service("connect", needs=("kafka",))))
    assert running(lab, "registry")
    services = (small_service("kafka"), small_service("registry"), small_service("connect", needs=("kafka",)))
    down(lab, services, (), quiet_board())
    assert processes(lab.home) == []


def test_down_cleans_what_a_killed_supervisor_leaves(lab: Lab) -> None:
    with supervisor(lab, "troubled") as process:
        wait_for(lambda: len(processes(lab.home)) == 4)
        process.kill()
        process.wait(30)
    for file in (lab.home / "run" / "processes").iterdir():
        file.unlink()
    down(lab, [small_service("kafka")], (), quiet_board())
    assert processes(lab.home) == []


def test_two_ups_at_once_do_not_fight(lab: Lab) -> None:
    with supervisor(lab, "sound") as one, supervisor(lab, "sound") as other:
        said = one.communicate(timeout=60)[0] + other.communicate(timeout=60)[0]
    assert (one.returncode, other.returncode) == (0, 0)
    started = [line.split()[1:] for line in said.splitlines() if line.startswith("started")]
    assert sorted(map(len, started)) == [0, 3]
    assert len(processes(lab.home)) == 3
