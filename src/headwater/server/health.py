"""Is it up, can it work, and how much has it done: for whatever watches a server."""

import resource
import sys
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from headwater import __version__
from headwater.server.http import Answer, Call, Route

TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


class Health(Struct):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Ready(Struct):
    """Whether it can do its work; every check says "ok" or what is wrong."""

    status: Literal["ok", "not ready"]
    checks: dict[str, str]


async def get_health(_call: Call) -> Health:
    """Alive: the process answers."""
    return Health("ok", __version__)


async def get_ready(call: Call) -> Answer:
    """Ready: the database answers, the writer lives and keeps up. 503 if not."""
    checks = {"database": "ok", "writer": _writer_state(call)}
    try:
        await call.read(lambda db: db.execute(text("SELECT 1")).scalar())
    except SQLAlchemyError as error:
        checks["database"] = f"does not answer: {type(error).__name__}"
    ready = all(state == "ok" for state in checks.values())
    return Answer(Ready("ok" if ready else "not ready", checks), 200 if ready else 503)


def _writer_state(call: Call) -> str:
    if not call.writer.alive:
        return "has stopped; restart the server and read its log"
    if call.writer.depth >= call.settings.queue:
        return f"is behind: {call.writer.depth} events wait, at most {call.settings.queue} may"
    return "ok"


async def get_metrics(call: Call) -> Answer:
    """Counters and gauges as Prometheus reads them."""
    return Answer("".join(_lines(call)).encode(), media_type=TEXT_FORMAT)


def _lines(call: Call) -> Iterator[str]:
    for name, value in sorted(call.writer.counters.items()):
        known = name.replace("-", "_")
        yield from _metric(f"headwater_{known}_total", "counter", COUNTERS.get(known, name), value)
    yield from _metric("headwater_queue_events", "gauge", "events waiting for the writer", call.writer.depth)
    yield from _metric("headwater_inflight_bytes", "gauge", "bytes held", call.services.inflight.held)
    clients = call.services.changes.clients
    yield from _metric("headwater_change_streams", "gauge", "clients that follow the changes", clients)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = usage.ru_utime + usage.ru_stime
    yield from _metric("process_cpu_seconds_total", "counter", "processor time used", round(seconds, 3))
    # Linux counts in KiB, macOS in bytes.
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    yield from _metric("process_max_resident_memory_bytes", "gauge", "most memory held so far", peak)
    yield from _metric("headwater_info", "gauge", "the release", 1, f'{{version="{__version__}"}}')


COUNTERS = {
    "events": "events stored",
    "commits": "transactions that stored them",
    "duplicate": "events that were stored already",
    "rejected": "events refused as not valid",
    "late": "events that came long after they happened",
    "out_of_order": "events older than one already stored of the same run",
    "invalid_facet": "facets that break their schema",
}


def _metric(name: str, kind: str, help: str, value: float, labels: str = "") -> Iterator[str]:
    yield f"# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{labels} {value}\n"


ROUTES = (
    Route("GET", "/health", get_health, "is the process alive", answer=Health, tag="operation"),
    Route("GET", "/ready", get_ready, "can it do its work", answer=Ready, tag="operation"),
    Route(
        "GET",
        "/metrics",
        get_metrics,
        "figures for Prometheus",
        answer=str,
        tag="operation",
        media_type=TEXT_FORMAT,
    ),
)
