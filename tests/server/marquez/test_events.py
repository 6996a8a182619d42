"""/events/lineage: run events by time, as they were sent."""

from typing import Any

import pytest

from tests.server.making import dataset, run
from tests.server.serving import Running

EVENTS = "/api/v1/events/lineage"


@pytest.fixture
def sent(server: Running) -> list[Any]:
    events = [run("load", "a", "b", at=f"2026-01-0{day}T00:00:00Z") for day in (2, 1, 3)]
    events[0]["job"]["facets"]["x"] = {"_producer": "p", "_schemaURL": "s", "number": 1.0, "text": "é"}
    server.post(*events, {"eventTime": "2026-01-02T00:00:00Z", "dataset": dataset("only")})
    return events


def test_events_come_back_as_they_were_sent_newest_first(server: Running, sent: list[Any]) -> None:
    page: Any = server.get(EVENTS)
    assert page["events"] == [sent[2], sent[0], sent[1]]
    # As in Marquez, the count has the event that is not of a run as well.
    assert page["totalCount"] == 4


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sortDirection=asc", [1, 0, 2]),
        ("sortDirection=DESC&limit=1&offset=1", [0]),
        ("after=2026-01-02T00:00:00Z", [2, 0]),
        ("before=2026-01-02T00:00:00Z", [1]),
        ("before=2026-01-03T00:00:00.000Z&after=2026-01-01T01:00:00%2B01:00", [0, 1]),
        ("limit=20&before=&after=&offset=0&sortDirection=desc", [2, 0, 1]),
        ("after=2026-01-01", [2, 0, 1]),
    ],
)
def test_events_of_a_time_in_an_order(server: Running, sent: list[Any], query: str, expected: list[int]) -> None:
    answer = server.http.get(f"{EVENTS}?{query}").json()
    assert answer["events"] == [sent[index] for index in expected]


def test_bad_parameters_are_refused(server: Running) -> None:
    for query in ("before=soon", "sortDirection=sideways", "limit=-1"):
        assert server.http.get(f"{EVENTS}?{query}").status_code == 400
