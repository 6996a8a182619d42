"""A box: the events of one process on disk, in files that only the holder of its lock may change."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from headwater.capture.owner import OWNER_FILE, make_directory, read_owner, remove_directory, take_lock
from headwater.capture.position import POSITION_FILE, Position, Segment, read_position, write_position
from headwater.capture.records import Record, first, read_records, walk_records
from headwater.capture.tail import Tail

SEGMENT_BYTES = 8 * 1024 * 1024
_NONE = (Segment(0, 0), -1)


class Box:
    """One directory of the outbox. One thread appends to `tail`; one other reads, settles and closes."""

    def __init__(self, path: Path, lock: int | None, segment_bytes: int = SEGMENT_BYTES) -> None:
        self.path, self.owner, self.held = path, read_owner(path), lock is not None
        position = read_position(path)
        found = sorted(filter(None, map(Segment.parse, os.listdir(path))))
        # A rewrite that was cut short leaves the older generation beside the newer.
        newest = {segment.born: segment for segment in found}.values()
        self.segments = [segment for segment in newest if position.start_in(segment) is not None]
        self._offset = position.start_in(self.segments[0]) or 0 if self.segments else 0
        self._reading, self._descriptors = _NONE, [] if lock is None else [lock]
        self._position = -1
        if self.held:
            self._position = os.open(path / POSITION_FILE, os.O_RDWR | os.O_CREAT, 0o600)
            self._descriptors.append(self._position)
            for segment in set(found) - set(self.segments):
                (path / segment.name).unlink(missing_ok=True)
        self.tail = Tail(path, self.segments, segment_bytes)
        self._found, self._settled = sum(1 for segment in self.segments for _ in self.walk(segment)), 0

    @classmethod
    def create(cls, root: Path, address: str | None, segment_bytes: int = SEGMENT_BYTES) -> Box:
        """A new box, which is ours. OSError if the disk does not allow it."""
        path, lock = make_directory(root, address)
        try:
            return cls(path, lock, segment_bytes)
        except OSError:
            remove_directory(path)
            os.close(lock)
            raise

    @classmethod
    def adopt(cls, path: Path) -> Box | None:
        """The box at `path`, now ours, if its process is gone and nobody else has taken it."""
        lock = take_lock(path)
        if lock is None:
            return None
        try:
            return cls(path, lock)
        except OSError:
            os.close(lock)
            return None

    @classmethod
    def look(cls, path: Path) -> Box | None:
        """The box of another process, to be read only; None if it is gone."""
        try:
            return cls(path, None)
        except OSError:
            return None

    @property
    def waiting(self) -> int:
        """Events that are not settled."""
        return max(0, self._found + self.tail.records - self._settled)

    @property
    def exists(self) -> bool:
        """Whether its directory is still there."""
        return (self.path / OWNER_FILE).exists()

    # -- reading -----------------------------------------------------------------------------------

    def peek(self, events: int, size: int) -> list[Record]:
        """The oldest unsettled records, from one file: so many events at most, and about so many bytes."""
        while self.segments:
            file, head = self.tail.file, self.segments[0]
            # Looked at before the size: a file that is sealed meanwhile may have grown, and is not finished.
            writing = file is not None and file.segment == head
            try:
                descriptor = self._open(head)
                stop = file.size if file is not None and writing else os.fstat(descriptor).st_size
                found = first(read_records(descriptor, self._offset, stop), events, size)
            except FileNotFoundError:  # someone has removed it
                found, writing = [], False
            if found or writing:
                return found
            self.forget(head)
        return []

    def settle(self, records: Sequence[Record]) -> None:
        """Pass over the oldest records, and write that down."""
        self._offset = records[-1].end
        self._settled += len(records)
        write_position(self._position, Position(self.segments[0], self._offset))

    def forget(self, segment: Segment, replacement: Segment | None = None, dropped: int = 0) -> None:
        """Remove a file that is settled, or that another, already in place, stands in for."""
        (self.path / segment.name).unlink(missing_ok=True)
        index = self.segments.index(segment)
        self.segments[index : index + 1] = [replacement] if replacement else []
        self._offset = self._offset if index else 0
        self._settled += dropped

    def walk(self, segment: Segment) -> Iterator[tuple[int, int]]:
        """Rank and size of the unsettled records of a file."""
        try:
            descriptor = os.open(self.path / segment.name, os.O_RDONLY)
        except OSError:
            return
        try:
            yield from walk_records(descriptor, self.start(segment), os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)

    def start(self, segment: Segment) -> int:
        """Where the unsettled records of a file begin."""
        return self._offset if segment == self.segments[0] else 0

    def _open(self, segment: Segment) -> int:
        if self._reading[0] != segment:
            self._stop_reading()
            # What is open here can be read even if someone has removed its name.
            known = self.tail.descriptor(segment)
            found = os.open(self.path / segment.name, os.O_RDONLY) if known is None else os.dup(known)
            self._reading = (segment, found)
        return self._reading[1]

    def _stop_reading(self) -> None:
        if self._reading[1] >= 0:
            os.close(self._reading[1])
        self._reading = _NONE

    # -- the end -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the box: if nothing waits in it, nothing is left of it; else the next process finds it."""
        self.tail.seal()
        if self.held and not self.peek(1, 1):
            remove_directory(self.path)
        self.abandon()

    def abandon(self) -> None:
        """Close its files here without a change to them, as a forked child must."""
        self.tail.close()
        self._stop_reading()
        while self._descriptors:
            with suppress(OSError):
                os.close(self._descriptors.pop())
        self.held, self._position = False, -1
