"""Records: events framed on disk, so that a torn or damaged one is recognised and passed over, never mis-read."""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

import msgspec

LARGEST = 64 * 1024 * 1024  # bytes of an event: the server takes no larger one unless it is told to
# 0xFF is in no UTF-8 text, so the search for the next record cannot stop inside an event.
MAGIC = b"\xffHW1"
HEADER = struct.Struct("<4sBxxxII")  # magic, rank, length, checksum
_CHUNK = 256 * 1024


class Rank(IntEnum):
    """What gives way first when there is no room: what is said again anyway, last how a run ended."""

    RUNNING = 0  # and OTHER
    START = 1  # and what is said of a job or a dataset outside a run
    END = 2


class Record(NamedTuple):
    """An event on disk, and where it ends in its file."""

    rank: int
    body: bytes
    end: int


class _Peek(msgspec.Struct, gc=False):
    eventType: msgspec.Raw = msgspec.Raw()


_peek = msgspec.json.Decoder(_Peek)
_RANKS = {
    b'"RUNNING"': Rank.RUNNING,
    b'"OTHER"': Rank.RUNNING,
    b'"COMPLETE"': Rank.END,
    b'"FAIL"': Rank.END,
    b'"ABORT"': Rank.END,
}


def rank_of(body: bytes) -> Rank:
    """The rank of an event; msgspec.MsgspecError if the body is no JSON object."""
    return _RANKS.get(bytes(_peek.decode(body).eventType).upper(), Rank.START)


def frame(rank: int, body: bytes) -> bytes:
    """The event as a record."""
    return HEADER.pack(MAGIC, rank, len(body), _checksum(rank, body)) + body


def _checksum(rank: int, body: bytes) -> int:
    return zlib.crc32(body, len(body) << 2 | rank)


def read_records(descriptor: int, start: int, stop: int) -> Iterator[Record]:
    """The whole records between two places of a file; what is damaged is passed over."""
    data, base, at = b"", start, 0
    while base + at < stop:
        if len(data) - at < HEADER.size:
            data, base, at = os.pread(descriptor, min(_CHUNK, stop - base - at), base + at), base + at, 0
            if len(data) < HEADER.size:
                return
        magic, rank, length, checksum = HEADER.unpack_from(data, at)
        end = at + HEADER.size + length
        plausible = magic == MAGIC and length <= LARGEST and base + end <= stop
        if plausible and end > len(data):
            size = max(_CHUNK, HEADER.size + length)
            data, base, at = os.pread(descriptor, min(size, stop - base - at), base + at), base + at, 0
            end = HEADER.size + length
        body = data[at + HEADER.size : end] if plausible else b""
        if plausible and len(body) == length and _checksum(rank, body) == checksum:
            yield Record(rank, body, base + end)
            at = end
        elif (found := data.find(MAGIC, at + 1)) >= 0:
            at = found
        else:
            # The end of this piece may be the beginning of a header.
            at = max(at + 1, len(data) - len(MAGIC) + 1)


def first(records: Iterable[Record], events: int, size: int) -> list[Record]:
    """The first of some records: so many at most, and about so many bytes."""
    found: list[Record] = []
    for record in islice(records, events):
        found.append(record)
        size -= len(record.body)
        if size <= 0:
            break
    return found


def walk_records(descriptor: int, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Rank and size of the records between two places, from their headers alone, up to the first damage."""
    while start + HEADER.size <= stop:
        header = os.pread(descriptor, HEADER.size, start)
        if len(header) < HEADER.size:
            return
        magic, rank, length, _ = HEADER.unpack(header)
        size = HEADER.size + length
        if magic != MAGIC or start + size > stop:
            return
        yield rank, size
        start += size
