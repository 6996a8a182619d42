"""The one thread that writes: concurrent senders share a commit, and each hears back when theirs is on disk."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, update

from headwater.errors import HeadwaterError
from headwater.openlineage.events import BadEvent, Event
from headwater.settings import Settings
from headwater.store import tables
from headwater.store.database import Database
from headwater.store.fold import Fold
from headwater.store.session import open_session

log = logging.getLogger(__name__)
T = TypeVar("T")

_EVENTS_PER_COMMIT = 500
_BYTES_PER_COMMIT = 32 * 1024 * 1024
# Senders fall into two groups, each sending while the other's commit is under way; a short wait joins them.
# One that is alone never waits.
_LINGER_SECONDS = 0.0004


def now_us() -> int:
    """Microseconds since the epoch."""
    return time.time_ns() // 1000


class Overloaded(HeadwaterError):
    """More is waiting to be written than the queue holds; send it again after `retry_after` seconds."""

    def __init__(self, waiting: int, retry_after: int = 1) -> None:
        super().__init__(f"{waiting} events are waiting to be written; send this again in {retry_after} s")
        self.retry_after = retry_after


class Unreachable(Overloaded):
    """The database does not answer; nothing was stored."""

    def __init__(self) -> None:
        HeadwaterError.__init__(self, "the database cannot be reached, and nothing was stored; send this again in 5 s")
        self.retry_after = 5


class WriteFailed(HeadwaterError):
    """An event that the database would not take."""


class _Work:
    """Something to write, and who waits for it."""

    __slots__ = ("events", "future", "loop", "result", "size")

    def __init__(self, future: asyncio.Future[Any], events: Sequence[Event] = ()) -> None:
        self.future = future
        self.loop = future.get_loop()
        self.events = events
        self.size = len(events[0].body) if len(events) == 1 else sum(len(event.body) for event in events)
        self.result: Any = None


class _Command(_Work, Generic[T]):
    """A write that is no event; it has a transaction of its own."""

    __slots__ = ("call",)

    def __init__(self, future: asyncio.Future[T], call: Callable[[], T]) -> None:
        super().__init__(future)
        self.call = call


class Writer:
    """Owns the write connection. Every write of a server goes through one of these."""

    def __init__(self, database: Database, settings: Settings, clock: Callable[[], int] = now_us) -> None:
        self._limit = settings.queue
        self._clock = clock
        self._database = database
        self._late_after = settings.late_after * 1_000_000
        self._open()
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="headwater-writer", daemon=True)
        self._listeners: list[Callable[[int], None]] = []
        self._running = self._closing = False
        self._door = threading.Lock()
        self._recent: deque[int] = deque((1, 1), maxlen=2)  # how many senders shared each of the last commits
        self._sent = self._answered = 0  # events; each is counted by one thread only
        self.counters: Counter[str] = Counter()

    def start(self) -> None:
        """Begin to write."""
        self._running = True
        self._thread.start()

    def close(self) -> None:
        """Write what is waiting, then stop."""
        if not self._closing:
            with self._door:
                self._closing = True
                self._queue.put(None)
            if self._thread.ident is not None:
                self._thread.join()
            self._session.close()

    def _open(self) -> None:
        self._lost = True
        self._session = open_session(self._database)
        self._lost = False
        self._fold = Fold(self._session, self._late_after)

    @property
    def depth(self) -> int:
        """Events that wait to be written."""
        return self._sent - self._answered

    @property
    def alive(self) -> bool:
        """Whether writes are being served."""
        return self._running and not self._closing

    def on_commit(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Call `listener` with the last event id after each commit, in the writer thread; returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- for senders ---------------------------------------------------------------------------------

    async def write(self, events: Sequence[Event]) -> None:
        """Return when `events` are on disk; Overloaded if too much is waiting already."""
        if self.depth + len(events) > self._limit and self.depth:
            raise Overloaded(self.depth)
        await self._submit(_Work(asyncio.get_running_loop().create_future(), events))

    async def reject(self, errors: Sequence[BadEvent], bodies: Sequence[bytes]) -> None:
        """Keep bad input where people can see it."""

        def keep() -> None:
            self._fold.begin()
            now = self._clock()
            for error, body in zip(errors, bodies, strict=True):
                self._fold.reject(str(error), error.field, body, now)
            self._fold.flush_rejects()
            self._session.commit()
            self.counters["rejected"] += len(errors)

        await self.call(keep)

    async def namespace(self, name: str, owner: str | None, description: str | None) -> None:
        """Make or change a namespace."""

        def make() -> None:
            self._fold.begin()
            id = self._fold.namespace(name, self._clock())
            self._session.commit()
            with self._session.connection.begin():
                change = update(tables.namespace).where(tables.namespace.c.id == id)
                self._session.connection.execute(change.values(owner=owner, description=description))

        await self.call(make)

    async def run(self, command: Callable[[Connection], T]) -> T:
        """An administrative write, in a transaction of its own."""

        def execute() -> T:
            with self._session.connection.begin():
                return command(self._session.connection)

        return await self.call(execute)

    async def call(self, function: Callable[[], T]) -> T:
        """Run `function` in the writer thread, between two commits."""
        result: T = await self._submit(_Command(asyncio.get_running_loop().create_future(), function))
        return result

    async def _submit(self, work: _Work) -> Any:
        with self._door:  # nothing may be queued behind the end
            if not self.alive:
                raise Overloaded(self.depth, retry_after=5)
            self._sent += len(work.events)
            self._queue.put(work)
        return await work.future

    # -- the thread ----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._serve()
        finally:
            self._running = False

    def _serve(self) -> None:
        while (work := self._queue.get()) is not None:
            if isinstance(work, _Command):
                self._do([work], work.call)
                continue
            group, follow_up = self._gather(work)
            self._do(group, partial(self._write, [event for item in group for event in item.events]))
            if isinstance(follow_up, _Command):
                self._do([follow_up], follow_up.call)
            elif follow_up is _STOP:
                return

    def _gather(self, first: _Work) -> tuple[list[_Work], _Work | object | None]:
        """Whatever else waits already, up to a commit's worth; what ended the search, if it is no event."""
        if self._queue.qsize() + 1 < sum(self._recent) > 2:
            time.sleep(_LINGER_SECONDS)
        group, follow_up = self._take(first)
        self._recent.append(len(group))
        return group, follow_up

    def _take(self, first: _Work) -> tuple[list[_Work], _Work | object | None]:
        group, events, size = [first], len(first.events), first.size
        while events < _EVENTS_PER_COMMIT and size < _BYTES_PER_COMMIT:
            try:
                work = self._queue.get_nowait()
            except queue.Empty:
                return group, None
            if work is None:
                return group, _STOP
            if isinstance(work, _Command):
                return group, work
            group.append(work)
            events += len(work.events)
            size += work.size
        return group, None

    def _do(self, group: list[_Work], action: Callable[[], Any]) -> None:
        try:
            result = action()
        except Exception as error:
            reopened = self._recover(error)
            if len(group) > 1 or (reopened and group[0].events):
                for (
                    work
                ) in group:  # one bad event must not fail its neighbours; a copy that was stored is not stored again
                    self._try_again(work)
                return
            self._answer(group, None, Unreachable() if self._lost else error)
        else:
            self._answer(group, result, None)

    def _try_again(self, work: _Work) -> None:
        try:
            self._write(work.events)
        except Exception as error:
            self._recover(error)
            self._answer([work], None, Unreachable() if self._lost else error)
        else:
            self._answer([work], None, None)

    def _write(self, events: Sequence[Event]) -> None:
        session, fold = self._session, self._fold
        fold.begin(events)
        last, counts = fold.apply(events, self._clock())
        session.commit()
        self.counters["events"] += len(events) - counts.get("duplicate", 0)
        self.counters["commits"] += 1
        self.counters.update(counts)
        if last:
            self._tell(last)

    def _tell(self, last: int) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(last)
            except Exception:  # what is committed is committed
                log.exception("a listener failed after a commit")

    def _recover(self, error: Exception) -> bool:
        """Make the session usable again; True if that took a new connection."""
        log.error("a write failed and was rolled back: %s", error, exc_info=not isinstance(error, HeadwaterError))
        self._fold.forget()
        try:
            self._session.rollback()
        except Exception:
            return self._reconnect()
        return False

    def _reconnect(self) -> bool:
        with suppress(Exception):  # it is broken, and closing may say so again
            self._session.close()
        try:
            self._open()
        except Exception as error:
            log.error("the database cannot be reached: %s", error)
            return False
        return True

    def _answer(self, group: Iterable[_Work], result: Any, error: Exception | None) -> None:
        """Wake everyone who waits, with one call an event loop."""
        by_loop: dict[asyncio.AbstractEventLoop, list[_Work]] = {}
        for work in group:
            self._answered += len(work.events)
            by_loop.setdefault(work.loop, []).append(work)
        for loop, works in by_loop.items():
            with suppress(RuntimeError):  # the loop is gone, and so are those who waited
                loop.call_soon_threadsafe(_resolve, works, result, error)


_STOP = object()


def _resolve(works: list[_Work], result: Any, error: Exception | None) -> None:
    for work in works:
        if work.future.done():
            continue
        if error is None:
            work.future.set_result(result)
        elif isinstance(error, HeadwaterError):
            work.future.set_exception(error)
        else:
            work.future.set_exception(WriteFailed(f"the database refused this: {error}"))
