"""A load client: keep-alive connections on one event loop, each request encoded before the clock starts.

It costs some 20 µs of processor time a request, so that what is measured is the server.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import cast
from urllib.parse import urlsplit

import uvloop

CONNECTIONS = 8
LINEAGE = "/api/v1/lineage"


class BenchError(Exception):
    """The server under test did not do what it was asked, so no figure would mean anything."""


@dataclass(frozen=True)
class Load:
    """What sending a set of events took. Latencies are in seconds, sorted."""

    events: int
    seconds: float
    latencies: Sequence[float]

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds

    def percentile(self, percent: float) -> float:
        """The latency that `percent` of the requests did not exceed."""
        return percentile(self.latencies, percent)


def percentile(sorted_values: Sequence[float], percent: float) -> float:
    """The smallest value that `percent` of the values do not exceed."""
    return sorted_values[max(0, -(-len(sorted_values) * percent // 100).__int__() - 1)]


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def encode_posts(url: str, bodies: Iterator[bytes]) -> list[bytes]:
    """Each body as a whole POST request to the server's lineage endpoint."""
    parts = urlsplit(url)
    head = (
        f"POST {parts.path.rstrip('/')}{LINEAGE} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        "Content-Type: application/json\r\nContent-Length: "
    ).encode()
    return [b"%s%d\r\n\r\n%s" % (head, len(body), body) for body in bodies]


def send(url: str, requests: Sequence[bytes], connections: int = CONNECTIONS) -> Load:
    """Send every request over `connections` keep-alive connections, each waiting for its answer; all must be 2xx.

    Requests are dealt out in pairs, so that a run's START and COMPLETE go one after the other.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_send(url, requests, connections))


async def _send(url: str, requests: Sequence[bytes], connections: int) -> Load:
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    pairs = iter([requests[at : at + 2] for at in range(0, len(requests), 2)])
    senders = []
    for _ in range(connections):
        _, sender = await loop.create_connection(
            lambda: _Sender(pairs, loop.create_future(), loop.create_future()),
            parts.hostname or "127.0.0.1",
            parts.port or 80,
        )
        senders.append(sender)
    try:
        began = time.perf_counter()
        for sender in senders:
            sender.next()
        await asyncio.gather(*(sender.done for sender in senders))
        seconds = time.perf_counter() - began
    finally:
        # Also after a failure: a loop that ends with open connections complains about each.
        for sender in senders:
            sender.close()
        await asyncio.gather(*(sender.closed for sender in senders))
    latencies = sorted(latency for sender in senders for latency in sender.latencies)
    return Load(len(latencies), seconds, latencies)


class _Sender(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(
        self, pairs: Iterator[Sequence[bytes]], done: asyncio.Future[None], closed: asyncio.Future[None]
    ) -> None:
        self._pairs = pairs
        self._queue: list[bytes] = []
        self.done = done
        self.closed = closed
        self.latencies: list[float] = []
        self._buffer = b""
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def next(self) -> None:
        """Send one more, or finish."""
        assert self._transport is not None
        if not self._queue:
            self._queue = list(next(self._pairs, ()))[::-1]
        if not self._queue:
            if not self.done.done():
                self.done.set_result(None)
            return
        self._sent_at = time.perf_counter()
        self._transport.write(self._queue.pop())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not _complete(self._buffer):
            return
        self.latencies.append(time.perf_counter() - self._sent_at)
        answer, self._buffer = self._buffer, b""
        if answer[9:10] != b"2":
            self._fail(f"the server answered an event with: {answer[:400].decode('latin-1')}")
        else:
            self.next()

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(f"the server closed the connection: {error or 'no reason given'}")
        self.closed.set_result(None)

    def close(self) -> None:
        """End the connection; `closed` tells when it has."""
        assert self._transport is not None
        self._transport.close()

    def _fail(self, message: str) -> None:
        if not self.done.done():
            self.done.set_exception(BenchError(message))


def _complete(answer: bytes) -> bool:
    """Whether an HTTP answer has come to its end."""
    head, separator, body = answer.partition(b"\r\n\r\n")
    if not separator:
        return False
    head = head.lower()
    at = head.find(b"\r\ncontent-length:")
    if at >= 0:
        return len(body) >= int(head[at + 17 :].split(b"\r\n", 1)[0])
    if b"\r\ntransfer-encoding: chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    return True


class Reader:
    """One keep-alive connection that asks and times. Close it, or use it with `with`."""

    def __init__(self, url: str, timeout: float = 300) -> None:
        parts = urlsplit(url)
        self._prefix = parts.path.rstrip("/")
        self._connection = HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=timeout)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, path: str) -> tuple[bytes, float]:
        """The answer to GET `path`, and how many seconds it took; it must be 200."""
        began = time.perf_counter()
        self._connection.request("GET", self._prefix + path)
        answer = self._connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - began
        if answer.status != 200:
            raise BenchError(f"GET {path} was answered with {answer.status}: {body[:400].decode('latin-1')}")
        return body, seconds
