"""How far a box is settled: the file and the place in it, kept in a file of its own."""

from __future__ import annotations

import os
import re
import struct
import zlib
from pathlib import Path
from typing import NamedTuple

POSITION_FILE = "settled"
_LAYOUT = struct.Struct("<QQQ")
_CHECKSUM = struct.Struct("<I")
_NAME = re.compile(r"(\d{20})\.(\d+)\.events")


class Segment(NamedTuple):
    """One file of records: when it was begun, which orders it among all, and how often it was rewritten since."""

    born: int
    generation: int

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"{self.born:020d}.{self.generation}.events"

    @classmethod
    def parse(cls, name: str) -> Segment | None:
        """The segment of a file name; None if the name is not one of a segment."""
        found = _NAME.fullmatch(name)
        return cls(int(found[1]), int(found[2])) if found else None


class Position(NamedTuple):
    """Every record before this place is settled."""

    segment: Segment
    offset: int

    def start_in(self, segment: Segment) -> int | None:
        """Where the unsettled records of a segment begin; None if there are none in it."""
        if segment.born < self.segment.born:
            return None
        # A rewritten segment holds only what was unsettled when it was rewritten.
        return self.offset if segment == self.segment else 0


BEGINNING = Position(Segment(0, 0), 0)


def read_position(directory: Path) -> Position:
    """The position of a box; the beginning if there is none that can be trusted."""
    try:
        data = (directory / POSITION_FILE).read_bytes()
    except OSError:
        return BEGINNING
    if len(data) != _LAYOUT.size + _CHECKSUM.size or _CHECKSUM.pack(zlib.crc32(data[: _LAYOUT.size])) != data[-4:]:
        return BEGINNING
    born, generation, offset = _LAYOUT.unpack_from(data)
    return Position(Segment(born, generation), offset)


def write_position(descriptor: int, position: Position) -> None:
    """Write a position over the one before, in one call: a process killed here leaves one or the other."""
    data = _LAYOUT.pack(*position.segment, position.offset)
    os.pwrite(descriptor, data + _CHECKSUM.pack(zlib.crc32(data)), 0)
