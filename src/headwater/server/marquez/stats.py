"""Counts for the dashboard: the last 24 hours by hour, or the last 7 days by day in a time zone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct
from sqlalchemy import Connection, Table

from headwater.server.http import Call, HttpError, Param, Route
from headwater.server.marquez.answers import choice
from headwater.server.marquez.ids import moment
from headwater.store.read.stats import events_by_type, totals
from headwater.store.tables import dataset, job, source

HOUR = 3_600_000_000
PERIODS = {"DAY": "DAY", "WEEK": "WEEK"}


class LineageMetric(Struct, rename="camel", gc=False):
    """Events of one interval by type."""

    start_interval: datetime
    end_interval: datetime
    fail: int
    start: int
    complete: int
    abort: int


class IntervalMetric(Struct, rename="camel", gc=False):
    """How many there were at the end of one interval."""

    start_interval: datetime
    end_interval: datetime
    count: int


def get_lineage_events(call: Call, db: Connection) -> list[LineageMetric]:
    bounds = _bounds(call)
    counts = events_by_type(db, bounds)
    return [
        LineageMetric(
            moment(start),
            moment(end),
            found.get("FAIL", 0),
            found.get("START", 0),
            found.get("COMPLETE", 0),
            found.get("ABORT", 0),
        )
        for start, end, found in zip(bounds, bounds[1:], counts, strict=False)
    ]


def _counts(table: Table) -> Callable[[Call, Connection], list[IntervalMetric]]:
    def get(call: Call, db: Connection) -> list[IntervalMetric]:
        bounds = _bounds(call)
        return [
            IntervalMetric(moment(start), moment(end), count)
            for start, end, count in zip(bounds, bounds[1:], totals(db, table, bounds), strict=False)
        ]

    return get


def _bounds(call: Call) -> list[int]:
    """The edges of the intervals, in microseconds."""
    period, now = choice(call, "period", PERIODS, ""), call.clock()
    if period == "DAY":
        hour = now - now % HOUR
        return [hour + HOUR * n for n in range(-23, 2)]
    if period == "WEEK":
        zone = _zone(call.first("timezone") or "UTC")
        today = moment(now).astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        days = [(today + timedelta(days=n)).astimezone(UTC) for n in range(-6, 2)]
        return [round(day.timestamp()) * 1_000_000 for day in days]
    raise HttpError(400, "query param period must be one of [DAY, WEEK]")


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise HttpError(400, f"query param timezone is {name!r}; expected a name such as Europe/London") from None


PARAMS = (
    Param("period", str, required=True, help="DAY: 24 hours by hour; WEEK: 7 days by day"),
    Param("timezone", str, "UTC", help="where days begin, such as Europe/London"),
)
ROUTES = (
    Route(
        "GET",
        "/api/v1/stats/lineage-events",
        get_lineage_events,
        "Count events by type",
        PARAMS,
        answer=list[LineageMetric],
        tag="Stats",
    ),
    *(
        Route(
            "GET",
            f"/api/v1/stats/{name}",
            _counts(table),
            f"Count {name} over time",
            PARAMS,
            answer=list[IntervalMetric],
            tag="Stats",
        )
        for name, table in (("jobs", job), ("datasets", dataset), ("sources", source))
    ),
)
