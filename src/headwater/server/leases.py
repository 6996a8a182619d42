"""Who is alive: leases that agents renew, and the watch that gives a run up when its lease has run out."""

import asyncio
import logging
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from headwater.errors import HeadwaterError
from headwater.openlineage.events import format_time
from headwater.server.http import Call, Route, Services
from headwater.server.marquez.answers import read_body
from headwater.store import leases
from headwater.store.read.history import runs
from headwater.store.read.names import resolve

WATCH_SECONDS = 1.0
ENDED = ("COMPLETED", "FAILED", "ABORTED")

log = logging.getLogger(__name__)


class NewLease(Struct):
    """For how long the run may be silent from now on."""

    seconds: Annotated[int, Meta(ge=1, le=86_400)]


class Lease(Struct, omit_defaults=True):
    """What the server thinks of the run. LOST: send an event to take it back; ended: no lease is kept."""

    state: str
    until: str | None = None


async def put_lease(call: Call) -> Lease:
    """Renew a run's lease without an event."""
    seconds = read_body(call, NewLease).seconds
    found = await call.read(resolve, f"run:{call.path['uuid']}")
    state = (await call.read(runs, [found.id]))[found.id].state
    if state in ENDED:
        return Lease(state)
    now = call.clock()
    await call.writer.run(lambda db: leases.renew(db, found.id, seconds, now))
    return Lease(state, format_time(now + seconds * 1_000_000))


class Watch:
    """Looks for lapsed leases while the server runs, and writes down which runs are lost."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, with the full time for every run that this server has not heard of yet."""
        self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        started = False
        while True:
            try:
                now = self._services.clock()
                if started:
                    await self._give_up(now)
                else:
                    await self._services.writer.run(partial(leases.extend_all, now=now))
                    started = True
            except HeadwaterError as error:  # the database is away; so are the answers to everyone else
                log.warning("cannot look for lost runs now: %s", error)
            except Exception:
                log.exception("looking for lost runs failed; trying again")
            await asyncio.sleep(WATCH_SECONDS)

    async def _give_up(self, now: int) -> None:
        found = await self._services.read(leases.lapsed, now)
        if not found:
            return
        lost = [leases.lost_note(one) for one in found if one.state == "RUNNING"]
        if lost:
            await self._services.writer.write(lost)
        ids = [one.run_id for one in found]
        await self._services.writer.run(lambda db: leases.release(db, ids, now))


ROUTES = (
    Route(
        "PUT",
        "/api/v2/runs/{uuid}/lease",
        put_lease,
        "say that a run is alive",
        body=NewLease,
        answer=Lease,
        tag="runs",
    ),
)
