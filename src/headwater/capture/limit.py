"""The size limit of an outbox: what gives way when it is reached, and in which order."""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from headwater.capture.box import Box
from headwater.capture.owner import list_directories
from headwater.capture.position import Segment
from headwater.capture.records import HEADER, Rank, frame, read_records

LOCK_FILE = "limit.lock"
LOW_WATER = 0.9  # of the limit: room is made for a while, not for the next event only


def outbox_bytes(root: Path) -> int:
    """Bytes of all records in an outbox, of whatever process."""
    total = 0
    for directory in list_directories(root):
        with suppress(OSError), os.scandir(directory) as entries:
            total += sum(entry.stat().st_size for entry in entries if entry.name.endswith(".events"))
    return total


def make_room(root: Path, limit: int, ours: Sequence[Box]) -> Counter[Rank]:
    """Bring an outbox below its limit, and count the events that were dropped.

    The oldest unsent RUNNING events go first, of whatever process; then the oldest START, then the oldest ends.
    """
    dropped: Counter[Rank] = Counter()
    with _one_at_a_time(root) as alone:
        total = outbox_bytes(root)
        if not alone or total <= limit:
            return dropped
        need = total - int(limit * LOW_WATER)
        known = {box.path for box in ours}
        others = [Box.adopt(path) or Box.look(path) for path in list_directories(root) if path not in known]
        boxes = [*ours, *(box for box in others if box is not None)]
        try:
            for rank in Rank:
                for segment, box in _oldest_first(boxes):
                    if need <= 0:
                        return dropped
                    freed, count = _shed(box, segment, rank, need)
                    need -= freed
                    dropped[rank] += count
        finally:
            for box in boxes[len(ours) :]:
                box.close()
    return dropped


def _oldest_first(boxes: Sequence[Box]) -> list[tuple[Segment, Box]]:
    return sorted(((segment, box) for box in boxes for segment in box.segments), key=lambda pair: pair[0])


def _shed(box: Box, segment: Segment, rank: Rank, need: int) -> tuple[int, int]:
    """Bytes and events that go from one file. What a living process holds is left for that process to drop."""
    if box.tail.file is not None and box.tail.file.segment == segment:
        return 0, 0
    sizes = [size for found, size in box.walk(segment) if found == rank]
    if not sizes or not box.held:
        return sum(sizes), 0
    return _rewrite(box, segment, rank, need)


def _rewrite(box: Box, segment: Segment, rank: Rank, need: int) -> tuple[int, int]:
    """Write a file anew without its settled records, and without the oldest of a rank until enough is free."""
    replacement = Segment(segment.born, segment.generation + 1)
    unfinished = box.path / f"{replacement.name}.new"
    source = os.open(box.path / segment.name, os.O_RDONLY)
    try:
        size, start = os.fstat(source).st_size, box.start(segment)
        freed, dropped, kept = start, 0, 0
        with unfinished.open("wb") as target:
            for record in read_records(source, start, size):
                if record.rank == rank and freed < need:
                    freed += HEADER.size + len(record.body)
                    dropped += 1
                else:
                    kept += target.write(frame(record.rank, record.body))
            target.flush()
            os.fsync(target.fileno())
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    finally:
        os.close(source)
    if kept:
        unfinished.rename(box.path / replacement.name)
    else:
        unfinished.unlink()
    box.forget(segment, replacement if kept else None, dropped)
    return size - kept, dropped


@contextmanager
def _one_at_a_time(root: Path) -> Iterator[bool]:
    """Whether this process alone makes room now: two at once would drop twice as much."""
    lock = os.open(root / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)
