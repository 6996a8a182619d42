"""The log of events, the last received first."""

from typing import Any

import pytest

from tests.server.making import dataset, run, run_id
from tests.server.pages.walking import walk
from tests.server.serving import Running


@pytest.fixture
def few(server: Running) -> Running:
    """A run of two events, another run, and a dataset that speaks for itself."""
    said = run("unused")
    server.post(
        run("load", "a", "b", at="2026-01-02T00:00:00Z", run="r", state="START"),
        run("load", at="2026-01-02T00:01:00Z", run="r"),
        run("other", at="2026-01-01T00:00:00Z", state="FAIL", run="q"),
        {
            "eventTime": "2026-01-01T00:00:00Z",
            "producer": "tests",
            "schemaURL": said["schemaURL"],
            "dataset": dataset("table", "id"),
        },
    )
    return server


@pytest.mark.parametrize(
    ("params", "types"),
    [
        ({}, ["DATASET", "FAIL", "COMPLETE", "START"]),
        ({"type": "START,FAIL"}, ["FAIL", "START"]),
        ({"filter": "load"}, ["COMPLETE", "START"]),
        ({"filter": "TABLE"}, ["DATASET"]),
        ({"run": run_id("r")}, ["COMPLETE", "START"]),
        ({"namespace": "ns", "type": "dataset"}, ["DATASET"]),
        ({"namespace": "nowhere"}, []),
    ],
)
def test_filters(few: Running, params: dict[str, str], types: list[str]) -> None:
    page: Any = few.get("/api/v2/events", **params)
    assert [row["type"] for row in page["events"]] == types


def test_a_row_leads_to_its_run_its_job_and_its_body(few: Running) -> None:
    page: Any = few.get("/api/v2/events", filter="load", limit=1)
    (row,) = page["events"]
    assert (row["job"], row["run"], row["state"]) == ("job:ns:load", run_id("r"), "COMPLETED")
    body: Any = few.get(f"/api/v2/events/{row['id']}")
    assert body["eventType"] == "COMPLETE"


def test_pages_have_every_event_once(server: Running) -> None:
    server.post(*(run(f"job{number}") for number in range(9)))
    rows = walk(server, "/api/v2/events", 4)
    assert [row["job"] for row in rows] == [f"job:ns:job{number}" for number in reversed(range(9))]


def test_an_unknown_type_is_refused(any_server: Running) -> None:
    answer = any_server.http.get("/api/v2/events", params={"type": "BEGIN"})
    assert answer.status_code == 400
    assert "'BEGIN'" in answer.json()["message"]
