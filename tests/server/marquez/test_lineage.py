"""/lineage and /runlineage/upstream."""

from typing import Any

import pytest

from tests.server.making import dataset, run, run_id
from tests.server.serving import Running

JOB_FIELDS = {
    "id",
    "type",
    "name",
    "simpleName",
    "parentJobName",
    "parentJobUuid",
    "currentRunUuid",
    "createdAt",
    "updatedAt",
    "namespace",
    "inputs",
    "outputs",
    "location",
    "description",
    "latestRun",
}
DATASET_FIELDS = {
    "id",
    "type",
    "name",
    "physicalName",
    "createdAt",
    "updatedAt",
    "namespace",
    "sourceName",
    "fields",
    "tags",
    "lastModifiedAt",
    "description",
    "lastLifecycleState",
}


def graph(server: Running, node: str, **params: object) -> dict[str, Any]:
    answer: Any = server.get("/api/v1/lineage", nodeId=node, **params)
    ids = [one["id"] for one in answer["graph"]]
    assert ids == sorted(ids)
    return {one["id"]: one for one in answer["graph"]}


@pytest.fixture
def chain(server: Running) -> Running:
    server.post(
        run("one", "a", [dataset("b", "x y")]), run("two", "b", "c"), run("three", "c x", "d"), run("far", "d", "e")
    )
    return server


def test_a_job_and_a_dataset_have_the_fields_of_marquez(chain: Running) -> None:
    nodes = graph(chain, "job:ns:one", depth=0)
    job, table = nodes["job:ns:one"], nodes["dataset:ns:b"]
    assert (job["type"], table["type"]) == ("JOB", "DATASET")
    assert set(job["data"]) == JOB_FIELDS
    assert set(table["data"]) == DATASET_FIELDS
    assert job["data"]["currentRunUuid"] == job["data"]["latestRun"]["id"]
    assert job["data"]["latestRun"]["outputDatasetVersions"][0]["datasetVersionId"]["name"] == "b"
    assert [field["name"] for field in table["data"]["fields"]] == ["x", "y"]
    assert job["data"]["inputs"] == [{"namespace": "ns", "name": "a"}]
    assert job["inEdges"] == [{"origin": "dataset:ns:a", "destination": "job:ns:one"}]
    assert job["outEdges"] == [{"origin": "job:ns:one", "destination": "dataset:ns:b"}]
    assert table["inEdges"] == job["outEdges"]


@pytest.mark.parametrize(
    ("node", "depth", "expected"),
    [
        ("job:ns:one", 0, "a b one"),
        ("job:ns:one", 1, "a b c one two"),
        ("job:ns:two", 1, "a b c d one three two x"),
        ("job:ns:one", 20, "a b c d e far one three two x"),
        ("dataset:ns:a", 0, "a b one"),
        ("dataset:ns:c", 0, "b c d three two x"),
    ],
)
def test_depth_counts_jobs_and_each_brings_its_datasets(chain: Running, node: str, depth: int, expected: str) -> None:
    found = {id.rpartition(":")[2] for id in graph(chain, node, depth=depth)}
    assert found == set(expected.split())


def test_a_known_node_without_edges_is_alone(server: Running) -> None:
    server.post(run("lonely"))
    assert set(graph(server, "job:ns:lonely")) == {"job:ns:lonely"}
    server.post({"eventTime": "2026-01-01T00:00:00Z", "dataset": dataset("unused")})
    assert set(graph(server, "dataset:ns:unused")) == {"dataset:ns:unused"}


def test_a_running_job_has_its_edges_at_once_and_a_bare_start_removes_none(server: Running) -> None:
    server.post(run("load", "a", "b", state="START", run="r1"))
    assert set(graph(server, "job:ns:load")) == {"dataset:ns:a", "dataset:ns:b", "job:ns:load"}
    server.post(run("load", state="START", at="2026-01-02T00:00:00Z", run="r2"))
    nodes = graph(server, "job:ns:load")
    assert set(nodes) == {"dataset:ns:a", "dataset:ns:b", "job:ns:load"}
    assert nodes["job:ns:load"]["data"]["latestRun"]["id"] == run_id("r2")


def test_bad_node_ids_and_depths_are_answered_as_marquez_does(chain: Running) -> None:
    for query, status in (
        ("nodeId=job:ns:none", 404),
        ("nodeId=dataset:none:a", 404),
        ("nodeId=table:ns:a", 404),
        ("nodeId=a", 404),
        ("nodeId=datasetField:ns:b:x", 404),
        (f"nodeId=run:{run_id('one')}", 404),
        ("nodeId=job:ns:one&depth=deep", 404),
        ("nodeId=job:ns:one&depth=-1", 400),
        ("depth=1", 400),
    ):
        assert chain.http.get(f"/api/v1/lineage?{query}").status_code == status, query


def test_a_node_id_may_be_encoded_whole_or_in_parts(server: Running) -> None:
    server.post(run("load", [dataset("kafka://host:9092|a:b/c")], "out"))
    whole = "dataset%3Akafka%3A%2F%2Fhost%3A9092%3Aa%3Ab%2Fc"
    parts = "dataset:kafka%3A%2F%2Fhost%3A9092:a%3Ab%2Fc"
    for text in (whole, parts):
        answer = server.http.get(f"/api/v1/lineage?nodeId={text}").json()
        assert len(answer["graph"]) == 3


def test_upstream_runs_are_those_that_wrote_what_was_read(server: Running) -> None:
    server.post(
        run("one", "raw", "b", at="2026-01-01T00:00:00Z", run="old"),
        run("one", "raw", "b", at="2026-01-02T00:00:00Z", run="used"),
        run("two", "b other", "c", at="2026-01-03T00:00:00Z", run="mid"),
        run("one", "raw", "b", at="2026-01-04T00:00:00Z", run="later"),
        run("three", "c", "d", at="2026-01-05T00:00:00Z", run="last"),
    )
    found: Any = server.get("/api/v1/runlineage/upstream", runId=run_id("last"))
    assert [one["run"]["id"] for one in found["runs"]] == [run_id("last"), run_id("mid"), run_id("used")]
    middle = found["runs"][1]
    assert middle["job"]["name"] == "two"
    assert set(middle["run"]) == {"id", "start", "end", "status"}
    assert [(one["name"], one["producedByRunId"]) for one in middle["inputs"]] == [
        ("b", run_id("used")),
        ("other", None),
    ]
    near: Any = server.get("/api/v1/runlineage/upstream", runId=run_id("last"), depth=1)
    assert len(near["runs"]) == 2
    for query, status in (("", 400), (f"?runId={run_id('none')}", 404), ("?runId=x", 404)):
        assert server.http.get(f"/api/v1/runlineage/upstream{query}").status_code == status


def test_a_run_that_reads_what_it_writes_ends_the_walk(server: Running) -> None:
    server.post(run("merge", "t", "t", run="r1"), run("merge", "t", "t", at="2026-01-02T00:00:00Z", run="r2"))
    found: Any = server.get("/api/v1/runlineage/upstream", runId=run_id("r2"))
    assert [one["run"]["id"] for one in found["runs"]] == [run_id("r2"), run_id("r1")]
