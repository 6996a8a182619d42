"""Starting and stopping the server as a person or a supervisor does."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from headwater.server.run import AddressTaken, listen, welcome
from tests.server.making import run
from tests.server.serving import free_port, wait_until


@contextmanager
def headwater(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", "from headwater.cli.main import main; main()", "serve", "--port", str(port)]
    env = {**os.environ, "HEADWATER_DATABASE": f"sqlite:///{folder / 'headwater.db'}"}
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health").status_code == 200
    except httpx.TransportError:
        return False


def test_a_stopped_server_has_kept_what_it_took_and_ends_streams_at_once(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with headwater(tmp_path, port) as process:
        wait_until(lambda: answers(url))
        for i in range(20):
            assert httpx.post(f"{url}/api/v1/lineage", json=run(f"job{i}", "a", "b")).status_code == 201
        with httpx.stream("GET", f"{url}/api/v2/changes", timeout=20) as stream:
            lines = stream.iter_lines()
            next(lines)
            process.send_signal(signal.SIGTERM)
            for _ in lines:
                pass
        assert process.wait(10) in (0, -signal.SIGTERM)
        said = process.stdout.read() if process.stdout else ""
        assert url in said
        assert str(tmp_path / "headwater.db") in said
        assert "Traceback" not in said
    with headwater(tmp_path, port):
        wait_until(lambda: answers(url))
        assert httpx.get(f"{url}/api/v2/events/20").json()["job"]["name"] == "job19"


def test_a_taken_port_is_said_with_what_to_do() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(AddressTaken, match=f"port {port} on 127.0.0.1 is taken.*--port {port + 1}"):
            listen("127.0.0.1", port)


def test_a_host_that_does_not_exist_is_said() -> None:
    with pytest.raises(AddressTaken, match="check --host"):
        listen("no.such.host.invalid", 0)


def test_the_first_words_say_where_it_is_and_how_to_begin() -> None:
    with listen("127.0.0.1", 0) as listener:
        words = welcome("/data/headwater.db", listener)
        assert f"http://127.0.0.1:{listener.getsockname()[1]}/docs" in words
        assert "/data/headwater.db" in words
        assert "curl -X POST" in words
