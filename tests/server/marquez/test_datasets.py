"""Datasets and their versions as Marquez shows them, and PUT and DELETE."""

from typing import Any

import pytest

from tests.server.making import Json, dataset, facet, run, run_id
from tests.server.serving import Running

FIELDS = {
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
    "lastLifecycleState",
    "description",
    "currentVersion",
    "columnLineage",
    "facets",
    "deleted",
}
DATASETS = "/api/v1/namespaces/ns/datasets"


def field_names(shown: Any) -> list[str]:
    return [field["name"] for field in shown["fields"]]


def test_a_dataset_has_every_field_of_marquez_and_what_its_facets_say(server: Running) -> None:
    table = dataset("b", "id:int name", documentation=facet(description="people"), custom=facet(x=1))
    table["facets"]["lifecycleStateChange"] = facet(lifecycleStateChange="OVERWRITE")
    server.post(run("load", "a", [table]))
    found: Any = server.get(f"{DATASETS}/b")
    assert set(found) == FIELDS
    assert found["id"] == {"namespace": "ns", "name": "b"}
    assert (found["type"], found["physicalName"], found["sourceName"]) == ("DB_TABLE", "b", "default")
    assert found["fields"][0] == {"name": "id", "type": "int", "tags": [], "description": None}
    assert (found["description"], found["lastLifecycleState"]) == ("people", "OVERWRITE")
    assert found["lastModifiedAt"] == "2026-01-01T00:00:00Z"
    assert found["facets"] == table["facets"]
    assert (found["columnLineage"], found["deleted"]) == (None, False)
    listed: Any = server.get(DATASETS)
    assert [one["name"] for one in listed["datasets"]] == ["a", "b"]
    assert listed["datasets"][1] == found
    assert listed["totalCount"] == 2
    assert [one["name"] for one in server.get(DATASETS, limit=1, offset=1)["datasets"]] == ["b"]  # type: ignore[index]


def test_what_a_reader_says_of_its_input_is_a_facet_of_the_dataset(server: Running) -> None:
    source = dataset("a")
    source["inputFacets"] = {"dataQualityMetrics": facet(rowCount=3, columnMetrics={})}
    server.post(run("load", [source], "b"))
    assert server.get(f"{DATASETS}/a")["facets"] == source["inputFacets"]  # type: ignore[index]


def test_a_write_without_a_schema_keeps_the_columns(server: Running) -> None:
    server.post(run("load", "", [dataset("b", "x y")]), run("load", "", "b", at="2026-01-02T00:00:00Z"))
    assert field_names(server.get(f"{DATASETS}/b")) == ["x", "y"]
    versions: Any = server.get(f"{DATASETS}/b/versions")
    assert [field_names(one) for one in versions["versions"]] == [["x", "y"], ["x", "y"]]


def test_column_lineage_keeps_everything_that_was_said(server: Running) -> None:
    how = [
        {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum", "masking": False},
        {"type": "INDIRECT", "subtype": "FILTER", "description": "only big ones", "masking": True},
    ]
    joined = [{"type": "INDIRECT", "subtype": "JOIN", "description": "", "masking": False}]
    target = dataset("b", "total n")
    target["facets"]["columnLineage"] = facet(
        fields={"total": {"inputFields": [{"namespace": "ns", "name": "a", "field": "price", "transformations": how}]}},
        dataset=[{"namespace": "ns", "name": "a", "field": "id", "transformations": joined}],
    )
    server.post(run("load", [dataset("a", "id price")], [target]))
    lineage: Any = server.get(f"{DATASETS}/b")["columnLineage"]  # type: ignore[index]
    by_name = {one["name"]: {i["field"]: i for i in one["inputFields"]} for one in lineage}
    assert {name: set(inputs) for name, inputs in by_name.items()} == {"total": {"price", "id"}, "n": {"id"}}
    price = by_name["total"]["price"]
    assert (price["namespace"], price["dataset"]) == ("ns", "a")
    assert price["transformations"] == how
    assert (price["transformationType"], price["transformationDescription"]) == ("DIRECT", "sum")
    assert by_name["n"]["id"]["transformations"] == joined


def test_two_jobs_writing_one_column_are_both_there(server: Running) -> None:
    server.post(
        run("one", [dataset("a", "x")], [dataset("c", "z", {"z": ["a.x"]})]),
        run("two", [dataset("b", "y")], [dataset("c", "z", {"z": ["b.y"]})]),
    )
    lineage: Any = server.get(f"{DATASETS}/c")["columnLineage"]  # type: ignore[index]
    assert {one["dataset"] for one in lineage[0]["inputFields"]} == {"a", "b"}


def test_an_alias_stays_readable_beside_the_physical_name(server: Running) -> None:
    link = facet(identifiers=[{"namespace": "hive", "name": "db.t", "type": "TABLE"}])
    server.post(
        run("write", "", [dataset("s3|path/t", "x", symlinks=link)]),
        run("read", [dataset("hive|db.t")], "out", at="2026-01-02T00:00:00Z"),
    )
    alias: Any = server.get("/api/v1/namespaces/hive/datasets/db.t")
    physical: Any = server.get("/api/v1/namespaces/s3/datasets/path%2Ft")
    names = {(one["name"], one["physicalName"]) for one in (alias, physical)}
    assert len({physical_name for _, physical_name in names}) == 1
    assert {name for name, _ in names} == {"db.t", "path/t"}
    assert field_names(alias) == field_names(physical) == ["x"]
    assert alias["currentVersion"] == physical["currentVersion"]
    graph: Any = server.get("/api/v1/lineage", nodeId="dataset:hive:db.t")["graph"]  # type: ignore[index]
    assert sorted(node["id"].split(":")[0] for node in graph) == ["dataset", "dataset", "job", "job"]


def test_each_write_is_a_version_with_its_run_and_schema(server: Running) -> None:
    first = dataset("b", "x", version=facet(datasetVersion="101"), documentation=facet(description="old"))
    second = dataset("b", "x y", version=facet(datasetVersion="102"), documentation=facet(description="new"))
    server.post(run("load", "a", [first], run="r1"), run("load", "a", [second], at="2026-01-02T00:00:00Z", run="r2"))
    page: Any = server.get(f"{DATASETS}/b/versions")
    new, old = page["versions"]
    assert page["totalCount"] == 2
    assert [one["createdByRun"]["id"] for one in (new, old)] == [run_id("r2"), run_id("r1")]
    assert [field_names(one) for one in (new, old)] == [["x", "y"], ["x"]]
    assert [one["facets"]["documentation"]["description"] for one in (new, old)] == ["new", "old"]
    assert [one["datasetVersion"] for one in (new, old)] == ["102", "101"]
    assert new["currentSchemaVersion"] != old["currentSchemaVersion"]
    assert new["id"] == {"namespace": "ns", "name": "b", "version": new["version"]}
    for one in (new, old):
        assert server.get(f"{DATASETS}/b/versions/{one['version']}") == one
    assert server.get(f"{DATASETS}/b")["currentVersion"] == new["version"]  # type: ignore[index]
    assert server.get(f"{DATASETS}/b/versions", limit=1, offset=1)["versions"] == [old]  # type: ignore[index]
    for version in ("x", run_id("none")):
        assert server.http.get(f"{DATASETS}/b/versions/{version}").status_code == 404


def test_a_dataset_that_is_only_read_has_one_version_without_a_run(server: Running) -> None:
    server.post(run("load", [dataset("a", "x")], "b"))
    page: Any = server.get(f"{DATASETS}/a/versions")
    assert (page["totalCount"], page["versions"][0]["createdByRun"]) == (1, None)
    version = server.get(f"{DATASETS}/a")["currentVersion"]  # type: ignore[index]
    assert server.get(f"{DATASETS}/a/versions/{version}") == page["versions"][0]


def test_a_dropped_dataset_is_marked_deleted(server: Running) -> None:
    drop = dataset("b", lifecycleStateChange=facet(lifecycleStateChange="DROP"))
    server.post(run("load", "", "b"), run("drop", "", [drop], at="2026-01-02T00:00:00Z"))
    found: Any = server.get(f"{DATASETS}/b")
    assert (found["deleted"], found["lastLifecycleState"]) == (True, "DROP")
    server.post(run("load", "", "b", at="2026-01-03T00:00:00Z"))
    assert server.get(f"{DATASETS}/b")["deleted"] is False  # type: ignore[index]


@pytest.fixture
def with_source(server: Running) -> Running:
    server.http.put("/api/v1/namespaces/ns", json={"ownerName": "me"})
    server.http.put("/api/v1/sources/db", json={"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://db"})
    return server


def test_a_dataset_that_was_put_reads_back(with_source: Running) -> None:
    body: Json = {
        "type": "DB_TABLE",
        "physicalName": "public.t",
        "sourceName": "db",
        "fields": [{"name": "a", "type": "INT", "tags": ["key"], "description": "the key"}, {"name": "b"}],
        "tags": ["gold"],
        "description": "mine",
    }
    found = with_source.http.put(f"{DATASETS}/t", json=body).json()
    assert set(found) == FIELDS
    for name in ("type", "physicalName", "sourceName", "tags", "description"):
        assert found[name] == body[name]
    assert found["fields"] == [
        {"name": "a", "type": "INT", "tags": ["KEY"], "description": "the key"},
        {"name": "b", "type": None, "tags": [], "description": None},
    ]
    assert with_source.get(f"{DATASETS}/t") == found
    assert with_source.get("/api/v1/lineage", nodeId="dataset:ns:t")["graph"][0]["data"]["name"] == "t"  # type: ignore[index]


def test_a_stream_keeps_its_schema_location(with_source: Running) -> None:
    body = {"type": "STREAM", "physicalName": "topic", "sourceName": "db", "schemaLocation": "http://registry/1"}
    found = with_source.http.put(f"{DATASETS}/s", json=body).json()
    assert (found["type"], found["schemaLocation"]) == ("STREAM", "http://registry/1")


def test_a_dataset_put_with_a_run_is_a_write_of_that_run(with_source: Running) -> None:
    with_source.post(run("load", state="START", run="r"))
    body = {"type": "DB_TABLE", "physicalName": "t", "sourceName": "db", "runId": run_id("r")}
    with_source.http.put(f"{DATASETS}/t", json=body)
    versions: Any = with_source.get(f"{DATASETS}/t/versions")["versions"]  # type: ignore[index]
    assert [one["createdByRun"]["id"] for one in versions] == [run_id("r")]
    outputs: Any = with_source.get("/api/v1/namespaces/ns/jobs/load")["outputs"]  # type: ignore[index]
    assert outputs == [{"namespace": "ns", "name": "t"}]


def test_a_put_dataset_is_refused_when_it_names_what_is_not_there(with_source: Running) -> None:
    good: Json = {"type": "DB_TABLE", "physicalName": "t", "sourceName": "db"}
    assert with_source.http.put("/api/v1/namespaces/none/datasets/x", json=good).status_code == 404
    for change, status in (
        ({"sourceName": "none"}, 404),
        ({"runId": run_id("none")}, 404),
        ({"type": "FILE"}, 422),
        ({"type": "STREAM"}, 422),
        ({"physicalName": None}, 422),
    ):
        assert with_source.http.put(f"{DATASETS}/x", json={**good, **change}).status_code == status, change


def test_a_deleted_dataset_is_gone_until_it_is_mentioned_again(server: Running) -> None:
    server.post(run("load", "a", "b"))
    assert server.http.delete(f"{DATASETS}/b").json()["name"] == "b"
    assert server.http.get(f"{DATASETS}/b").json() == {"code": 404, "message": "Dataset 'b' not found."}
    assert server.get(DATASETS)["totalCount"] == 1  # type: ignore[index]
    graph: Any = server.get("/api/v1/lineage", nodeId="job:ns:load")["graph"]  # type: ignore[index]
    assert [node["id"] for node in graph] == ["dataset:ns:a", "job:ns:load"]
    server.post(run("load", "a", "b", at="2099-01-01T00:00:00Z"))
    assert server.get(DATASETS)["totalCount"] == 2  # type: ignore[index]


def test_datasets_of_an_unknown_namespace_are_404(server: Running) -> None:
    for path in (DATASETS, f"{DATASETS}/x", f"{DATASETS}/x/versions"):
        answer = server.http.get(path)
        assert answer.json() == {"code": 404, "message": "Namespace 'ns' not found."}


def test_a_dataset_may_have_any_name(server: Running) -> None:
    for path, namespace, name in (
        ("s3%3A%2F%2Fb%3A1/datasets/a%2Fb%3Ac%23d%20e", "s3://b:1", "a/b:c#d e"),
        ("/datasets/flink%20table", "", "flink table"),
        ("%F0%9F%A6%86/datasets/%F0%9F%A6%86.%25", "🦆", "🦆.%"),
    ):
        server.post(run("load", "", [{"namespace": namespace, "name": name}]))
        found: Any = server.get(f"/api/v1/namespaces/{path}")
        assert found["id"] == {"namespace": namespace, "name": name}
        assert len(server.get(f"/api/v1/namespaces/{path}/versions")["versions"]) == 1  # type: ignore[index]
        graph: Any = server.get("/api/v1/lineage", nodeId=f"dataset:{namespace}:{name}")["graph"]  # type: ignore[index]
        assert f"dataset:{namespace}:{name}" in [node["id"] for node in graph]
