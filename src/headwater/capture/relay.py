"""The relay: takes events over HTTP from any OpenLineage producer, answers at once, and delivers them durably."""

from __future__ import annotations

import logging
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import msgspec

from headwater.capture.emitter import Emitter
from headwater.capture.records import LARGEST
from headwater.capture.request_body import BadRequest, read_body
from headwater.errors import HeadwaterError
from headwater.openlineage.events import BadEvent, decode_event

log = logging.getLogger(__name__)

LINEAGE, BATCH, HEALTH = "/api/v1/lineage", "/api/v1/lineage/batch", "/health"
IDLE_SECONDS = 120  # a connection nobody uses is closed then
GRACE_SECONDS = 2.0
Transform = Callable[[dict[str, Any]], list[dict[str, Any]]]


def start_relay(
    emitter: Emitter,
    port: int = 0,
    *,
    host: str = "127.0.0.1",
    transform: Transform | None = None,
    max_bytes: int = LARGEST,
) -> Relay:
    """A running relay. `transform` makes of each event those that are delivered instead of it."""
    try:
        return Relay(_Server(emitter, host, port, transform, max_bytes))
    except OSError as error:
        raise HeadwaterError(
            f"the relay cannot listen on {host}:{port}: {error.strerror}; choose another --port or --host"
        ) from None


class Relay:
    """A relay that runs until it is closed; the emitter stays open."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        host, port = server.server_address[:2]
        self.url = f"http://[{host!s}]:{port}" if ":" in str(host) else f"http://{host!s}:{port}"
        self._thread = threading.Thread(target=server.serve_forever, args=(0.2,), name="headwater-relay", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Finish the requests that have begun, and stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._server.let_go(time.monotonic() + GRACE_SECONDS)
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, emitter: Emitter, host: str, port: int, transform: Transform | None, max_bytes: int) -> None:
        self.emitter, self.transform, self.max_bytes = emitter, transform, max_bytes
        self.busy: set[_Handler] = set()
        self._connections: set[socket.socket] = set()
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """As HTTPServer does, but without asking a name server who we are, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a connection to the relay broke off", exc_info=True)

    def let_go(self, deadline: float) -> None:
        """Wait for the requests that have begun, then close the connections that are kept open."""
        while self.busy and time.monotonic() < deadline:
            time.sleep(0.005)
        for connection in tuple(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        emitter = self.server.emitter
        if urlsplit(self.path).path != HEALTH:
            self._say(404, f"nothing at {self.path}; events are posted to {LINEAGE}, and {HEALTH} says how it goes")
            return
        to = emitter.destination.address if emitter.destination else None
        self._answer(200, {"status": "ok", "to": to, "outbox": str(emitter.directory), **asdict(emitter.stats())})

    def do_POST(self) -> None:
        self.server.busy.add(self)
        try:
            self._take()
        except BadRequest as error:
            self.close_connection = True  # the rest of the body may still be on its way
            self._say(error.status, str(error))
        except BadEvent as error:
            self._say(error.status, str(error))
        finally:
            self.server.busy.discard(self)

    def _take(self) -> None:
        path = urlsplit(self.path).path.rstrip("/")
        body = read_body(self.rfile, self.headers, self.server.max_bytes)
        if path == LINEAGE:
            self._keep(body)
            self._answer(201, None)
        elif path == BATCH:
            self._answer(200, self._keep_each(body))
        else:
            self._say(404, f"nothing at {self.path}; events are posted to {LINEAGE} or {BATCH}")

    def _keep(self, body: bytes) -> None:
        for made in prepare(body, self.server.transform):
            if not self.server.emitter.emit(made):
                raise BadRequest(503, "the event could not be kept; send it again")

    def _keep_each(self, body: bytes) -> dict[str, Any]:
        """What became of a batch, as the OpenLineage API says it."""
        try:
            events = msgspec.json.decode(body, type=list[msgspec.Raw])
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadEvent(f"not a JSON array of events: {error}", status=400) from None
        failed: list[dict[str, Any]] = []
        for index, event in enumerate(events):
            try:
                self._keep(bytes(event))
            except (BadEvent, BadRequest) as error:
                failed.append({"index": index, "reason": str(error), "retriable": isinstance(error, BadRequest)})
        retriable = sum(item["retriable"] for item in failed)
        summary = {"received": len(events), "successful": len(events) - len(failed), "failed": len(failed)}
        summary |= {"retriable": retriable, "non_retriable": len(failed) - retriable}
        return {"status": "partial_success" if failed else "success", "summary": summary, "failed_events": failed}

    def _say(self, status: int, message: str) -> None:
        self._answer(status, {"code": status, "message": message})

    def _answer(self, status: int, content: dict[str, Any] | None) -> None:
        body = b"" if content is None else msgspec.json.encode(content)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        if body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)


def prepare(body: bytes, transform: Transform | None) -> list[bytes]:
    """The events to deliver for one that came in. BadEvent if it, or one of them, is none."""
    made = [body]
    if transform is not None:
        try:
            event = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            event = None  # which is explained below
        if event is not None:
            try:
                made = [msgspec.json.encode(each) for each in transform(event)]
            except Exception:
                log.exception("an event could not be repaired on its way in; it is delivered as it came")
    for each in made:
        decode_event(each)
    return made
