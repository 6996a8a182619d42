"""The outbox: events on local disk until a backend has them, shared by any number of processes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from headwater.capture.box import SEGMENT_BYTES, Box
from headwater.capture.left import Left
from headwater.capture.limit import make_room, outbox_bytes
from headwater.capture.memory import Memory
from headwater.capture.notes import note_dropped
from headwater.capture.owner import remove_unfinished
from headwater.capture.place import MB
from headwater.capture.records import Rank, Record, frame

log = logging.getLogger(__name__)

SYNC_SECONDS = 1.0  # an event that waits longer than this survives a loss of power
SCAN_SECONDS = 15.0
OVERSHOOT = 1.1  # of the limit: beyond it events wait in memory until room is made
BATCH_EVENTS, BATCH_BYTES = 500, 4 * MB
PIECE = 50  # events written from memory at once

Source = Box | Memory


class Outbox:
    """One process's hold on an outbox. `add` is for any thread, the rest for the one that sends."""

    def __init__(self, root: Path, address: str | None, limit: int, *, adopt_all: bool = False) -> None:
        self.root, self.address, self.written, self.dropped = root, address, 0, 0
        self.scanned = False  # whether what was left by other processes is known
        self._limit = limit
        self._lock, self._adding, self._closed = threading.RLock(), False, False
        self._box: Box | None = None
        self._left = Left(root, address, adopt_all=adopt_all)
        self._memory, self._disk_is_bad = Memory(), False
        self._elsewhere = 0  # bytes on disk that are not of our own tail, when last looked at
        self._turn, self._synced = False, 0
        self._dirty_at: float | None = None
        self._scan_at = self._hasty_scan_at = self._write_at = 0.0

    @property
    def waiting(self) -> int:
        """Events that are not settled, those left by other processes included."""
        return self.own_waiting + self._left.waiting

    @property
    def own_waiting(self) -> int:
        """Events of this process that are not settled."""
        return (self._box.waiting if self._box else 0) + len(self._memory)

    # -- adding ------------------------------------------------------------------------------------

    def add(self, rank: Rank, body: bytes) -> bool:
        """Keep an event: on disk, or in memory while the disk takes none, without a word; False after `close`."""
        record = frame(rank, body)
        with self._lock:
            if self._closed:
                return False
            self.written += 1
            # Behind others in memory it keeps its place; and a signal handler may come here in the middle of this.
            if self._adding or self._memory or self._size() > self._limit * OVERSHOOT:
                self._remember(rank, body)
                return True
            self._adding = True
            try:
                self._own().tail.append(record)
                self._say_disk_is_good()
            except OSError as error:
                self._say_disk_is_bad(error)
                self._remember(rank, body)
            finally:
                self._adding = False
        return True

    def _own(self) -> Box:
        if self._box is None:
            self._box = Box.create(self.root, self.address, min(SEGMENT_BYTES, self._limit // 16))
        return self._box

    def _remember(self, rank: Rank, body: bytes) -> None:
        dropped = self._memory.append(rank, body)
        if dropped and not self.dropped:
            log.warning("lineage events are lost, the oldest RUNNING first: the disk takes none and memory is full")
        self.dropped += dropped

    def _size(self) -> int:
        return self._elsewhere + (self._box.tail.bytes if self._box else 0)

    def _say_disk_is_bad(self, error: OSError) -> None:
        if not self._disk_is_bad:
            log.warning(
                "lineage events cannot be written to %s (%s); they are kept in memory until they are sent; "
                "make room there, or name another directory with HEADWATER_OUTBOX",
                self.root,
                error,
            )
        self._disk_is_bad = True

    def _say_disk_is_good(self) -> None:
        if self._disk_is_bad:
            self._disk_is_bad = False
            log.info("lineage events are written to %s again", self.root)

    # -- for the sender ----------------------------------------------------------------------------

    def peek(self, *, own_only: bool = False) -> tuple[Source, list[Record]] | None:
        """The next records to send, and where to settle them. Own ones and those left by others take turns."""
        self._turn = not self._turn
        if own_only:
            return self._peek_own()
        if self._turn:
            return self._peek_own() or self._left.peek(BATCH_EVENTS, BATCH_BYTES)
        return self._left.peek(BATCH_EVENTS, BATCH_BYTES) or self._peek_own()

    def _peek_own(self) -> tuple[Source, list[Record]] | None:
        if self._box and (records := self._box.peek(BATCH_EVENTS, BATCH_BYTES)):
            return self._box, records
        with self._lock:
            records = self._memory.peek(BATCH_EVENTS, BATCH_BYTES)
        return (self._memory, records) if records else None

    def settle(self, source: Source, records: Sequence[Record]) -> None:
        """Let go of the oldest records of a source: they are stored elsewhere or set aside."""
        # A position that cannot be written down is right in memory; after a crash some events are sent again.
        with self._lock if source is self._memory else nullcontext(), suppress(OSError):
            source.settle(records)

    def keep(self, now: float) -> float:
        """Do what is due: write what is in memory, force to disk, adopt, make room. Seconds until it is due again."""
        if self._memory and now >= self._write_at:
            self._write_at = now + SYNC_SECONDS
            self._write_memory()
        if now >= self._scan_at or (self._size() > self._limit and now >= self._hasty_scan_at):
            self._scan_at, self._hasty_scan_at = now + SCAN_SECONDS, now + SYNC_SECONDS
            self._scan()
        return min(self._sync(now), SYNC_SECONDS if self._memory else SCAN_SECONDS)

    def _write_memory(self) -> None:
        end = time.monotonic() + SYNC_SECONDS / 2
        with self._lock:
            if self._box and not self._box.exists:  # someone has removed it
                self._left.boxes.append(self._box)
                self._box = None
        while self._memory and self._size() <= self._limit * OVERSHOOT and time.monotonic() < end:
            with self._lock:  # let go of between two pieces: whoever adds an event is not to wait long
                for record in self._memory.peek(PIECE):
                    try:
                        self._own().tail.append(frame(record.rank, record.body))
                    except OSError as error:
                        self._say_disk_is_bad(error)
                        return
                    self._memory.settle([record])
        if not self._memory:
            self._say_disk_is_good()

    def _sync(self, now: float) -> float:
        box = self._box
        if box is None or not box.waiting or box.tail.records == self._synced:
            self._dirty_at = None
            return SCAN_SECONDS
        if self._dirty_at is None:
            self._dirty_at = now
        elif now - self._dirty_at >= SYNC_SECONDS:
            self._synced, self._dirty_at = box.tail.records, None
            with suppress(OSError):
                box.tail.sync()
        return SYNC_SECONDS

    def _scan(self) -> None:
        """Look at the whole outbox: adopt what was left by processes that are gone, and keep to the limit."""
        with suppress(OSError):
            remove_unfinished(self.root, time.time())
            self._left.adopt(self._box)
            if outbox_bytes(self.root) > self._limit:
                self._make_room()
        self.scanned = True
        with self._lock:
            self._elsewhere = outbox_bytes(self.root) - (self._box.tail.bytes if self._box else 0)

    def _make_room(self) -> None:
        with self._lock:
            if self._box:
                self._box.tail.seal()
        dropped = {
            rank.name: count for rank, count in make_room(self.root, self._limit, self._boxes()).items() if count
        }
        if dropped:
            self.dropped += sum(dropped.values())
            said = ", ".join(f"{count} {name}" for name, count in dropped.items())
            log.warning("the outbox %s is over %d MB: dropped %s", self.root, self._limit // MB, said)
            note_dropped(self.root, "limit", dropped)

    # -- the end -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of everything; what is not settled is there for the next process."""
        with self._lock:
            self._closed = True
        self._write_memory()
        if self._memory:
            log.warning("%d lineage events were in memory only and are lost", len(self._memory))
        for box in self._boxes():
            with suppress(OSError):
                if box.waiting:
                    box.tail.sync()
            box.close()

    def abandon(self) -> None:
        """Close the files here and change nothing, as a forked child must."""
        for box in self._boxes():
            box.abandon()

    def _boxes(self) -> list[Box]:
        return [box for box in (self._box, *self._left.boxes) if box]
