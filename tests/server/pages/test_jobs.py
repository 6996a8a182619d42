"""The list of jobs: filters, orders, pages, and what each row says."""

from typing import Any

import pytest

from tests.server.making import facet, run, run_id
from tests.server.pages.walking import total, walk
from tests.server.serving import Running

STREAM = {"jobType": facet(processingType="STREAMING", integration="SPARK", jobType="QUERY")}
BATCH = {"jobType": facet(processingType="BATCH", integration="AIRFLOW", jobType="DAG")}


@pytest.fixture
def few(server: Running) -> Running:
    """Three jobs: a stream that runs, a batch that failed, and one that says nothing of itself."""
    server.post(
        run("ingest", "topic", "table", at="2026-01-03T00:00:00Z", state="START", job_facets=STREAM),
        run("nightly", "table", "report", at="2026-01-01T00:00:00Z", run="n1", state="START", job_facets=BATCH),
        run("nightly", at="2026-01-01T00:01:00Z", run="n1"),
        run("nightly", at="2026-01-02T00:00:00Z", run="n2", state="START"),
        run("nightly", at="2026-01-02T00:00:30Z", run="n2", state="FAIL"),
        run("Odd_100%", "", "report", at="2026-01-01T12:00:00Z"),
    )
    return server


def test_a_row_says_how_the_last_runs_went(few: Running) -> None:
    page: Any = few.get("/api/v2/jobs")
    nightly = next(row for row in page["jobs"] if row["name"] == "nightly")
    assert nightly["id"] == "job:ns:nightly"
    assert (nightly["state"], nightly["run"], nightly["durationMs"]) == ("FAILED", run_id("n2"), 30_000)
    assert nightly["startedAt"] == "2026-01-02T00:00:00.000Z"
    assert nightly["jobType"]["integration"] == "AIRFLOW"
    assert [(past["state"], past["durationMs"]) for past in nightly["history"]] == [
        ("COMPLETED", 60_000),
        ("FAILED", 30_000),
    ]
    assert nightly["counts"] == {"in": 1, "out": 1}
    assert page["engines"] == ["AIRFLOW", "SPARK"]


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({}, ["ingest", "nightly", "Odd_100%"]),
        ({"sort": "updated"}, ["Odd_100%", "nightly", "ingest"]),
        ({"sort": "name"}, ["Odd_100%", "ingest", "nightly"]),
        ({"sort": "-started"}, ["ingest", "nightly", "Odd_100%"]),
        ({"sort": "-duration"}, ["nightly", "Odd_100%", "ingest"]),
        ({"filter": "NIGHT"}, ["nightly"]),
        ({"filter": "100%"}, ["Odd_100%"]),
        ({"filter": "0_0"}, []),
        ({"filter": "ns", "sort": "name"}, ["Odd_100%", "ingest", "nightly"]),
        ({"filter": " "}, ["ingest", "nightly", "Odd_100%"]),
        ({"namespace": "ns", "state": "failed"}, ["nightly"]),
        ({"namespace": "elsewhere"}, []),
        ({"state": "RUNNING,COMPLETED", "sort": "name"}, ["Odd_100%", "ingest"]),
        ({"processing": "STREAMING"}, ["ingest"]),
        ({"engine": "airflow"}, ["nightly"]),
        ({"engine": "airflow", "processing": "STREAMING"}, []),
    ],
)
def test_filters_and_orders(few: Running, params: dict[str, str], names: list[str]) -> None:
    page: Any = few.get("/api/v2/jobs", **params)
    assert [row["name"] for row in page["jobs"]] == names


def test_pages_have_every_job_once_in_any_order(server: Running) -> None:
    same = "2026-01-01T00:00:00Z"
    server.post(*(run(f"job{number:02}", at=same) for number in range(23)))
    names = [f"job{number:02}" for number in range(23)]
    for sort in ("name", "-name", "updated", "-updated", "-started", "duration"):
        rows = walk(server, "/api/v2/jobs", 5, sort=sort)
        assert sorted(row["name"] for row in rows) == names, sort
    assert [row["name"] for row in walk(server, "/api/v2/jobs", 7, sort="-name")] == names[::-1]


def test_a_job_that_comes_while_one_reads_does_not_repeat_another(server: Running) -> None:
    server.post(*(run(f"job{number}", at=f"2026-01-0{number}T00:00:00Z") for number in (1, 2, 3, 4)))
    first: Any = server.get("/api/v2/jobs", limit=2)
    server.post(run("new", at="2026-02-01T00:00:00Z"))
    second: Any = server.get("/api/v2/jobs", limit=2, cursor=first["cursor"])
    assert [row["name"] for row in (*first["jobs"], *second["jobs"])] == ["job4", "job3", "job2", "job1"]


def test_history_is_the_last_twenty_runs_the_oldest_first(server: Running) -> None:
    server.post(*(run("job", at=f"2026-01-01T00:{minute:02}:00Z") for minute in range(25)))
    page: Any = server.get("/api/v2/jobs")
    started = [past["startedAt"] for past in page["jobs"][0]["history"]]
    assert started == [f"2026-01-01T00:{minute:02}:00.000Z" for minute in range(5, 25)]


@pytest.mark.parametrize(
    "params",
    [
        {"sort": "colour"},
        {"state": "HAPPY"},
        {"limit": "0"},
        {"cursor": "!"},
        {"cursor": "bm9uc2Vuc2U="},
        {"cursor": "WyJuYW1lIixmYWxzZSwiYSIsMV0="},  # of another order
        {"sort": "name", "cursor": "WyJuYW1lIixmYWxzZSw1LDFd"},  # a number where a name belongs
    ],
)
def test_what_cannot_be_is_refused_with_what_was_expected(any_server: Running, params: dict[str, str]) -> None:
    answer = any_server.http.get("/api/v2/jobs", params=params)
    assert answer.status_code == 400
    assert "expected" in answer.json()["message"]


def test_the_total_is_counted_when_it_is_asked_for(few: Running) -> None:
    assert total(few, "/api/v2/jobs", limit=1) is None
    assert total(few, "/api/v2/jobs", limit=1, total=True) == 3
    assert total(few, "/api/v2/jobs", limit=1, total=True, state="FAILED", sort="-started") == 1
    assert total(few, "/api/v2/jobs", total=True, engine="SPARK") == 1


def test_a_tag_finds_the_jobs_that_have_it(few: Running) -> None:
    assert few.http.post("/api/v1/namespaces/ns/jobs/nightly/tags/MONEY").is_success
    for tag, names in (("MONEY", ["nightly"]), ("GOLD", [])):
        page: Any = few.get("/api/v2/jobs", tag=tag)
        assert [row["name"] for row in page["jobs"]] == names
