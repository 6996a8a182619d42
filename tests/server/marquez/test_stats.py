"""Counts for the dashboard."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.server.making import dataset, facet, run
from tests.server.serving import Running


def at(ago: timedelta) -> str:
    return (datetime.now(UTC) - ago).isoformat()


@pytest.fixture
def busy(server: Running) -> Running:
    source = dataset("a", dataSource=facet(name="db", uri="x://y"))
    server.post(
        run("now", [source], "b", at=at(timedelta(0)), state="START"),
        run("now", "", "", at=at(timedelta(0)), state="FAIL"),
        run("days", "", "", at=at(timedelta(days=3))),
        run("months", "", "", at=at(timedelta(days=90)), state="ABORT"),
    )
    return server


def test_events_are_counted_by_hour_and_by_day(busy: Running) -> None:
    hours: Any = busy.get("/api/v1/stats/lineage-events", period="DAY", timezone="UTC")
    assert len(hours) == 24
    assert set(hours[-1]) == {"startInterval", "endInterval", "fail", "start", "complete", "abort"}
    assert [sum(one[kind] for one in hours) for kind in ("start", "fail", "complete", "abort")] == [1, 1, 0, 0]
    days: Any = busy.get("/api/v1/stats/lineage-events", period="WEEK", timezone="Asia/Tokyo")
    assert len(days) == 7
    assert [sum(one[kind] for one in days) for kind in ("start", "fail", "complete", "abort")] == [1, 1, 1, 0]
    assert days[0]["startInterval"].endswith("T15:00:00Z")


@pytest.mark.parametrize(("what", "first", "last"), [("jobs", 1, 3), ("datasets", 0, 2), ("sources", 0, 1)])
def test_things_are_counted_as_they_add_up(busy: Running, what: str, first: int, last: int) -> None:
    days: Any = busy.get(f"/api/v1/stats/{what}", period="WEEK", timezone="Europe/London")
    counts = [one["count"] for one in days]
    assert (counts[0], counts[-1]) == (first, last)
    hours: Any = busy.get(f"/api/v1/stats/{what}", period="day")
    assert hours[-1]["count"] == last


def test_a_bad_period_or_time_zone_is_400(busy: Running) -> None:
    for query in ("", "?period=YEAR", "?period=WEEK&timezone=Mars/Olympus", "?period=WEEK&timezone=../etc/passwd"):
        assert busy.http.get(f"/api/v1/stats/jobs{query}").status_code == 400
