"""/column-lineage, with the edge directions that Marquez's web app counts on."""

from typing import Any

import pytest

from tests.server.making import dataset, facet, run
from tests.server.serving import Running


def graph(server: Running, node: str, **params: object) -> dict[str, Any]:
    answer: Any = server.get("/api/v1/column-lineage", nodeId=node, **params)
    return {one["id"].removeprefix("datasetField:ns:"): one for one in answer["graph"]}


@pytest.fixture
def chain(server: Running) -> Running:
    server.post(
        run("one", [dataset("a", "x y")], [dataset("b", "x y", {"x": ["a.x"], "y": ["a.x", "a.y"]})]),
        run("two", [dataset("b")], [dataset("c", "z", {"z": ["b.x"]})]),
        run("bare", "", [dataset("plain", "p")]),
        run("none", "", "empty"),
    )
    return server


def test_a_column_has_the_fields_and_the_edges_of_marquez(chain: Running) -> None:
    nodes = graph(chain, "dataset:ns:b")
    assert set(nodes) == {"a:x", "a:y", "b:x", "b:y"}
    made, source = nodes["b:y"], nodes["a:x"]
    assert made["type"] == "DATASET_FIELD"
    assert set(made["data"]) == {
        "namespace",
        "dataset",
        "datasetVersion",
        "field",
        "fieldType",
        "transformationDescription",
        "transformationType",
        "inputFields",
    }
    assert (made["data"]["fieldType"], made["data"]["transformationType"]) == ("string", "DIRECT")
    assert {one["field"] for one in made["data"]["inputFields"]} == {"x", "y"}
    ours, theirs = "datasetField:ns:b:y", "datasetField:ns:a:x"
    assert {"origin": ours, "destination": theirs} in made["inEdges"]
    assert {"origin": theirs, "destination": ours} in source["outEdges"]
    assert source["inEdges"] == []


@pytest.mark.parametrize(
    ("node", "params", "expected"),
    [
        ("datasetField:ns:c:z", {}, "a:x b:x c:z"),
        ("datasetField:ns:c:z", {"depth": 1}, "b:x c:z"),
        ("job:ns:two", {}, "a:x b:x c:z"),
        ("dataset:ns:a", {}, ""),
        ("dataset:ns:a", {"withDownstream": "True"}, "a:x a:y b:x b:y c:z"),
        ("datasetField:ns:a:y", {"withDownstream": "true"}, "a:y b:y"),
        ("datasetField:ns:b:x", {"withDownstream": "false"}, "a:x b:x"),
        ("dataset:ns:plain", {}, ""),
    ],
)
def test_the_columns_reached(chain: Running, node: str, params: dict[str, object], expected: str) -> None:
    assert set(graph(chain, node, **params)) == set(expected.split())


def test_what_has_no_columns_or_is_unknown_is_404(chain: Running) -> None:
    for query, status in (
        ("nodeId=dataset:ns:empty", 404),
        ("nodeId=dataset:ns:unknown", 404),
        ("nodeId=datasetField:ns:b:unknown", 404),
        ("nodeId=job:ns:none", 404),
        ("nodeId=x", 404),
        ("nodeId=dataset:ns:b&depth=x", 404),
        ("nodeId=dataset:ns:b&depth=-1", 400),
        ("", 400),
    ):
        assert chain.http.get(f"/api/v1/column-lineage?{query}").status_code == status, query


def test_what_affects_a_whole_dataset_affects_its_columns(server: Running) -> None:
    target = dataset("b", "x y")
    target["facets"]["columnLineage"] = facet(
        fields={"x": {"inputFields": [{"namespace": "ns", "name": "a", "field": "x"}]}},
        dataset=[
            {
                "namespace": "ns",
                "name": "a",
                "field": "day",
                "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}],
            }
        ],
    )
    server.post(run("load", [dataset("a", "x day")], [target]))
    nodes = graph(server, "dataset:ns:b")
    assert {one["field"] for one in nodes["b:x"]["data"]["inputFields"]} == {"x", "day"}
    said = {one["field"]: one for one in nodes["b:y"]["data"]["inputFields"]}
    assert said["day"]["transformations"][0]["subtype"] == "FILTER"
    assert set(graph(server, "datasetField:ns:a:day", withDownstream="true")) == {"a:day", "b:x", "b:y"}


def test_a_version_shows_the_lineage_of_its_time(server: Running) -> None:
    server.post(
        run("load", [dataset("a", "x")], [dataset("c", "z", {"z": ["a.x"]})], at="2026-01-01T00:00:00Z"),
        run("load", [dataset("b", "y")], [dataset("c", "z", {"z": ["b.y"]})], at="2026-01-02T00:00:00Z"),
    )
    versions: Any = server.get("/api/v1/namespaces/ns/datasets/c/versions")["versions"]  # type: ignore[index]
    for version, source in zip(versions, ("b:y", "a:x"), strict=True):
        for node in ("dataset:ns:c", "datasetField:ns:c:z"):
            nodes = graph(server, f"{node}#{version['version']}")
            assert {id.partition("#")[0] for id in nodes} == {"c:z", source}
            assert f"c:z#{version['version']}" in nodes
            assert nodes[f"c:z#{version['version']}"]["data"]["datasetVersion"] == version["version"]
    jobs: Any = server.get("/api/v1/namespaces/ns/jobs/load/versions")["versions"]  # type: ignore[index]
    then = graph(server, f"job:ns:load#{jobs[1]['version']}")
    assert {id.partition("#")[0] for id in then} == {"c:z", "a:x"}
    both = f"/api/v1/column-lineage?nodeId=dataset:ns:c%23{versions[0]['version']}&withDownstream=true"
    assert server.http.get(both).status_code == 400
