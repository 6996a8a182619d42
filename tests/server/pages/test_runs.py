"""The list of runs of every job."""

from typing import Any

import pytest

from tests.server.making import facet, run, run_id
from tests.server.pages.walking import total, walk
from tests.server.serving import Running


@pytest.fixture
def few(server: Running) -> Running:
    """A run that goes on, one that failed, one that completed, and one that only a child has named."""
    parent = facet(run={"runId": run_id("dag")}, job={"namespace": "ns", "name": "dag"})
    error = facet(message="out of memory", programmingLanguage="JAVA")
    server.post(
        run("stream", at="2026-01-03T00:00:00Z", run="goes on", state="START"),
        run("load", at="2026-01-01T00:00:00Z", run="failed", state="START", run_facets={"parent": parent}),
        run("load", at="2026-01-01T01:00:00Z", run="failed", state="FAIL", run_facets={"errorMessage": error}),
        run("load", at="2026-01-02T00:00:00Z", run="done", state="START"),
        run("load", at="2026-01-02T00:00:10Z", run="done"),
    )
    return server


@pytest.mark.parametrize(
    ("params", "runs"),
    [
        ({}, ["goes on", "done", "failed"]),
        ({"sort": "started"}, ["failed", "done", "goes on"]),
        ({"sort": "-duration"}, ["failed", "done", "goes on"]),
        ({"state": "FAILED"}, ["failed"]),
        ({"filter": "STREAM"}, ["goes on"]),
        ({"filter": run_id("done")}, ["done"]),
        ({"namespace": "ns", "state": "RUNNING,COMPLETED"}, ["goes on", "done"]),
        ({"namespace": "nowhere"}, []),
    ],
)
def test_filters_and_orders(few: Running, params: dict[str, str], runs: list[str]) -> None:
    page: Any = few.get("/api/v2/runs", **params)
    assert [row["run"]["id"] for row in page["runs"]] == [run_id(name) for name in runs]


def test_a_row_says_of_which_job_how_long_and_what_went_wrong(few: Running) -> None:
    page: Any = few.get("/api/v2/runs", state="FAILED")
    (row,) = page["runs"]
    assert row["error"] == "out of memory"
    assert (row["run"]["job"], row["run"]["durationMs"]) == ("job:ns:load", 3_600_000)


def test_pages_have_every_run_once(server: Running) -> None:
    server.post(*(run("job", run=f"r{number}") for number in range(11)))
    for sort in ("started", "-started", "-duration"):
        rows = walk(server, "/api/v2/runs", 3, sort=sort)
        assert {row["run"]["id"] for row in rows} == {run_id(f"r{number}") for number in range(11)}
        assert len(rows) == 11


def test_the_total_is_counted_when_it_is_asked_for(few: Running) -> None:
    assert total(few, "/api/v2/runs") is None
    assert total(few, "/api/v2/runs", limit=1, total=True) == 3
    assert total(few, "/api/v2/runs", total=True, state="FAILED", filter="load") == 1
