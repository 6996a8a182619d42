"""Loading events from files: newline-delimited JSON or one JSON document, plain or gzip, where it left off."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from headwater.errors import HeadwaterError
from headwater.openlineage.events import BadEvent, Event, content_hash, decode_event
from headwater.store.database import Database
from headwater.store.fold import Fold
from headwater.store.session import Session, open_session
from headwater.store.writer import now_us

_EVENTS_PER_COMMIT = 1_000
_BYTES_PER_COMMIT = 16 * 1024 * 1024
_HEAD = 4_096  # bytes that tell whether a file is the one whose import was cut short


class Mark(msgspec.Struct):
    """How far a file has been imported."""

    head: str
    length: int  # of the part that `head` is a hash of
    offset: int  # for newline-delimited JSON, bytes; for one document, events


class Item(NamedTuple):
    """One event of a file: its bytes, and where to go on after it."""

    body: bytes
    offset: int


def import_file(
    database: Database,
    path: Path,
    *,
    restart: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    clock: Callable[[], int] = now_us,
) -> Counter[str]:
    """Store the events of `path`; counts of events, duplicates, rejected, and those skipped as done before.

    The place reached is committed with the events, so that an import that was cut short goes on from there.
    """
    session = open_session(database)
    try:
        with path.open("rb") as raw, _unpacked(raw) as file:
            return _import(session, file, str(path.resolve()), restart, progress, clock)
    except (OSError, EOFError, msgspec.DecodeError) as error:
        raise HeadwaterError(
            f"cannot read {path}: {error}; expected one event a line, or one JSON array of events"
        ) from None
    finally:
        session.rollback()
        session.close()


def _import(
    session: Session,
    file: BinaryIO,
    name: str,
    restart: bool,
    progress: Callable[[int], None],
    clock: Callable[[], int],
) -> Counter[str]:
    fold = Fold(session, late_after=None)
    head = file.read(_HEAD)
    mark = None if restart else _stored_mark(session, name, head)
    total: Counter[str] = Counter(resumed=mark.offset if mark else 0)
    mark = mark or Mark(content_hash(head).hex(), len(head), 0)
    for group in _groups(_items(file, head, mark.offset)):
        events, bad = _decode(group)
        fold.begin(events)
        _, counts = fold.apply(events, clock())
        for error, body in bad:
            fold.reject(str(error), error.field, body, clock())
        fold.flush_rejects()
        mark.offset = group[-1].offset
        _store_mark(session, name, mark)
        session.commit()
        total["rejected"] += len(bad)
        total["events"] += len(events) - counts.get("duplicate", 0)
        total.update(counts)
        progress(mark.offset)
    return total


def _decode(group: list[Item]) -> tuple[list[Event], list[tuple[BadEvent, bytes]]]:
    events: list[Event] = []
    bad: list[tuple[BadEvent, bytes]] = []
    for item in group:
        try:
            events.append(decode_event(item.body))
        except BadEvent as error:
            bad.append((error, item.body))
    return events, bad


def _unpacked(file: BufferedReader) -> AbstractContextManager[BinaryIO]:
    if file.peek(2)[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    return nullcontext(file)


def _items(file: BinaryIO, head: bytes, offset: int) -> Iterator[Item]:
    """Events from `offset` on, in whichever of the two forms the file has."""
    file.seek(0)
    if is_document(file, head):
        file.seek(0)
        text = file.read()
        array = text.lstrip()[:1] == b"["
        bodies = msgspec.json.decode(text, type=list[msgspec.Raw]) if array else [msgspec.Raw(text)]
        for index, body in enumerate(bodies[offset:], start=offset + 1):
            yield Item(bytes(body), index)
        return
    file.seek(offset)
    for line in file:
        if not line.endswith(b"\n") and not _is_json(line):
            return  # still being written; the next import reads it
        offset += len(line)
        if line.strip():
            yield Item(line.strip(), offset)


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def is_document(file: BinaryIO, head: bytes) -> bool:
    """Whether the file is one JSON document, rather than one event a line."""
    if head.lstrip()[:1] == b"[":
        return True
    first = next((line for line in file if line.strip()), b"")
    return first.strip()[:1] == b"{" and not first.strip().endswith(b"}")


def _groups(items: Iterator[Item]) -> Iterator[list[Item]]:
    group: list[Item] = []
    size = 0
    for item in items:
        group.append(item)
        size += len(item.body)
        if len(group) >= _EVENTS_PER_COMMIT or size >= _BYTES_PER_COMMIT:
            yield group
            group, size = [], 0
    if group:
        yield group


def _stored_mark(session: Session, name: str, head: bytes) -> Mark | None:
    rows = session.rows("SELECT value FROM meta WHERE key = ?", (_key(name),))
    session.rollback()
    if not rows:
        return None
    mark = msgspec.json.decode(rows[0][0], type=Mark)
    return mark if content_hash(head[: mark.length]).hex() == mark.head else None


def _store_mark(session: Session, name: str, mark: Mark) -> None:
    upsert = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    session.execute(upsert, [(_key(name), msgspec.json.encode(mark).decode())])


def _key(name: str) -> str:
    return "import:" + content_hash(name.encode(errors="surrogateescape")).hex()
