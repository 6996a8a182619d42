"""Running the server: open, say where it is, serve, and stop without losing anything."""

import errno
import gc
import logging
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import uvicorn

from headwater import __version__
from headwater.errors import HeadwaterError
from headwater.server.app import App, create_app
from headwater.server.http import Route
from headwater.settings import Settings, hide_password
from headwater.store.database import open_database
from headwater.store.writer import Writer

GRACE_SECONDS = 10
BACKLOG = 2048


class AddressTaken(HeadwaterError):
    """The server cannot listen where it was told to."""


# What runs beside the server: given the server's own address, the routes that it adds while it lasts.
Beside = Callable[[str], AbstractContextManager[Sequence[Route]]]


def nothing(_url: str) -> AbstractContextManager[Sequence[Route]]:
    """What runs beside a server that is alone."""
    return nullcontext(())


def serve(settings: Settings, say: Callable[[str], None] = print, beside: Beside = nothing) -> None:
    """Serve until SIGINT or SIGTERM; then finish what was begun and write what waits."""
    logging.basicConfig(level=settings.log_level.upper(), format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    listener = listen(settings.host, settings.port)
    with beside(own_address(listener)) as more:
        database = open_database(settings.database)
        app = create_app(database, Writer(database, settings), settings, more=more)
        _spare_the_collector()
        say(welcome(hide_password(settings.database).removeprefix("sqlite:///"), listener))
        Server(server_config(app), app).run(sockets=[listener])


def server_config(app: App) -> uvicorn.Config:
    """How uvicorn runs the app."""
    return uvicorn.Config(
        app,
        http="httptools",
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def own_address(listener: socket.socket) -> str:
    """Where this machine finds the server."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """uvicorn, which waits for open connections before it stops: those that only listen are let go first."""

    def __init__(self, config: uvicorn.Config, app: App) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.end_streams()
        await super().shutdown(sockets)


def _spare_the_collector() -> None:
    """What is loaded by now stays, and a large graph is thousands of tuples: looking at them all costs a third."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; AddressTaken says what to do if there can be none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise AddressTaken(f"cannot listen on host {host!r}: {error.strerror}; check --host") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressTaken(
                f"port {port} on {host} is taken by another program; "
                f"stop that one, or choose another port: headwater serve --port {port + 1}"
            ) from None
        raise AddressTaken(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another --host or --port"
        ) from None
    return listener


def welcome(database: str, listener: socket.socket) -> str:
    """What a person needs to know at the start."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return f"""Headwater {__version__}
  listening on  {url}  (open it in a browser)
  database      {database}
  API and docs  {url}/docs
  send events   OPENLINEAGE_URL={url}
  a first one   curl -X POST {url}/api/v1/lineage -H 'Content-Type: application/json' -d '{FIRST_EVENT}'
Stop it with Ctrl-C."""


FIRST_EVENT = (
    '{"eventType":"COMPLETE","eventTime":"2026-01-31T12:00:00Z","producer":"me",'
    '"run":{"runId":"01234567-89ab-7def-8123-456789abcdef"},"job":{"namespace":"try","name":"hello"},'
    '"inputs":[{"namespace":"try","name":"a"}],"outputs":[{"namespace":"try","name":"b"}]}'
)
