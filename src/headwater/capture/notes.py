"""Notes of what could not be delivered: one JSON line each, in files that people read."""

import fcntl
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

REJECTED_FILE = "rejected.ndjson"
DROPPED_FILE = "dropped.ndjson"
LARGEST_FILE = 64 * 1024 * 1024  # then it becomes .old, in place of the .old before
LONGEST_ANSWER = 2_000


def note_rejected(root: Path, address: str, status: int, answer: str, body: bytes) -> None:
    """Set an event aside with what the backend said of it. OSError if the disk does not allow it."""
    line = {"at": _now(), "address": address, "status": status, "answer": answer[:LONGEST_ANSWER]}
    # As it was sent: the event is text to anyone but the backend, which may have refused it for not being JSON.
    _append(root / REJECTED_FILE, {**line, "event": body.decode("utf-8", "replace")})


def note_dropped(root: Path, reason: str, counts: dict[str, int]) -> None:
    """Say how many events were dropped and why. OSError if the disk does not allow it."""
    _append(root / DROPPED_FILE, {"at": _now(), "reason": reason, "dropped": counts})


def count_rejected(root: Path) -> int:
    """Events that were set aside and are still in the files."""
    return sum(1 for _ in _lines(root / REJECTED_FILE))


def count_dropped(root: Path) -> int:
    """Events that were dropped, as far as the files go back."""
    return sum(sum(line.get("dropped", {}).values()) for line in map(_decode, _lines(root / DROPPED_FILE)))


def _append(path: Path, line: dict[str, Any]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        data = msgspec.json.encode(line) + b"\n"
        size = os.fstat(descriptor).st_size
        if os.write(descriptor, data) < len(data):
            os.ftruncate(descriptor, size)
        elif size + len(data) > LARGEST_FILE:
            path.rename(path.with_suffix(".ndjson.old"))
    finally:
        os.close(descriptor)


def _lines(path: Path) -> list[bytes]:
    found: list[bytes] = []
    for file in (path.with_suffix(".ndjson.old"), path):
        with suppress(OSError):
            found += file.read_bytes().splitlines()
    return found


def _decode(line: bytes) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(line)
    except msgspec.MsgspecError:
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
