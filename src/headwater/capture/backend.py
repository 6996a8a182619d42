"""One connection to a backend, kept open: a body goes out, an answer comes back."""

from __future__ import annotations

import encodings.idna  # noqa: F401  # a host's name needs it, and a process that ends imports nothing any more
import gzip
import http.client
import re
import select
import ssl
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from headwater import __version__
from headwater.capture.destination import Destination
from headwater.errors import HeadwaterError

LONGEST_WAIT = 3600.0  # of a Retry-After
_LONGEST_ANSWER = 16 * 1024 * 1024
_WORTH_PACKING = 1024


class Unreachable(HeadwaterError):
    """No answer came: refused, cut off, too slow, or not to be trusted."""


class Answer(NamedTuple):
    """What the backend said; `wait` is how long it asks to be left alone."""

    status: int
    body: bytes
    wait: float | None
    location: str | None = None

    @property
    def text(self) -> str:
        """The answer as one line to show."""
        return " ".join(self.body[:2_000].decode("utf-8", "replace").split())


class Backend:
    """Posts to a destination. Packs bodies until the backend turns out not to understand that."""

    def __init__(self, destination: Destination, clock: Callable[[], float] = time.time) -> None:
        self._destination, self._clock = destination, clock
        self._path = f"{urlsplit(destination.url).path}/{destination.endpoint}"
        self._connection: http.client.HTTPConnection | None = None
        self._packing = destination.gzip
        self._packing_works = False

    def post(self, suffix: str, body: bytes) -> Answer:
        """The answer to a POST of JSON to the endpoint, or to what is below it. Raises Unreachable."""
        if self._packing and len(body) >= _WORTH_PACKING:
            answer = self._request(suffix, gzip.compress(body, 1), {"Content-Encoding": "gzip"})
            if answer.status < 300:
                self._packing_works = True
            elif not self._packing_works and answer.status in (400, 415, 422, 500, 501):
                plain = self._request(suffix, body, {})
                self._packing = plain.status >= 300
                return plain
            return answer
        return self._request(suffix, body, {})

    def close(self) -> None:
        """Close the connection; the next post opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _request(self, suffix: str, body: bytes, headers: dict[str, str]) -> Answer:
        reused = self._still_open()
        try:
            return self._exchange(suffix, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # A connection that was kept may have been closed by the other side at this very moment.
            if not reused or isinstance(error, TimeoutError):
                raise Unreachable(_reason(error)) from error
        try:
            return self._exchange(suffix, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unreachable(_reason(error)) from error

    def _exchange(self, suffix: str, body: bytes, headers: dict[str, str]) -> Answer:
        if self._connection is None:
            self._connection = connect(self._destination)
        ours = {"Content-Type": "application/json", "User-Agent": f"headwater/{__version__}"}
        self._connection.request("POST", self._path + suffix, body, {**ours, **self._destination.headers, **headers})
        response = self._connection.getresponse()
        content = response.read(_LONGEST_ANSWER)
        wait = _wait(response.headers.get("Retry-After"), self._clock())
        if response.will_close or not response.isclosed():
            self.close()
        return Answer(response.status, content, wait, response.headers.get("Location"))

    def _still_open(self) -> bool:
        if self._connection is None or self._connection.sock is None:
            return False
        # Nothing is owed to us, so anything there is to read is the end of the connection.
        poll = select.poll()
        poll.register(self._connection.sock, select.POLLIN)
        if poll.poll(0):
            self.close()
            return False
        return True


def connect(destination: Destination) -> http.client.HTTPConnection:
    """A connection to a destination, as safe as its settings ask for; nothing is sent yet."""
    parts = urlsplit(destination.url)
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=destination.timeout)
    context = ssl.create_default_context(cafile=destination.ca_file)
    if not destination.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if destination.certificate:
        context.load_cert_chain(*destination.certificate)
    return http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=destination.timeout, context=context)


def _wait(header: str | None, now: float) -> float | None:
    """Seconds in a Retry-After, which is a number or a date."""
    if not header:
        return None
    try:
        seconds = (
            float(header) if re.fullmatch(r"\s*\d+\s*", header) else parsedate_to_datetime(header).timestamp() - now
        )
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
