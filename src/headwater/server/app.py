"""The server as one ASGI app: every route, listed once, and what starts and stops with it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from headwater.server import changes, datasets, diagnostics, events, graph, health, jobs, leases, marquez, runs, search
from headwater.server.changes import Changes
from headwater.server.events import LINEAGE, EventsIn
from headwater.server.http import Receive, Router, Scope, Send, Services
from headwater.server.openapi import with_documentation
from headwater.settings import Settings
from headwater.store.database import Database
from headwater.store.writer import Writer, now_us

ROUTES = with_documentation(
    (
        *events.ROUTES,
        *graph.ROUTES,
        *jobs.ROUTES,
        *datasets.ROUTES,
        *runs.ROUTES,
        *leases.ROUTES,
        *changes.ROUTES,
        *diagnostics.ROUTES,
        *health.ROUTES,
        *search.ROUTES,
        *marquez.ROUTES,
    )
)

READERS = 8


class App:
    """ASGI entry. Owns the threads that read; closes the writer and the database when the server stops."""

    def __init__(self, services: Services, pool: ThreadPoolExecutor) -> None:
        self.services = services
        self._pool = pool
        self._router = Router(ROUTES, services)
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


def create_app(database: Database, writer: Writer, settings: Settings, clock: Callable[[], int] = now_us) -> App:
    """The ASGI app over an open database. Its lifespan starts the writer; its end drains and closes both."""
    pool = ThreadPoolExecutor(READERS, thread_name_prefix="read")
    return App(Services(database, writer, settings, pool, clock), pool)
