"""Every URL that Marquez's web app asks for, written as it writes them, with what its pages read from the answer."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.server.making import dataset, facet, run, run_id
from tests.server.serving import Running

NAMESPACE, TOPIC, TABLE, JOB = "kafka://host:9092", "orders/raw", "s3|a b/t#1", "load:orders.task"


def part(text: str) -> str:
    """encodeURIComponent"""
    return quote(text, safe="!~*'()")


@pytest.fixture
def app(server: Running) -> Running:
    source = dataset(f"{NAMESPACE}|{TOPIC}", "id price")
    target = dataset(TABLE, "id", documentation=facet(description="d"))
    target["facets"]["columnLineage"] = facet(
        fields={"id": {"inputFields": [{"namespace": NAMESPACE, "name": TOPIC, "field": "id"}]}}
    )
    server.post(run(JOB, [source], [target], run="r"))
    server.http.put("/api/v1/tags/GOLD", json={"description": "x"})
    return server


RUN = run_id("r")
NS, DS = part("s3"), part("a b/t#1")
ASKED = [
    ("GET", "/namespaces", "namespaces"),
    ("GET", "/jobs?limit=25&offset=0", "jobs"),
    ("GET", "/jobs?limit=25&offset=0&lastRunStates=COMPLETED", "jobs"),
    ("GET", f"/namespaces/ns/jobs?limit=25&offset=0&lastRunStates={'FAILED'}", "jobs"),
    ("GET", f"/namespaces/ns/jobs/{part(JOB)}", "latestRuns"),
    ("GET", f"/namespaces/ns/jobs/{part(JOB)}/runs?limit=14&offset=0", "runs"),
    ("POST", f"/namespaces/ns/jobs/{part(JOB)}/tags/GOLD", "tags"),
    ("DELETE", f"/namespaces/ns/jobs/{part(JOB)}/tags/GOLD", "tags"),
    ("GET", f"/jobs/runs/{RUN}/facets?type=run", "facets"),
    ("GET", f"/jobs/runs/{RUN}/facets?type=job", "facets"),
    ("GET", f"/namespaces/{NS}/datasets?limit=20&offset=0", "datasets"),
    ("GET", f"/namespaces/{NS}/datasets/{DS}", "columnLineage"),
    ("GET", f"/namespaces/{NS}/datasets/{DS}/versions?limit=10&offset=0", "versions"),
    ("POST", f"/namespaces/{NS}/datasets/{DS}/tags/GOLD", "tags"),
    ("DELETE", f"/namespaces/{NS}/datasets/{DS}/tags/GOLD", "tags"),
    ("POST", f"/namespaces/{NS}/datasets/{DS}/fields/id/tags/GOLD", "fields"),
    ("DELETE", f"/namespaces/{NS}/datasets/{DS}/fields/id/tags/GOLD", "fields"),
    ("GET", f"/lineage?nodeId=dataset:{part(NAMESPACE)}:{part(TOPIC)}&depth=5", "graph"),
    ("GET", f"/lineage?nodeId=job:ns:{part(JOB)}&depth=2", "graph"),
    ("GET", f"/column-lineage?nodeId=dataset:{part(NAMESPACE)}:{part(TOPIC)}&depth=2&withDownstream=true", "graph"),
    (
        "GET",
        "/events/lineage?limit=20&before=2030-01-01T00:00:00.000Z&after=2020-01-01T00:00:00.000Z"
        "&offset=0&sortDirection=desc",
        "events",
    ),
    ("GET", "/search?q=orders&sort=NAME&limit=100", "results"),
    ("GET", "/search?q=orders&sort=UPDATE_AT&limit=100&filter=JOB", "results"),
    ("GET", "/tags", "tags"),
    ("DELETE", f"/namespaces/{NS}/datasets/{DS}", "name"),
    ("DELETE", f"/namespaces/ns/jobs/{part(JOB)}", "name"),
]


def test_every_request_is_answered_with_what_the_page_reads(app: Running) -> None:
    for method, path, key in ASKED:
        answer = app.http.request(method, f"/api/v1{path}")
        assert answer.status_code == 200, (method, path, answer.text)
        assert key in answer.json(), (method, path)
        if path.endswith("lastRunStates=FAILED"):
            assert answer.json()[key] == []
        else:
            assert answer.json()[key] is not None
            if key in ("jobs", "runs", "datasets", "versions", "graph", "events", "results", "namespaces"):
                assert answer.json()[key], (method, path)


@pytest.mark.parametrize("asset", ["jobs", "datasets", "sources", "lineage-events"])
@pytest.mark.parametrize("period", ["DAY", "WEEK"])
def test_the_charts_have_their_intervals(app: Running, asset: str, period: str) -> None:
    answer: Any = app.get(f"/api/v1/stats/{asset}", period=period, timezone="America/New_York")
    assert len(answer) == (24 if period == "DAY" else 7)
    assert all("startInterval" in one for one in answer)


def test_the_search_box_of_the_newer_web_app(app: Running) -> None:
    jobs = app.http.get("/api/v2beta/search/jobs?q=orders").json()
    assert [hit["name"] for hit in jobs["hits"]] == [JOB]
    assert len(jobs["highlights"]) == 1
    datasets = app.http.get("/api/v2beta/search/datasets?q=orders").json()
    assert [hit["name"] for hit in datasets["hits"]] == [TOPIC]
    assert datasets["hits"][0]["facets"]["schema"]["fields"][0]["name"] == "id"


def test_a_tag_is_put_as_the_page_puts_it(app: Running) -> None:
    answer = app.http.put("/api/v1/tags/NEW", json={"description": "mine"})
    assert answer.json() == {"name": "NEW", "description": "mine"}
