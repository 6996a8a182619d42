"""What is in an outbox, seen from outside: for people, without a change to it."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from headwater.capture.box import Box
from headwater.capture.notes import count_dropped, count_rejected
from headwater.capture.owner import list_directories, take_lock


@dataclass(frozen=True)
class BoxStatus:
    """One process's part of an outbox. `live` says that the process has it; else it waits to be adopted."""

    to: str | None
    live: bool
    pid: int
    program: str
    waiting: int
    bytes: int
    since: str


@dataclass(frozen=True)
class OutboxStatus:
    """An outbox: its boxes, the oldest first, and what will not be delivered."""

    directory: str
    boxes: list[BoxStatus]
    rejected: int
    dropped: int


def outbox_status(root: Path) -> OutboxStatus:
    """What waits in an outbox, and what was set aside or dropped."""
    boxes = [found for path in list_directories(root) if (found := _box_status(path)) is not None]
    return OutboxStatus(str(root), boxes, count_rejected(root), count_dropped(root))


def _box_status(path: Path) -> BoxStatus | None:
    box = Box.look(path)
    if box is None:
        return None
    try:
        size = sum(os.stat(path / segment.name).st_size for segment in box.segments)
        since = datetime.fromtimestamp(int(path.name.partition("-")[0]) / 1e9, UTC).isoformat(timespec="seconds")
    except (OSError, ValueError, OverflowError):
        return None
    finally:
        box.close()
    owner = box.owner
    return BoxStatus(owner.address, _is_live(path), owner.pid, owner.program, box.waiting, size, since)


def _is_live(path: Path) -> bool:
    lock = take_lock(path)
    if lock is not None:
        os.close(lock)
    return lock is None
