"""The page on Kafka Connect: what it shows works."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.capture.backends import told, wait_for
from tests.capture.connect.workers import Fake, fake_worker
from tests.cli.conftest import run
from tests.server.serving import free_port

PAGE = (Path(__file__).parent.parent.parent.parent / "docs" / "connect.md").read_text("utf-8")
SERVE, WATCH, APPLY = (text.strip() for text in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))


@contextmanager
def started(command: str, folder: Path, **env: str) -> Iterator[None]:
    """A command of the page that runs until it is stopped."""
    words = shlex.split(command)
    given = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
    program, *arguments = [word for word in words if word.split("=")[0] not in given]
    assert program == "headwater"
    process = subprocess.Popen(
        [sys.executable, "-c", "from headwater.cli.main import main; main()", *arguments],
        env={**os.environ, "HEADWATER_OUTBOX": str(folder / f"{arguments[0]}-outbox"), **given, **env},
        cwd=folder,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130)  # 130 is how a program says that Ctrl-C has ended it


def jobs(url: str) -> list[str]:
    """The jobs that a server knows, if it answers."""
    try:
        return [job["name"] for job in httpx.get(f"{url}/api/v1/jobs").json()["jobs"]]
    except httpx.TransportError:
        return []


def test_the_server_that_watches_a_cluster_has_its_connectors_as_jobs(tmp_path: Path) -> None:
    port = free_port()
    database = {"HEADWATER_DATABASE": f"sqlite:///{tmp_path / 'x.db'}", "HEADWATER_PORT": str(port)}
    with fake_worker() as fake:
        fake.has("orders-sink")
        with started(SERVE.replace("http://localhost:8083", fake.url), tmp_path, **database):
            wait_for(lambda: jobs(f"http://127.0.0.1:{port}") == ["orders-sink"])


def test_the_agent_beside_a_server_sends_there(tmp_path: Path) -> None:
    port = free_port()
    database = {"HEADWATER_DATABASE": f"sqlite:///{tmp_path / 'x.db'}", "HEADWATER_PORT": str(port)}
    with fake_worker() as fake, started("headwater serve", tmp_path, **database):
        fake.has("orders-sink")
        there = WATCH.replace("http://localhost:8083", fake.url).replace("localhost:5000", f"127.0.0.1:{port}")
        with started(there, tmp_path):
            wait_for(lambda: jobs(f"http://127.0.0.1:{port}") == ["orders-sink"])


def test_the_program_on_the_page_watches_too(tmp_path: Path) -> None:
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    with fake_worker() as fake, told() as backend:
        fake.has("orders-sink")
        process = subprocess.Popen(
            [sys.executable, "-c", code.replace("http://localhost:8083", fake.url).replace("localhost:9092", "")],
            env={**os.environ, "OPENLINEAGE_URL": backend.url, "HEADWATER_OUTBOX": str(tmp_path / "outbox")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        wait_for(lambda: len(backend.accepted) > 0 or process.poll() is not None)
        printed, _ = process.communicate(b"\n", timeout=60)
    assert "orders-sink RUNNING" in printed.decode()


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Fake]:
    monkeypatch.chdir(tmp_path)
    with fake_worker() as fake:
        monkeypatch.setenv("HEADWATER_CONNECT", fake.url)
        yield fake


def test_the_commands_about_files_work(worker: Fake, tmp_path: Path) -> None:
    for name in ("orders-source", "orders-sink"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"connector.class": "org.example.Sink", "topics": "orders"}))
    for line in APPLY.splitlines():
        result = run(*shlex.split(line)[1:])
        assert result.exit_code == 0, result.output
    assert sorted(worker.connectors) == ["orders-sink", "orders-source"]


def test_every_command_and_setting_is_on_the_page() -> None:
    listed = re.findall(r"^ *│? *(\w+)", run("connect", "--help").stdout.partition("Commands")[2], re.MULTILINE)
    assert {"apply", "watch", "offsets"} <= set(listed)
    for command in set(listed) - {"Example"}:
        assert re.search(rf"\b{command}\b", PAGE), command
    for name in ("HEADWATER_CONNECT", "HEADWATER_REGISTRY", "KAFKA_BOOTSTRAP", "OPENLINEAGE_NAMESPACE"):
        assert f"`{name}`" in PAGE
