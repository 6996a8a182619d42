"""A small HTTP server of prepared answers, so that a test can say exactly what the server said."""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from headwater.cli.main import app


@dataclass
class Server:
    """Prepared answers by request target, and the targets that were asked for."""

    url: str
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def says(self, target: str, answer: Any, status: int = 200) -> bytes:
        """Prepare the answer to GET target, as bytes or as something to encode as JSON; return its bytes."""
        body = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
        self.answers[target] = (status, body)
        return body


@pytest.fixture(autouse=True)
def no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep a developer's own variables and settings file out of the tests."""
    for name in [name for name in os.environ if name.startswith("HEADWATER_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of prepared answers, at which HEADWATER_URL points."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            prepared.asked.append(self.path)
            missing = (404, b'{"code": 404, "message": "nothing was prepared for this"}')
            status, body = prepared.answers.get(self.path, missing)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        prepared = Server(f"http://127.0.0.1:{http.server_port}")
        monkeypatch.setenv("HEADWATER_URL", prepared.url)
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield prepared
        http.shutdown()
        thread.join()


def run(*arguments: str) -> Result:
    """What `headwater` prints and exits with, given these arguments."""
    return CliRunner().invoke(app, list(arguments))
