"""The server as one ASGI app: every route, listed once, and what starts and stops with it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from headwater.server import (
    changes,
    datasets,
    diagnostics,
    events,
    findings,
    graph,
    health,
    jobs,
    leases,
    marquez,
    pages,
    runs,
    search,
    streams,
    web,
)
from headwater.server.changes import Changes
from headwater.server.events import LINEAGE, EventsIn
from headwater.server.http import Receive, Route, Router, Scope, Send, Services
from headwater.server.openapi import with_documentation
from headwater.settings import Settings
from headwater.store.database import Database
from headwater.store.writer import Writer, now_us

_OWN = (
    *events.ROUTES,
    *pages.ROUTES,
    *graph.ROUTES,
    *jobs.ROUTES,
    *datasets.ROUTES,
    *runs.ROUTES,
    *leases.ROUTES,
    *changes.ROUTES,
    *streams.ROUTES,
    *diagnostics.ROUTES,
    *findings.ROUTES,
    *health.ROUTES,
    *search.ROUTES,
    *marquez.ROUTES,
)
ROUTES = with_documentation(_OWN)

READERS = 8


class App:
    """ASGI entry. Owns the threads that read; closes the writer and the database when the server stops."""

    def __init__(self, services: Services, pool: ThreadPoolExecutor, routes: Sequence[Route] = ROUTES) -> None:
        self.services = services
        self._pool = pool
        self._router = Router((*routes, *web.ROUTES), services)
        self._events_in = EventsIn(services)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if scope["path"] == LINEAGE and scope["method"] == "POST":
                await self._events_in(scope, receive, send)
            else:
                await self._router(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    def end_streams(self) -> None:
        """Let go of clients that only wait, so that a stopping server need not wait for them."""
        self.services.changes.close()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self.services.writer.start()
        self.services.changes = Changes(self.services)
        self.services.changes.start()
        watch = leases.Watch(self.services)
        watch.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        watch.close()
        self.end_streams()
        await asyncio.to_thread(self._close)
        await send({"type": "lifespan.shutdown.complete"})

    def _close(self) -> None:
        self.services.writer.close()
        self._pool.shutdown()
        self.services.db.close()


def create_app(
    database: Database,
    writer: Writer,
    settings: Settings,
    clock: Callable[[], int] = now_us,
    more: Sequence[Route] = (),
) -> App:
    """The ASGI app over an open database, with `more` routes. Its lifespan starts the writer; its end closes both."""
    pool = ThreadPoolExecutor(READERS, thread_name_prefix="read")
    routes = with_documentation((*_OWN, *more)) if more else ROUTES
    return App(Services(database, writer, settings, pool, clock), pool, routes)
