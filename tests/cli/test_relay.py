import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from tests.capture.backends import told
from tests.capture.making import event
from tests.cli.conftest import run
from tests.server.serving import free_port


@pytest.fixture(autouse=True)
def no_openlineage_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path / "outbox"))


@contextmanager
def relay(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running `headwater relay`, and its address."""
    command = [sys.executable, "-c", "from headwater.cli.main import main; main()", "relay", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.strip().startswith("how it goes"):
                yield process, line.split()[-1].removesuffix("/health")
                break
        else:
            raise AssertionError("the relay did not start")
    finally:
        process.kill()
        process.communicate()


def left_behind(url: str, *numbers: int) -> None:
    """Events that a process could not send before it ended."""
    emitter = Emitter(Destination(url), Path(os.environ["HEADWATER_OUTBOX"]))
    for each in numbers:
        emitter.emit(event(each))
    emitter.close(0)


def test_a_relay_takes_events_and_forwards_them_until_it_is_stopped() -> None:
    with told() as backend, relay("--to", backend.url) as (process, url):
        for each in range(20):
            assert httpx.post(f"{url}/api/v1/lineage", json=event(each)).status_code == 201
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
        assert process.returncode == 0, said
        assert backend.taken == list(range(20))


def test_what_a_killed_relay_had_taken_is_sent_by_the_next_one() -> None:
    port = free_port()
    to = f"http://127.0.0.1:{port}"
    with relay("--to", to) as (process, url):
        for each in range(20):
            assert httpx.post(f"{url}/api/v1/lineage", json=event(each)).status_code == 201
        process.kill()
    with told(port=port) as backend:
        result = run("relay", "--drain", "--to", to)
        assert result.exit_code == 0, result.output
        assert f"sent 20 events to {to}/api/v1/lineage, 0 refused" in result.stdout
    assert backend.taken == list(range(20))


def test_status_says_what_waits_and_for_whom() -> None:
    assert "nothing waits" in run("relay", "--status").stdout
    left_behind("http://127.0.0.1:1", 1, 2, 3)
    shown = run("relay", "--status").stdout
    assert "http://127.0.0.1:1/api/v1/lineage" in shown
    assert "gone: sent by the next one" in shown
    found = json.loads(run("relay", "--status", "--json").stdout)
    (box,) = found["boxes"]
    assert (box["waiting"], box["live"], box["to"]) == (3, False, "http://127.0.0.1:1/api/v1/lineage")
    assert (found["rejected"], found["dropped"]) == (0, 0)


def test_status_tells_a_living_process_from_one_that_is_gone() -> None:
    emitter = Emitter(Destination("http://127.0.0.1:1"), Path(os.environ["HEADWATER_OUTBOX"]))
    emitter.emit(event(1))
    (box,) = json.loads(run("relay", "--status", "--json").stdout)["boxes"]
    assert (box["live"], box["pid"], box["waiting"]) == (True, os.getpid(), 1)
    emitter.close(0)


def test_a_drain_that_cannot_finish_says_what_is_left_and_fails() -> None:
    left_behind("http://127.0.0.1:1", 1, 2, 3)
    result = run("relay", "--drain", "--to", "http://127.0.0.1:1", "--timeout", "0.5")
    assert result.exit_code == 1
    assert "3 events still wait in" in result.stderr


def test_what_was_meant_for_a_mistyped_address_can_be_sent_elsewhere() -> None:
    left_behind("http://127.0.0.1:1", 1, 2, 3)
    with told() as backend:
        assert run("relay", "--drain", "--to", backend.url).exit_code == 0
        assert backend.taken == []
        assert run("relay", "--drain", "--to", backend.url, "--all").exit_code == 0
        assert backend.taken == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "set OPENLINEAGE_URL"),
        (("--to", "lineage:5000"), "url is 'lineage:5000' in --to; expected an address"),
        (("--to", "http://localhost:5005"), "would send to itself"),
    ],
)
def test_a_wrong_destination_is_said_and_exits_with_2(arguments: tuple[str, ...], said: str) -> None:
    result = run("relay", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_the_help_says_how_to_point_a_producer_at_it() -> None:
    shown = run("relay", "--help").stdout
    assert "OPENLINEAGE_URL=http://127.0.0.1:5005" in shown
    assert "--drain" in shown
