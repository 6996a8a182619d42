"""The limit: the same HTTP stack, decoding and durable group commit as Headwater's, and nothing else.

Events are decoded, packed and appended to one table; there is no fold. What Headwater reaches beside this is
what understanding an event costs. Run as a process: python -m bench.limit --port PORT --database URL
"""

import argparse
import asyncio
import queue
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol

import psycopg
import uvicorn

from headwater.openlineage.events import Event, decode_event
from headwater.store import arrays
from headwater.store.arrays import BigInts, Byteas, Texts
from headwater.store.packing import pack

_EVENTS_PER_COMMIT = 500
_LINGER_SECONDS = 0.0004

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Row = tuple[int, bytes, str, int, int, bytes]

_CREATED = {"type": "http.response.start", "status": 201, "headers": [(b"content-length", b"0")]}
_EMPTY = {"type": "http.response.body", "body": b""}


class _Log(Protocol):
    """One table that grows."""

    def append(self, rows: list[Row]) -> None:
        """Add rows; they are on disk when this returns."""


class _SqliteLog:
    def __init__(self, url: str) -> None:
        self._connection = sqlite3.connect(
            url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False
        )
        for statement in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=FULL",
            "PRAGMA cache_size=-16384",
            "CREATE TABLE log (id INTEGER PRIMARY KEY, hash BLOB, type TEXT, event_time INTEGER, "
            "received_at INTEGER, body BLOB)",
        ):
            self._connection.execute(statement)

    def append(self, rows: list[Row]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._connection.execute("COMMIT")


class _PostgresLog:
    _INSERT = "INSERT INTO log SELECT * FROM unnest(%s, %s, %s, %s, %s, %s)"
    _ARRAYS = (BigInts, Byteas, Texts, BigInts, BigInts, Byteas)

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url)
        self._connection.execute(
            "CREATE TABLE log (id bigint PRIMARY KEY, hash bytea, type text, event_time bigint, "
            "received_at bigint, body bytea)"
        )
        self._connection.commit()
        arrays.register(self._connection)

    def append(self, rows: list[Row]) -> None:
        columns = zip(self._ARRAYS, zip(*rows, strict=True), strict=True)
        self._connection.execute(self._INSERT, [array(values) for array, values in columns])
        self._connection.commit()


class Limit:
    """The ASGI app, and the thread that writes."""

    def __init__(self, log: _Log) -> None:
        self._log = log
        self._queue: queue.SimpleQueue[tuple[Event, asyncio.Future[None]]] = queue.SimpleQueue()
        self._pack = pack
        self.events = 0
        self.commits = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["method"] == "GET":
            await self._counts(send)
            return
        message = await receive()
        body: bytes = message["body"]
        while message["more_body"]:
            message = await receive()
            body += message["body"]
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((decode_event(body), future))
        await future
        await send(_CREATED)
        await send(_EMPTY)

    async def _counts(self, send: Send) -> None:
        """How much was written, in the form of Headwater's /metrics."""
        text = f"headwater_events_total {self.events}\nheadwater_commits_total {self.commits}\n".encode()
        headers = [(b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": text})

    def write(self) -> None:
        """Take what is queued, append it, wake who waits; for ever."""
        recent = deque([0, 0], maxlen=2)
        while True:
            group = [self._queue.get()]
            # Headwater waits for those who took part in the last two commits, so that its commits are larger.
            if self._queue.qsize() + 1 < sum(recent) > 2:
                time.sleep(_LINGER_SECONDS)
            while len(group) < _EVENTS_PER_COMMIT:
                try:
                    group.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            recent.append(len(group))
            now, first = time.time_ns() // 1000, self.events
            self._log.append(
                [
                    (first + place, event.hash, event.type, event.time, now, self._pack(event.body))
                    for place, (event, _) in enumerate(group)
                ]
            )
            self.events += len(group)
            self.commits += 1
            group[0][1].get_loop().call_soon_threadsafe(_wake, [future for _, future in group])


def _wake(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def main() -> None:
    """Serve until a signal."""
    parser = argparse.ArgumentParser(prog="python -m bench.limit", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", required=True)
    arguments = parser.parse_args()
    url: str = arguments.database
    app = Limit(_SqliteLog(url) if url.startswith("sqlite:") else _PostgresLog(url))
    threading.Thread(target=app.write, daemon=True).start()
    sys.setswitchinterval(0.001)  # as Headwater's
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=arguments.port,
        http="httptools",
        loop="uvloop",
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=75,
    )


if __name__ == "__main__":
    main()
