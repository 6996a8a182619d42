"""A real server on a free port, in a thread, for tests that talk HTTP."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from headwater.server.app import App, create_app
from headwater.server.http import Route
from headwater.server.run import Server, listen
from headwater.settings import Settings, load_settings
from headwater.store.database import open_database
from headwater.store.writer import Writer
from tests.server.making import run

DEADLINE_SECONDS = 20.0


class Running:
    """A server that answers: where, and the app behind it."""

    def __init__(self, url: str, app: App, settings: Settings) -> None:
        self.url = url
        self.app = app
        self.settings = settings
        self.http = httpx.Client(base_url=url, timeout=30)

    def post(self, *events: Mapping[str, object]) -> None:
        """Send events, each of which must be taken."""
        for event in events:
            answer = self.http.post("/api/v1/lineage", json=dict(event))
            assert answer.status_code == 201, answer.text

    def get(self, path: str, **params: object) -> object:
        """The JSON of a successful GET."""
        answer = self.http.get(path, params={k: str(v) for k, v in params.items()})
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextmanager
def serving(database_url: str, more: Sequence[Route] = (), **overrides: object) -> Iterator[Running]:
    """Serve a database until the block ends, with `more` routes; keyword arguments are settings."""
    settings = load_settings({"database": database_url, "port": 0, **overrides}, {}, Path("/"))
    database = open_database(settings.database)
    app = create_app(database, Writer(database, settings), settings, more=more)
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(app, lifespan="on", log_config=None, timeout_graceful_shutdown=5)
    server = Server(config, app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive())
        running = Running(f"http://127.0.0.1:{listener.getsockname()[1]}", app, settings)
        with running.http:
            yield running
    finally:
        server.should_exit = True
        thread.join(DEADLINE_SECONDS)
        assert not thread.is_alive(), "the server did not stop"


@contextmanager
def full_queue(server: Running) -> Iterator[None]:
    """Hold the writer up until as many events wait for it as may; at the end they are written."""
    gate = threading.Event()
    writer = server.app.services.writer
    hold = threading.Thread(target=lambda: asyncio.run(writer.call(gate.wait)))
    answers: list[int] = []

    def send(i: int) -> None:
        answers.append(httpx.post(f"{server.url}/api/v1/lineage", json=run(f"waits{i}"), timeout=30).status_code)

    senders = [threading.Thread(target=send, args=(i,)) for i in range(server.settings.queue)]
    try:
        hold.start()
        for sender in senders:
            sender.start()
        wait_until(lambda: writer.depth >= server.settings.queue)
        yield
    finally:
        gate.set()
        for thread in (hold, *senders):
            thread.join(DEADLINE_SECONDS)
    assert answers == [201] * server.settings.queue


def wait_until(condition: object, deadline: float = DEADLINE_SECONDS) -> None:
    """Wait for a condition to hold; AssertionError if it does not in time."""
    assert callable(condition)
    end = time.monotonic() + deadline
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
