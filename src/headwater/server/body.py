"""Request bodies: read in pieces, unpacked if they came compressed, and never more than is allowed."""

import zlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

from headwater.errors import HeadwaterError

MB = 1024 * 1024
PIECE = 256 * 1024


class BodyError(HeadwaterError):
    """A body that cannot be taken; `status` is what the sender gets."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class SenderGone(BodyError):
    """The connection closed before the body was complete; nobody reads the answer."""

    def __init__(self) -> None:
        super().__init__(400, "the connection closed before the whole body came")


class Inflight:
    """Bytes of request bodies held at once, so that many large events cannot exhaust memory."""

    def __init__(self, max_mb: int) -> None:
        self.limit = max_mb * MB
        self.held = 0

    def take(self, size: int) -> None:
        """Count `size` more bytes; 503 if that is over the limit, unless nothing else is held."""
        if self.held and self.held + size > self.limit:
            raise BodyError(
                503,
                f"the server holds {self.held} of at most {self.limit} bytes of events; send again in 1 s",
                {"retry-after": "1"},
            )
        self.held += size

    def give(self, size: int) -> None:
        self.held -= size


class Body:
    """One body being read. Its bytes count as in flight until `release`."""

    __slots__ = ("_headers", "_held", "_inflight", "_max_mb", "_receive")

    def __init__(
        self,
        headers: Sequence[tuple[bytes, bytes]],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        max_mb: int,
        inflight: Inflight,
    ) -> None:
        self._headers = headers
        self._receive = receive
        self._max_mb = max_mb
        self._inflight = inflight
        self._held = 0

    async def read(self) -> bytes:
        """The whole body, unpacked. Raises BodyError 400, 413, 415 or 503."""
        encoding = b""
        for name, value in self._headers:
            if name == b"content-encoding":
                encoding = value.strip().lower()
            elif name == b"content-length" and value.isdigit() and int(value) > self._max_mb * MB:
                raise self._too_large()
        if encoding in (b"", b"identity"):
            return await self._plain()
        if encoding in (b"gzip", b"x-gzip", b"deflate"):
            return await self._unpacked(encoding.decode())
        raise BodyError(415, f"Content-Encoding is {encoding.decode('latin-1')!r}; expected gzip, deflate or none")

    def release(self) -> None:
        """Stop counting the bytes as in flight."""
        self._inflight.give(self._held)
        self._held = 0

    def _hold(self, size: int) -> None:
        if self._held + size > self._max_mb * MB:
            raise self._too_large()
        self._inflight.take(size)
        self._held += size

    def _too_large(self) -> BodyError:
        return BodyError(
            413, f"the body is over {self._max_mb} MB; raise the setting max_event_mb or send smaller events"
        )

    async def _plain(self) -> bytes:
        message = await self._receive()
        if message["type"] != "http.request":
            raise SenderGone
        body: bytes = message.get("body", b"")
        self._hold(len(body))
        if not message.get("more_body"):
            return body
        pieces = [body]
        while message.get("more_body"):
            message = await self._receive()
            if message["type"] != "http.request":
                raise SenderGone
            pieces.append(message.get("body", b""))
            self._hold(len(pieces[-1]))
        return b"".join(pieces)

    async def _unpacked(self, encoding: str) -> bytes:
        """Unpacked piece by piece: a small body that unpacks into a huge one stops at the limit."""
        unpacker = zlib.decompressobj(wbits=47 if encoding != "deflate" else 15)
        pieces: list[bytes] = []
        more = True
        while more:
            message = await self._receive()
            if message["type"] != "http.request":
                raise SenderGone
            more = message.get("more_body", False)
            data: bytes = message.get("body", b"")
            try:
                while data and not unpacker.eof:
                    piece = unpacker.decompress(data, PIECE)
                    self._hold(len(piece))
                    pieces.append(piece)
                    data = unpacker.unconsumed_tail
            except zlib.error as error:
                raise BodyError(400, f"the body is not valid {encoding}: {error}") from None
        if not unpacker.eof:
            raise BodyError(400, f"the {encoding} body ends in the middle; send all of it")
        return b"".join(pieces)
