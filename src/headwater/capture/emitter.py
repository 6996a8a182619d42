"""The emitter: takes an event, returns at once, and sees to it that the backend gets it."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from headwater.capture.backend import Backend
from headwater.capture.delivery import Delivery
from headwater.capture.destination import Destination, destination_of, read_destination
from headwater.capture.outbox import Outbox
from headwater.capture.place import DEFAULT_LIMIT, outbox_directory, outbox_limit
from headwater.capture.records import LARGEST, rank_of
from headwater.capture.sender import Sender
from headwater.errors import SettingError

log = logging.getLogger(__name__)

DRAIN_SECONDS = 5.0  # that the end of a process may be held up
COURTESY_SECONDS = 1.0  # of them, for events that are not this process's
SAID_FAULTS = 5  # events that cannot be delivered are all counted, and the first of them said


@dataclass(frozen=True)
class Stats:
    """What became of events since the emitter was made; those of processes that are gone count from adoption."""

    written: int = 0
    sent: int = 0
    rejected: int = 0
    waiting: int = 0
    dropped: int = 0

    def then(self, later: Stats) -> Stats:
        """Both together; what waits is what waited last."""
        return Stats(
            self.written + later.written,
            self.sent + later.sent,
            self.rejected + later.rejected,
            later.waiting,
            self.dropped + later.dropped,
        )


class _Engine(NamedTuple):
    outbox: Outbox
    sender: Sender

    def stats(self) -> Stats:
        outbox, sender = self
        return Stats(outbox.written, sender.sent, sender.rejected, outbox.waiting, outbox.dropped)


def open_emitter(
    env: Mapping[str, str] | None = None, cwd: Path | None = None, transport: Mapping[str, Any] | None = None
) -> Emitter:
    """An emitter by the settings, or by those of an http transport that the caller has found.

    A wrong setting is said in the log, once, and events then wait on disk.
    """
    env = os.environ if env is None else env
    directory = outbox_directory(env)
    destination, limit, disabled = None, DEFAULT_LIMIT, False
    try:
        limit = outbox_limit(env)
        if transport:
            destination = destination_of(transport, "the transport's settings")
        else:
            destination = read_destination(env, cwd or Path.cwd())
            disabled = destination is None
    except (SettingError, OSError) as error:  # OSError: of a working directory that is gone
        log.warning("%s; until then lineage events wait in %s", error, directory)
    return Emitter(destination, directory, limit=limit, disabled=disabled)


class Emitter:
    """Delivers events durably. It can be used by any thread, after a fork, and in a signal handler."""

    def __init__(
        self,
        destination: Destination | None,
        directory: Path,
        *,
        limit: int = DEFAULT_LIMIT,
        drain_seconds: float = DRAIN_SECONDS,
        adopt_all: bool = False,
        disabled: bool = False,
    ) -> None:
        self.destination, self.directory = destination, directory
        self._limit, self._drain_seconds, self._adopt_all = limit, drain_seconds, adopt_all
        self._disabled = disabled
        self._past = Stats()
        self._lock = threading.RLock()
        self._engine: _Engine | None = None
        if not disabled:
            _emitters.add(self)
            self._running()  # at once, for what was left by processes that are gone

    def emit(self, event: Mapping[str, Any] | bytes | str | object) -> bool:
        """Keep an event until the backend has it; False, and a word in the log, if it is no event. Never raises."""
        if self._disabled:
            return False
        try:
            body = encode(event)
            rank = rank_of(body)
            if len(body) > LARGEST:
                raise ValueError(f"it has {len(body)} bytes; at most {LARGEST} can be delivered")
            engine = self._running()
            while not engine.outbox.add(rank, body):  # closed by another thread meanwhile
                engine = self._running()
            engine.sender.wake()
        except Exception as error:
            # Whatever it is, the job whose lineage this is goes on.
            self._past = replace(self._past, dropped=self._past.dropped + 1)
            if self._past.dropped <= SAID_FAULTS:
                log.warning("a lineage event cannot be delivered: %s", error)
            return False
        return True

    def stats(self) -> Stats:
        """How many events were written, sent, rejected, are waiting and were dropped."""
        past, engine = self._past, self._engine
        return past if engine is None else past.then(engine.stats())

    def flush(self, timeout: float | None = None, *, everything: bool = False) -> bool:
        """Wait until every event of this process is sent or refused, or the time is up; True if they are.

        With `everything`, also the events that processes which are gone have left for this backend.
        """
        engine = self._engine
        return engine is None or engine.sender.drain(_deadline(timeout), everything=everything)

    def close(self, timeout: float | None = None) -> bool:
        """Wait as `flush` does, and then stop; what is not sent stays on disk. An event after this starts it again.

        Time that is left goes to what other processes have left; True says that this process's events are sent.
        """
        return self._close(_deadline(self._drain_seconds if timeout is None else timeout), patient=True)

    def _close(self, deadline: float, *, patient: bool) -> bool:
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is None:
            return True
        done = engine.sender.drain(deadline, patient=patient)
        if done and engine.outbox.waiting:
            last = deadline if patient else min(deadline, time.monotonic() + COURTESY_SECONDS)
            engine.sender.drain(last, patient=False, everything=True)
        engine.sender.stop(deadline)
        atexit.unregister(self._at_exit)
        self._past = self._past.then(engine.stats())
        return done

    def _running(self) -> _Engine:
        if self._engine is None:
            with self._lock:
                if self._engine is None:
                    self._engine = self._start()
        return self._engine

    def _start(self) -> _Engine:
        address = self.destination.address if self.destination else None
        outbox = Outbox(self.directory, address, self._limit, adopt_all=self._adopt_all)
        sender = Sender(outbox, Delivery(Backend(self.destination)) if self.destination else None)
        try:
            sender.start()
            atexit.register(self._at_exit)
        except RuntimeError:
            pass  # the interpreter is ending and takes no new thread: events wait on disk
        return _Engine(outbox, sender)

    def _at_exit(self) -> None:
        self._close(_deadline(self._drain_seconds), patient=False)

    def _after_fork(self) -> None:
        """In the child: the files and the thread are the parent's; the next event starts our own."""
        engine, self._engine = self._engine, None
        self._lock, self._past = threading.RLock(), Stats()
        if engine is not None:
            engine.outbox.abandon()


def encode(event: Mapping[str, Any] | bytes | str | object) -> bytes:
    """An event as JSON; bytes and text are taken as they are."""
    if isinstance(event, str):
        event = event.encode()
    if isinstance(event, bytes | bytearray | memoryview):
        return bytes(event).strip()  # so that it is the same event whether it is sent alone or among others
    return msgspec.json.encode(event, enc_hook=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _deadline(timeout: float | None) -> float:
    return float("inf") if timeout is None or timeout < 0 else time.monotonic() + timeout


_emitters: weakref.WeakSet[Emitter] = weakref.WeakSet()


def drain_all() -> None:
    """Close every emitter as the end of the process does, for one that ends without its exit handlers."""
    for emitter in tuple(_emitters):
        emitter._at_exit()


def _after_fork() -> None:
    for emitter in tuple(_emitters):
        emitter._after_fork()


os.register_at_fork(after_in_child=_after_fork)
