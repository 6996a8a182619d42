"""The commands on a lab of small services; the real ones are tested with the services themselves."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.stack.lab import Lab
from headwater.stack.processes.records import running
from headwater.stack.service import Service
from tests.cli.conftest import run
from tests.stack.small import free_port, processes, small_lab, small_service, wait_for

HERE = Path(__file__).parent.parent.parent
SMALL = (small_service("kafka"), small_service("connect", needs=("kafka",)), small_service("lineage"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a lab.toml of free ports, in which the lab has three small services."""
    ports = {name: free_port() for name in ("kafka", "connect", "lineage")}
    (tmp_path / "lab.toml").write_text("".join(f"[{name}]\nport = {port}\n" for name, port in ports.items()))
    use(monkeypatch, SMALL)
    monkeypatch.setattr("headwater.stack.jars.folders.read_lock", lambda: {"spark": ()})
    yield tmp_path / ".lab"
    run("lab", "down")
    if (tmp_path / ".lab").exists():
        assert processes(tmp_path / ".lab") == []


def use(monkeypatch: pytest.MonkeyPatch, services: tuple[Service, ...]) -> None:
    """Make these the services of the lab."""
    monkeypatch.setattr("headwater.stack.services.SERVICES", services)


def lab(home: Path) -> Lab:
    """The lab at home, to look at."""
    return small_lab(home)


@pytest.mark.parametrize("command", ["up", "status", "logs", "down", "reset", "run", "pipeline"])
def test_every_command_teaches_with_an_example(command: str) -> None:
    result = run("lab", command, "--help")
    assert result.exit_code == 0
    assert f"Example: headwater lab {command}" in result.stdout


def test_up_starts_everything_hands_over_to_the_jobs_and_says_what_to_do_next(home: Path) -> None:
    result = run("lab", "up")
    assert result.exit_code == 0, result.output
    for part in ("3 started, all healthy", "● kafka healthy", "headwater lab status", str(home / "pipeline.toml")):
        assert part in result.stdout
    assert (home / "pipeline.toml").stat().st_mode & 0o777 == 0o600
    again = run("lab", "up")
    assert "0 started, all healthy" in again.stdout


def test_no_secret_is_printed(home: Path) -> None:
    printed = run("lab", "up").output + run("lab", "status").output + run("lab", "status", "--json").output
    for name, value in vars(lab(home).credentials).items():
        assert name.endswith("_user") or value not in printed


def test_only_what_is_named_is_started(home: Path) -> None:
    assert run("lab", "up", "connect").exit_code == 0
    assert running(lab(home), "kafka")
    assert not running(lab(home), "lineage")


def test_a_service_that_fails_ends_up_with_1_and_the_end_of_its_log(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, (small_service("kafka", manner="dying"), small_service("lineage")))
    result = run("lab", "up")
    assert result.exit_code == 1
    assert "kafka: ended with exit code 1" in result.stderr
    assert "    no configuration: giving up" in result.stderr.splitlines()


def test_status_for_people_and_for_programs(home: Path) -> None:
    stopped = run("lab", "status")
    assert stopped.exit_code == 0
    assert "nothing runs; start everything with: headwater lab up" in stopped.stdout
    assert not home.exists()
    run("lab", "up")
    table = run("lab", "status")
    assert table.exit_code == 0
    assert table.stdout.count("● healthy") == 3
    answer = json.loads(run("lab", "status", "--json").stdout)
    assert answer["home"] == str(home)
    assert answer["jobs"] == []
    kafka = next(service for service in answer["services"] if service["name"] == "kafka")
    assert kafka["state"] == "healthy"
    assert kafka.keys() == {
        *("name", "title", "state", "why", "pid", "port", "memory_mb", "uptime_seconds", "address", "log")
    }
    os.kill(kafka["pid"], signal.SIGKILL)
    wait_for(lambda: not running(lab(home), "kafka"))
    broken = run("lab", "status")
    assert broken.exit_code == 1
    assert "✕ dead" in broken.stdout


def test_logs_prints_the_end_of_a_log(home: Path) -> None:
    run("lab", "up")
    assert run("lab", "logs", "kafka").stdout == "starting with plain\nlistening\n"
    assert run("lab", "logs", "kafka", "-n", "1").stdout == "listening\n"
    lab(home).log("kafka").write_text("\x1b[2J\tboo\n")
    assert run("lab", "logs", "kafka").stdout == "\\x1b[2J    boo\n"
    assert "did you mean 'kafka'" in run("lab", "logs", "kafak").stderr


def test_down_stops_everything_and_keeps_the_data(home: Path) -> None:
    run("lab", "up")
    (lab(home).data("kafka") / "topic").write_text("kept")
    result = run("lab", "down")
    assert result.exit_code == 0
    assert "stopped 3; what they keep is in" in result.stdout
    assert processes(home) == []
    assert (home / "data" / "kafka" / "topic").read_text() == "kept"
    assert "nothing was running" in run("lab", "down").stdout


def test_down_where_there_is_no_lab_says_so(home: Path) -> None:
    assert "there is no lab at" in run("lab", "down").stdout
    assert "there is no lab at" in run("lab", "reset").stdout
    assert not home.exists()


def test_reset_asks_first(home: Path) -> None:
    run("lab", "up")
    refused = run("lab", "reset")
    assert refused.exit_code == 1
    assert "add --yes" in refused.stderr
    assert running(lab(home), "kafka")
    result = run("lab", "reset", "--yes")
    assert result.exit_code == 0, result.output
    assert not home.exists()


def test_run_lists_the_jobs_and_refuses_one_whose_services_are_not_up(home: Path) -> None:
    assert "iceberg-ingestion" in run("lab", "run").stdout
    result = run("lab", "run", "iceberg-ingestion", "--once")
    assert result.exit_code == 1
    assert "iceberg-ingestion needs services that are not healthy: kafka is stopped" in result.stderr
    assert "headwater lab up kafka registry object-store metastore" in result.stderr
    assert "did you mean 'iceberg-ingestion'" in run("lab", "run", "iceberg-ingest").stderr


def test_a_bad_setting_exits_like_a_wrong_flag(home: Path) -> None:
    Path("lab.toml").write_text("[kafka]\nprot = 1\n")
    result = run("lab", "status")
    assert result.exit_code == 2
    assert "did you mean 'kafka.port'?" in result.stderr


def test_a_home_and_a_settings_file_can_be_named(home: Path, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(f"[kafka]\nport = {free_port()}\n")
    there = ("--home", "elsewhere", "--config", "other.toml")
    assert run("lab", "up", "kafka", *there).exit_code == 0
    assert (tmp_path / "elsewhere" / "credentials.toml").exists()
    assert run("lab", "down", *there).exit_code == 0
    assert processes(tmp_path / "elsewhere") == []


def test_packages_that_are_missing_are_named(tmp_path: Path) -> None:
    without = "import sys; sys.modules['psutil'] = None; from headwater.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", without, "lab", "status"], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 1
    assert "psutil is missing" in done.stderr
    assert "pip install 'headwater[lab]'" in done.stderr


IN_A_TERMINAL = """
import headwater.stack.services
from tests.stack.small import small_service
headwater.stack.services.SERVICES = (small_service("kafka"), small_service("connect", manner="deaf", deadline=600))
from headwater.cli.main import main
main()
"""


def test_ctrl_c_in_a_terminal_stops_what_up_started(home: Path, tmp_path: Path) -> None:
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", IN_A_TERMINAL, "lab", "up", "kafka", "connect"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HERE), "TERM": "xterm", "COLUMNS": "120"},
        start_new_session=True,
    )
    os.close(terminal)
    shown = b""
    try:
        shown += read_until(screen, b"does not answer")
        # The terminal is not the process's own, so that the key is pressed by hand.
        process.send_signal(signal.SIGINT)
        shown += read_until(screen, b"interrupted")
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()
        os.close(screen)
    assert b"healthy" in shown
    assert processes(home) == []


def read_until(screen: int, text: bytes) -> bytes:
    """What a terminal shows until a text appears."""
    shown = b""
    deadline = time.monotonic() + 30
    while text not in shown:
        assert time.monotonic() < deadline, shown.decode(errors="replace")
        if select.select([screen], [], [], 0.1)[0]:
            shown += os.read(screen, 4096)
    return shown
