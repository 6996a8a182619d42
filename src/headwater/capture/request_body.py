"""Bodies of requests to the relay: whole or in chunks, packed or plain, and never more than is allowed."""

import zlib
from collections.abc import Iterator
from email.message import Message
from io import BufferedIOBase

from headwater.errors import HeadwaterError

_PIECE = 256 * 1024


class BadRequest(HeadwaterError):
    """A request that cannot be taken; `status` is what its sender gets."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def read_body(stream: BufferedIOBase, headers: Message, limit: int) -> bytes:
    """The whole body, unpacked. Raises BadRequest 400, 411, 413 or 415."""
    encoding = (headers.get("Content-Encoding") or "identity").strip().lower()
    pieces = (
        _chunks(stream) if "chunked" in (headers.get("Transfer-Encoding") or "").lower() else _whole(stream, headers)
    )
    if encoding in ("gzip", "x-gzip", "deflate"):
        pieces = _unpacked(pieces, encoding)
    elif encoding != "identity":
        raise BadRequest(415, f"Content-Encoding is {encoding!r}; expected gzip, deflate or none")
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > limit:
            raise BadRequest(413, f"the body is over {limit} bytes; send smaller events")
    return bytes(body)


def _whole(stream: BufferedIOBase, headers: Message) -> Iterator[bytes]:
    written = (headers.get("Content-Length") or "").strip()
    if not (written.isascii() and written.isdigit()):
        raise BadRequest(411, "Content-Length is missing; say how long the body is, or send it in chunks")
    yield from _exactly(stream, int(written))


def _chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    while True:
        line = stream.readline(1024).split(b";")[0].strip()
        try:
            size = int(line, 16)
        except ValueError:
            raise BadRequest(400, "a chunk of the body has no length") from None
        yield from _exactly(stream, size)
        if size == 0:
            while stream.readline(64 * 1024).strip():
                pass
            return
        stream.readline(16)


def _exactly(stream: BufferedIOBase, size: int) -> Iterator[bytes]:
    while size > 0:
        piece = stream.read(min(size, _PIECE))
        if not piece:
            raise BadRequest(400, "the connection closed before the whole body came")
        size -= len(piece)
        yield piece


def _unpacked(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Piece by piece, so that a small body that unpacks into a huge one stops at the limit."""
    unpacker = zlib.decompressobj(wbits=15 if encoding == "deflate" else 47)
    for piece in pieces:
        data = piece
        try:
            while data and not unpacker.eof:
                yield unpacker.decompress(data, _PIECE)
                data = unpacker.unconsumed_tail
        except zlib.error as error:
            raise BadRequest(400, f"the body is not valid {encoding}: {error}") from None
    if not unpacker.eof:
        raise BadRequest(400, f"the {encoding} body ends in the middle; send all of it")
