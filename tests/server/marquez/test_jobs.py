"""Jobs as Marquez shows them, and PUT and DELETE."""

from typing import Any

import pytest

from tests.server.making import Json, dataset, facet, run, run_id
from tests.server.serving import Running

FIELDS = {
    "id",
    "type",
    "name",
    "simpleName",
    "parentJobName",
    "parentJobUuid",
    "createdAt",
    "updatedAt",
    "namespace",
    "inputs",
    "outputs",
    "location",
    "context",
    "description",
    "latestRun",
    "latestRuns",
    "facets",
    "currentVersion",
    "labels",
    "tags",
}
JOBS = "/api/v1/namespaces/ns/jobs"


def names(page: Any) -> list[str]:
    return [job["name"] for job in page["jobs"]]


def under(parent: str, parent_run: str) -> Json:
    return {"parent": facet(run={"runId": run_id(parent_run)}, job={"namespace": "ns", "name": parent})}


def test_a_job_has_every_field_of_marquez_and_what_its_facets_say(server: Running) -> None:
    facets = {
        "jobType": facet(processingType="STREAMING", integration="SPARK", jobType="JOB"),
        "documentation": facet(description="loads b"),
        "sourceCodeLocation": facet(type="git", url="https://example.com/x.git"),
        "sql": facet(query="select 1"),
        "custom_thing": facet(big=12345678901234567890, text="é"),
    }
    server.post(run("load", "a", "b", job_facets=facets))
    job: Any = server.get(f"{JOBS}/load")
    assert set(job) == FIELDS
    assert job["id"] == {"namespace": "ns", "name": "load"}
    assert (job["type"], job["description"], job["location"]) == (
        "STREAM",
        "loads b",
        "https://example.com/x.git",
    )
    assert job["inputs"] == [{"namespace": "ns", "name": "a"}]
    assert job["outputs"] == [{"namespace": "ns", "name": "b"}]
    assert job["facets"] == facets
    assert job["latestRun"]["state"] == "COMPLETED"
    assert job["latestRun"] == job["latestRuns"][0]
    assert job["latestRun"]["jobVersion"]["version"] == job["currentVersion"]
    assert server.get(JOBS) == {"jobs": [job], "totalCount": 1}


@pytest.mark.parametrize(
    ("said", "shown"), [("BATCH", "BATCH"), ("STREAMING", "STREAM"), ("SERVICE", "SERVICE"), ("NONE", "BATCH")]
)
def test_the_type_of_a_job_comes_from_its_job_type_facet(server: Running, said: str, shown: str) -> None:
    server.post(run("load", job_facets={"jobType": facet(processingType=said, integration="X")}))
    assert server.get(f"{JOBS}/load")["type"] == shown  # type: ignore[index]


def test_a_job_that_never_ran_has_no_latest_runs(server: Running) -> None:
    server.post(
        {
            "eventTime": "2026-01-01T00:00:00Z",
            "job": {"namespace": "ns", "name": "declared"},
            "inputs": [dataset("a")],
            "outputs": [dataset("b")],
        }
    )
    job: Any = server.get(f"{JOBS}/declared")
    # The web app folds latestRuns without a start value: an empty list would break its page.
    assert (job["latestRun"], job["latestRuns"]) == (None, None)
    assert job["inputs"] == [{"namespace": "ns", "name": "a"}]
    assert server.get(f"{JOBS}/declared/runs") == {"runs": [], "totalCount": 0}
    assert len(server.get(f"{JOBS}/declared/versions")["versions"]) == 1  # type: ignore[index]


def test_latest_runs_are_the_last_ten_started(server: Running) -> None:
    for day in range(1, 13):
        server.post(run("load", "a", "b", at=f"2026-01-{day:02}T00:00:00Z"))
    job: Any = server.get(f"{JOBS}/load")
    assert [one["startedAt"][:10] for one in job["latestRuns"]] == [f"2026-01-{d:02}" for d in range(12, 2, -1)]
    assert server.get(f"{JOBS}/load/runs", limit=2, offset=1)["totalCount"] == 12  # type: ignore[index]


def test_jobs_are_listed_last_updated_first_in_pages(server: Running) -> None:
    for day, name in enumerate(("a", "b", "c"), 1):
        server.post(run(name, at=f"2026-01-{day:02}T00:00:00Z"))
    server.post(run("a", at="2026-01-09T00:00:00Z"))
    assert names(server.get(JOBS)) == ["a", "c", "b"]
    assert names(server.get("/api/v1/jobs", limit=1, offset=1)) == ["c"]
    assert server.get("/api/v1/jobs", limit=0) == {"jobs": [], "totalCount": 3}


def test_jobs_can_be_filtered_by_the_state_of_their_latest_run(server: Running) -> None:
    server.post(run("good"), run("bad", state="FAIL"), run("now", state="START"), run("gone", state="ABORT"))
    for states, expected in (
        (["FAILED"], {"bad"}),
        (["failed", "COMPLETED"], {"bad", "good"}),
        (["RUNNING"], {"now"}),
        (["ABORTED"], {"gone"}),
    ):
        page = server.http.get("/api/v1/jobs", params={"lastRunStates": states}).json()
        assert (set(names(page)), page["totalCount"]) == (expected, len(expected))
    answer = server.http.get(JOBS, params={"lastRunStates": ["COMPLETED", "SLEEPING"]})
    assert (answer.status_code, set(answer.json())) == (400, {"code", "message"})
    assert "SLEEPING" in answer.json()["message"]


def test_a_child_is_found_by_its_own_name_and_under_its_parents(server: Running) -> None:
    server.post(
        run("dag", run="d"),
        run("task", run="t", run_facets=under("dag", "d")),
        run("app", run="a", run_facets=under("task", "t")),
        run("dag.other", run="o", run_facets=under("dag", "d")),
    )
    for path, name, simple, parent in (
        ("task", "task", "task", "dag"),
        ("dag.task", "task", "task", "dag"),
        ("task.app", "app", "app", "task"),
        ("dag.task.app", "app", "app", "task"),
        ("dag.other", "dag.other", "other", "dag"),
    ):
        job: Any = server.get(f"{JOBS}/{path}")
        assert (job["name"], job["simpleName"], job["parentJobName"]) == (name, simple, parent)
    assert server.get(f"{JOBS}/task")["parentJobUuid"] == server.get(f"{JOBS}/dag.other")["parentJobUuid"]  # type: ignore[index]
    assert server.get("/api/v1/lineage", nodeId="job:ns:dag.task")["graph"][0]["id"] == "job:ns:task"  # type: ignore[index]


def test_a_job_has_a_version_for_each_set_of_datasets(server: Running) -> None:
    server.post(
        run("load", "a", "b", at="2026-01-01T00:00:00Z"),
        run("load", "a", "b", at="2026-01-02T00:00:00Z"),
        run("load", "a x", "b", at="2026-01-03T00:00:00Z"),
    )
    versions: Any = server.get(f"{JOBS}/load/versions")["versions"]  # type: ignore[index]
    assert [[one["name"] for one in v["inputs"]] for v in versions] == [["a", "x"], ["a"]]
    assert [v["createdAt"][:10] for v in versions] == ["2026-01-03", "2026-01-01"]
    assert versions[1]["latestRun"]["startedAt"][:10] == "2026-01-02"
    assert set(versions[0]) == {
        "id",
        "name",
        "createdAt",
        "version",
        "namespace",
        "location",
        "inputs",
        "outputs",
        "latestRun",
    }
    assert server.get(f"{JOBS}/load/versions/{versions[1]['version']}") == versions[1]
    assert server.get(f"{JOBS}/load")["currentVersion"] == versions[0]["version"]  # type: ignore[index]
    for version in ("1", run_id("none")):
        assert server.http.get(f"{JOBS}/load/versions/{version}").status_code == 404


def test_a_job_that_was_put_reads_back(server: Running) -> None:
    server.post(run("before", "", "a b"))
    body = {
        "type": "STREAM",
        "inputs": [{"namespace": "ns", "name": "a"}],
        "outputs": [{"namespace": "ns", "name": "b"}],
        "location": "https://example.com/code",
        "description": "mine",
        "context": {"sql": "select 1"},
        "tags": ["hot"],
    }
    answer = server.http.put(f"{JOBS}/mine", json=body)
    job = answer.json()
    assert answer.status_code == 200
    for name in ("type", "inputs", "outputs", "location", "description", "tags"):
        assert job[name] == body[name]
    assert job["facets"]["sql"]["query"] == "select 1"
    assert server.get(f"{JOBS}/mine") == job


def test_a_put_job_is_refused_when_it_names_what_is_not_there(server: Running) -> None:
    good: Json = {"type": "BATCH", "inputs": [], "outputs": []}
    assert server.http.put("/api/v1/namespaces/none/jobs/x", json=good).status_code == 404
    server.post(run("load", run="r"))
    for change, status in (
        ({"inputs": [{"namespace": "ns", "name": "none"}]}, 404),
        ({"runId": run_id("none")}, 404),
        ({"runId": run_id("r")}, 404),
        ({"type": "SOMETIMES"}, 422),
        ({"type": None}, 422),
    ):
        assert server.http.put(f"{JOBS}/x", json={**good, **change}).status_code == status, change
    assert server.http.get(f"{JOBS}/x").status_code == 404


def test_a_deleted_job_is_gone_until_it_is_mentioned_again(server: Running) -> None:
    server.post(run("load", "a", "b"), run("stays"))
    assert server.http.delete(f"{JOBS}/load").json()["name"] == "load"
    assert server.http.get(f"{JOBS}/load").json() == {"code": 404, "message": "Job 'load' not found."}
    assert server.http.delete(f"{JOBS}/load").status_code == 404
    assert server.get(JOBS)["totalCount"] == 1  # type: ignore[index]
    assert server.get("/api/v1/search", q="load") == {"totalCount": 0, "results": []}
    server.post(run("load", "a", "b", at="2025-01-01T00:00:00Z"))
    assert server.http.get(f"{JOBS}/load").status_code == 404
    server.post(run("load", "a", "b", at="2099-01-01T00:00:00Z"))
    assert server.get(JOBS)["totalCount"] == 2  # type: ignore[index]


def test_jobs_of_an_unknown_namespace_are_none(server: Running) -> None:
    assert server.get("/api/v1/namespaces/none/jobs") == {"jobs": [], "totalCount": 0}
    answer = server.http.get("/api/v1/namespaces/none/jobs/x")
    assert answer.json() == {"code": 404, "message": "Namespace 'none' not found."}


def test_a_job_may_have_any_name(server: Running) -> None:
    for path, name in (("a%2Fb%3Ac.d%23e%20f", "a/b:c.d#e f"), ("%F0%9F%A6%86", "🦆"), ("runs", "runs")):
        server.post(run(name, "in", "out"))
        assert server.get(f"{JOBS}/{path}")["name"] == name  # type: ignore[index]
        assert len(server.get(f"{JOBS}/{path}/runs")["runs"]) == 1  # type: ignore[index]
    event = run("flink")
    event["job"]["namespace"] = ""
    server.post(event)
    assert names(server.get("/api/v1/namespaces//jobs")) == ["flink"]
    assert server.get("/api/v1/namespaces//jobs/flink")["namespace"] == ""  # type: ignore[index]
