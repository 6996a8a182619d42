"""Runs as Marquez shows them, their life by the API, and their facets."""

from typing import Any
from uuid import UUID

import pytest

from tests.server.making import dataset, facet, run, run_id
from tests.server.serving import Running

FIELDS = {
    "id",
    "createdAt",
    "updatedAt",
    "nominalStartTime",
    "nominalEndTime",
    "state",
    "startedAt",
    "endedAt",
    "durationMs",
    "args",
    "jobVersion",
    "inputDatasetVersions",
    "outputDatasetVersions",
    "context",
    "facets",
}
RUNS = "/api/v1/namespaces/ns/jobs/load/runs"


def test_a_run_has_every_field_of_marquez(server: Running) -> None:
    facets = {
        "nominalTime": facet(nominalStartTime="2026-01-01T00:00:00+01:00", nominalEndTime="2026-01-02T00:00:00Z"),
        "parent": facet(run={"runId": run_id("p")}, job={"namespace": "ns", "name": "dag"}),
        "custom": facet(a=[1, 2]),
    }
    source = dataset("a")
    source["inputFacets"] = {"inputStatistics": facet(rowCount=5)}
    target = dataset("b", "id")
    target["outputFacets"] = {"outputStatistics": facet(rowCount=7)}
    server.post(
        run("load", [source], state="START", run="r", run_facets=facets),
        run("load", "", [target], at="2026-01-01T00:00:01.5Z", run="r"),
    )
    found: Any = server.get(f"/api/v1/jobs/runs/{run_id('r')}")
    assert set(found) == FIELDS
    assert found["state"] == "COMPLETED"
    assert (found["startedAt"], found["endedAt"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.500000Z")
    assert found["durationMs"] == 1500
    assert (found["nominalStartTime"], found["nominalEndTime"]) == (
        "2025-12-31T23:00:00Z",
        "2026-01-02T00:00:00Z",
    )
    assert found["args"] == {
        "nominal_start_time": "2026-01-01T00:00:00+01:00",
        "nominal_end_time": "2026-01-02T00:00:00Z",
        "run_id": run_id("p"),
        "name": "dag",
        "namespace": "ns",
    }
    assert found["facets"] == facets
    assert found["jobVersion"]["name"] == "load"
    assert [one["facets"] for one in found["inputDatasetVersions"]] == [source["inputFacets"]]
    assert [one["facets"] for one in found["outputDatasetVersions"]] == [target["outputFacets"]]
    written = found["outputDatasetVersions"][0]["datasetVersionId"]
    assert written["name"] == "b"
    assert server.get("/api/v1/namespaces/ns/datasets/b")["currentVersion"] == written["version"]  # type: ignore[index]
    assert server.get(RUNS) == {"runs": [found], "totalCount": 1}


def test_a_run_reads_the_version_that_was_newest_then(server: Running) -> None:
    server.post(
        run("make", "", "a", at="2026-01-01T00:00:00Z", run="w1"),
        run("make", "", "a", at="2026-01-03T00:00:00Z", run="w2"),
        run("load", "a", "b", at="2026-01-02T00:00:00Z", run="r1"),
        run("load", "a", "b", at="2026-01-04T00:00:00Z", run="r2"),
    )
    versions: Any = server.get("/api/v1/namespaces/ns/datasets/a/versions")["versions"]  # type: ignore[index]
    by_run = {one["createdByRun"]["id"]: one["version"] for one in versions}
    for reader, writer in (("r1", "w1"), ("r2", "w2")):
        found: Any = server.get(f"/api/v1/jobs/runs/{run_id(reader)}")
        read = found["inputDatasetVersions"][0]["datasetVersionId"]["version"]
        assert read == by_run[run_id(writer)]


def test_a_run_lives_by_the_api(server: Running) -> None:
    server.post(run("load", "a", "b", at="2020-01-01T00:00:00Z"))
    made = server.http.post(RUNS, json={"args": {"retries": 1, "mail": "me", "on": True}})
    created = made.json()
    assert made.status_code == 201
    assert made.headers["location"].endswith(f"/api/v1/jobs/runs/{created['id']}")
    assert (created["state"], created["startedAt"], created["endedAt"]) == ("NEW", None, None)
    assert created["args"] == {"retries": "1", "mail": "me", "on": "true"}
    path = f"/api/v1/jobs/runs/{created['id']}"
    started = server.http.post(f"{path}/start").json()
    assert started["state"] == "RUNNING"
    assert started["startedAt"] is not None
    done = server.http.post(f"{path}/complete", params={"at": "2099-01-01T00:00:00Z"}).json()
    assert (done["state"], done["endedAt"]) == ("COMPLETED", "2099-01-01T00:00:00Z")
    assert server.get(path) == done


@pytest.mark.parametrize(("action", "state"), [("fail", "FAILED"), ("abort", "ABORTED")])
def test_a_run_can_fail_and_be_aborted(server: Running, action: str, state: str) -> None:
    server.post(run("load", state="START", run="r"))
    path = f"/api/v1/jobs/runs/{run_id('r')}/{action}?at=2026-01-01T01:00:00%2B00:00"
    found = server.http.post(path).json()
    assert (found["state"], found["durationMs"]) == (state, 3_600_000)
    assert server.http.post(path.replace(action, "start")).json()["state"] == state


def test_a_run_id_is_created_once(server: Running) -> None:
    server.post(run("load"))
    body = {"id": run_id("mine"), "nominalStartTime": "2026-01-01T00:00:00Z"}
    assert server.http.post(RUNS, json=body).json()["id"] == run_id("mine")
    again = server.http.post(RUNS, json=body)
    assert again.status_code == 400
    assert "already exists" in again.json()["message"]


def test_the_facets_of_a_run_and_of_its_job_can_be_read(server: Running) -> None:
    server.post(run("load", run="r", run_facets={"x": facet(a=1)}, job_facets={"y": facet(b=2)}))
    path = f"/api/v1/jobs/runs/{run_id('r')}/facets"
    assert server.get(path, type="run") == {"runId": run_id("r"), "facets": {"x": facet(a=1)}}
    assert server.get(path, type="job") == {"runId": run_id("r"), "facets": {"y": facet(b=2)}}
    for query, status in (("", 400), ("?type=dataset", 400)):
        assert server.http.get(path + query).status_code == status


def test_a_facet_that_says_it_is_deleted_is_gone(server: Running) -> None:
    server.post(
        run("load", run="r", state="START", run_facets={"x": facet(a=1), "y": facet(b=1)}),
        run("load", run="r", at="2026-01-02T00:00:00Z", run_facets={"x": {"_deleted": True}}),
    )
    assert server.get(f"/api/v1/jobs/runs/{run_id('r')}")["facets"] == {"y": facet(b=1)}  # type: ignore[index]


def test_an_unknown_run_is_404(server: Running) -> None:
    for method, path in (
        ("GET", "/api/v1/jobs/runs/not-a-uuid"),
        ("GET", f"/api/v1/jobs/runs/{run_id('none')}"),
        ("GET", f"/api/v1/jobs/runs/{run_id('none')}/facets?type=run"),
        ("POST", f"/api/v1/jobs/runs/{run_id('none')}/start"),
        ("GET", "/api/v1/namespaces/ns/jobs/none/runs"),
    ):
        answer = server.http.request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (404, 404), path


def test_a_run_id_that_is_no_uuid_is_given_one(server: Running) -> None:
    event = run("load")
    event["run"]["runId"] = "scheduled__2026"
    server.post(event)
    found: Any = server.get(RUNS)["runs"]  # type: ignore[index]
    assert UUID(found[0]["id"]).version == 3
    assert server.get(f"/api/v1/jobs/runs/{found[0]['id']}") == found[0]


def test_a_parent_that_only_its_child_named_is_listed_as_new(server: Running) -> None:
    parent = facet(run={"runId": run_id("p")}, job={"namespace": "ns", "name": "dag"})
    server.post(run("load", run="r", run_facets={"parent": parent}))
    page: Any = server.get("/api/v1/namespaces/ns/jobs/dag/runs")
    assert [(one["id"], one["state"], one["startedAt"]) for one in page["runs"]] == [(run_id("p"), "NEW", None)]
    assert page["totalCount"] == 1
    server.post(run("dag", run="p"))
    page = server.get("/api/v1/namespaces/ns/jobs/dag/runs")
    assert [one["state"] for one in page["runs"]] == ["COMPLETED"]
