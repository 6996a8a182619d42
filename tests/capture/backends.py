"""Backends for tests of delivery: a real server that can be killed, and one that says what it is told."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import msgspec

from tests.capture.making import number
from tests.server.serving import free_port

DEADLINE_SECONDS = 60.0


def wait_for(condition: Callable[[], object], seconds: float = DEADLINE_SECONDS) -> None:
    """Wait for a condition to hold; AssertionError if it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


# -- a real one ------------------------------------------------------------------------------------


class Headwater:
    """`headwater serve` on SQLite, at one address however often it is stopped and started."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-c", "from headwater.cli.main import main; main()", "serve"]
        env = {
            **os.environ,
            "HEADWATER_DATABASE": f"sqlite:///{self._folder / 'headwater.db'}",
            "HEADWATER_PORT": str(self._port),
        }
        with (self._folder / "serve.log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self._folder, env=env, stdout=log, stderr=log)
        wait_for(self._answers)

    def stop(self) -> None:
        """Kill it, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def numbers(self) -> list[int]:
        """The numbers of the events in its log, in order of event time."""
        found: list[int] = []
        while True:
            params: dict[str, str | int] = {"limit": 500, "offset": len(found), "sortDirection": "asc"}
            page = httpx.get(f"{self.url}/api/v1/events/lineage", params=params, timeout=60).json()
            found += [int(event["job"]["name"].removeprefix("job-")) for event in page["events"]]
            if not page["events"]:
                assert page["totalCount"] == len(found)
                return found

    def oddities(self) -> dict[str, int]:
        """How many diagnostics there are of each kind."""
        counts: dict[str, int] = httpx.get(f"{self.url}/api/v2/diagnostics", timeout=60).json()["counts"]
        return counts

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/health").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def headwater(folder: Path) -> Iterator[Headwater]:
    """A running server, stopped at the end."""
    server = Headwater(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


# -- one that says what it is told -----------------------------------------------------------------

Said = tuple[int, dict[str, str], bytes]
Answers = Callable[["Request"], Said]


@dataclass(frozen=True)
class Request:
    """A request as it came, unpacked."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def events(self) -> list[bytes]:
        """The events in it."""
        if not self.path.endswith("/batch"):
            return [self.body]
        return [bytes(raw) for raw in msgspec.json.decode(self.body, type=list[msgspec.Raw])]


@dataclass
class Told:
    """A backend that answers as `answers` says, and remembers what came and what it took."""

    url: str
    answers: Answers
    requests: list[Request] = field(default_factory=list)
    accepted: list[Request] = field(default_factory=list)
    connections: int = 0

    @property
    def taken(self) -> list[int]:
        """The numbers of the events in the requests that it took."""
        return [number(body) for request in self.accepted for body in request.events]


def takes_one(request: Request) -> Said:
    """The answer of a backend that knows of no batches, as Marquez."""
    return (404, {}, b"no such path") if request.path.endswith("/batch") else (201, {}, b"")


def takes_batches(request: Request) -> Said:
    """The answer of a backend that takes everything."""
    if not request.path.endswith("/batch"):
        return 201, {}, b""
    return 200, {}, msgspec.json.encode({"summary": {"received": len(request.events)}, "failed_events": []})


@contextmanager
def told(answers: Answers = takes_batches, *, port: int = 0, keep_alive: bool = True) -> Iterator[Told]:
    """A backend on a free port; the test may replace its `answers` at any time."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1" if keep_alive else "HTTP/1.0"

        def setup(self) -> None:
            super().setup()
            backend.connections += 1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            request = Request(
                self.path, dict(self.headers.items()), gzip.decompress(body) if packed else body, time.monotonic()
            )
            backend.requests.append(request)
            status, headers, answer = backend.answers(request)
            if status < 300:
                backend.accepted.append(request)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        server.daemon_threads = True
        backend = Told(f"http://127.0.0.1:{server.server_port}", answers)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield backend
        finally:
            server.shutdown()
            thread.join()
