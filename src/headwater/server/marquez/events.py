"""The run events that were received, as they were sent."""

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Param, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, choice, page, time_or_none
from headwater.store.read.events import count_events, list_events

FOREVER = 2**62


class Events(Struct, rename="camel", gc=False):
    """A page of events."""

    events: list[msgspec.Raw]
    total_count: int


def get_events(call: Call, db: Connection) -> Events:
    limit, offset = page(call)
    after, before = time_or_none(call, "after"), time_or_none(call, "before")
    newest_first = choice(call, "sortDirection", {"DESC": True, "ASC": False}, True)
    start = after if after is not None else -FOREVER
    end = before if before is not None else FOREVER
    bodies = list_events(db, start, end, newest_first, limit, offset)
    return Events([msgspec.Raw(body) for body in bodies], count_events(db, start, end))


PARAMS = (
    Param("before", str, help="only events before this ISO-8601 time"),
    Param("after", str, help="only events at or after this ISO-8601 time"),
    Param("sortDirection", str, "desc", help="desc or asc"),
    LIMIT,
    OFFSET,
)
ROUTES = (
    Route(
        "GET",
        "/api/v1/events/lineage",
        get_events,
        "List received run events by event time",
        PARAMS,
        answer=Events,
        tag="Events",
    ),
    # Where the Python client looks for them.
    Route("GET", "/api/v1/events", get_events, "The same under its older path", PARAMS, answer=Events, tag="Events"),
)
