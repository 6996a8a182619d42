"""What happens, as it happens: one server-sent event for each stored event, in order, resumable.

A client is only a position in the log. New events are read once for all who wait and kept for a while; one
that is further behind reads from the database at its own pace, so a slow client costs no memory.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, func, select

from headwater.openlineage.events import DATASET_EVENT, JOB_EVENT, format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Answer, Call, HttpError, Param, Route, Services
from headwater.store import tables as t

PAGE = 500
KEPT = 5_000
HEARTBEAT_SECONDS = 15.0
RETRY_MS = 2_000

Entry = tuple[int, bytes]


class Change(Struct, omit_defaults=True):
    """The data of one server-sent event; its id is the event's, its name run, job or dataset."""

    type: str
    eventTime: str
    job: str | None = None
    run: str | None = None
    state: str | None = None
    dataset: str | None = None


class Changes:
    """Tells every waiting client of new events. Lives on the loop that serves."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._recent: list[Entry] = []
        self._last = 0
        self.clients = 0
        self._told = False
        self._closed = False
        self._wake = asyncio.Event()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Listen to the writer."""
        loop = asyncio.get_running_loop()

        def committed(_last_id: int) -> None:
            if self.clients and not self._told:
                self._told = True
                loop.call_soon_threadsafe(self._wake.set)

        self._stop_listening = self._services.writer.on_commit(committed)
        self._task = asyncio.create_task(self._follow())

    def close(self) -> None:
        """End every stream; a client that comes back resumes where it was."""
        if self._closed:
            return
        self._closed = True
        self._stop_listening()
        if self._task is not None:
            self._task.cancel()
        self._announce()

    async def stream(self, after: int | None) -> AsyncGenerator[bytes, None]:
        """Server-sent events after an event id; None is from now on."""
        self.clients += 1
        try:
            last = await self._services.read(_last_id)
            if self.clients == 1:
                # Nobody was told of what came before, so the kept events have a gap here.
                self._recent, self._last = [], last
            position = last if after is None else after
            yield b"retry: %d\n\n" % RETRY_MS
            while not self._closed:
                news = self._news
                page = self._kept(position)
                if not page and position < self._last:
                    page = await self._services.read(_page, position)
                if page:
                    position = page[-1][0]
                    yield b"".join(data for _, data in page)
                    continue
                try:
                    await asyncio.wait_for(news.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self.clients -= 1

    def _kept(self, position: int) -> list[Entry]:
        """What comes after a position, from the events kept, if they go back far enough."""
        if not self._recent or self._recent[0][0] > position + 1:
            return []
        start = bisect_right(self._recent, position, key=itemgetter(0))
        return self._recent[start : start + PAGE]

    async def _follow(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            self._told = False
            while page := await self._services.read(_page, self._last):
                self._recent += [entry for entry in page if entry[0] > self._last]
                self._last = self._recent[-1][0]
                if len(self._recent) > 2 * KEPT:
                    del self._recent[:-KEPT]
                self._announce()

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def _last_id(db: Connection) -> int:
    return db.execute(select(func.max(t.event.c.id))).scalar() or 0


def _page(db: Connection, after: int) -> list[Entry]:
    """The next events after an id, as server-sent events."""
    e, j, r, d = t.event.c, t.job.c, t.run.c, t.dataset.c
    job_space, dataset_space = t.namespace.alias(), t.namespace.alias()
    query = (
        select(
            e.id,
            e.type,
            e.event_time,
            r.uuid,
            r.state,
            j.name.label("job"),
            job_space.c.name.label("job_namespace"),
            d.name.label("dataset"),
            dataset_space.c.name.label("dataset_namespace"),
        )
        .select_from(t.event)
        .outerjoin(t.run, r.id == e.run_id)
        .outerjoin(t.job, j.id == e.job_id)
        .outerjoin(job_space, job_space.c.id == j.namespace_id)
        .outerjoin(t.dataset, d.id == e.dataset_id)
        .outerjoin(dataset_space, dataset_space.c.id == d.namespace_id)
        .where(e.id > after)
        .order_by(e.id)
        .limit(PAGE)
    )
    return [(row.id, _entry(row)) for row in db.execute(query)]


def _entry(row: Any) -> bytes:
    name = {JOB_EVENT: b"job", DATASET_EVENT: b"dataset"}.get(row.type, b"run")
    is_run = name == b"run" and row.uuid is not None
    change = Change(
        row.type,
        format_time(row.event_time),
        None if row.job is None else canonical(Kind.JOB, row.job_namespace, row.job),
        str(UUID(bytes=bytes(row.uuid))) if is_run else None,
        row.state if is_run else None,
        None if row.dataset is None else canonical(Kind.DATASET, row.dataset_namespace, row.dataset),
    )
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (row.id, name, msgspec.json.encode(change))


async def get_changes(call: Call) -> Answer:
    """Follow what happens. Resumes after the Last-Event-ID header or ?since=; without either, from now on."""
    since: int | None = call.get("since")
    resumed = call.headers.get("last-event-id", "")
    if resumed:
        if not resumed.isascii() or not resumed.isdigit() or len(resumed) > 15:
            raise HttpError(400, f"Last-Event-ID is {resumed!r}; expected the id of an event, a number")
        since = int(resumed)
    headers = {"cache-control": "no-cache", "x-accel-buffering": "no"}
    return Answer(call.services.changes.stream(since), headers=headers, media_type="text/event-stream")


ROUTES = (
    Route(
        "GET",
        "/api/v2/changes",
        get_changes,
        "follow what happens, as server-sent events",
        params=(Param("since", int, help="start after this event id; 0 is from the first", maximum=2**53),),
        answer=Change,
        tag="changes",
        media_type="text/event-stream",
    ),
)
