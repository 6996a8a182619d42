"""One job, dataset or run with its history and hierarchy; differences and impact."""

from typing import Any

from tests.server.making import dataset, facet, run, run_id
from tests.server.serving import Running


def test_a_dataset_tells_how_its_schema_changed_and_who_wrote_it(server: Running) -> None:
    days = [f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3, 4)]
    schemas = ["id name", "id name", "id:int name price", "id name"]
    for at, columns in zip(days, schemas, strict=True):
        version = facet(datasetVersion=f"v{at[9]}")
        server.post(run("load", "", [dataset("orders", columns, version=version)], at=at))
    found: Any = server.get("/api/v2/datasets/ns/orders")
    assert [s["since"][:10] for s in found["schemas"]] == ["2026-01-04", "2026-01-03", "2026-01-01"]
    assert found["schemas"][1]["changes"] == {
        "added": ["price"],
        "removed": [],
        "changed": [{"name": "id", "from": "string", "to": "int"}],
    }
    assert found["schemas"][2]["changes"]["added"] == ["id", "name"]
    assert found["schemas"][1]["run"] == run_id(f"load {days[2]}")
    assert [(w["version"], w["job"]) for w in found["writes"]] == [(f"v{d}", "job:ns:load") for d in (4, 3, 2, 1)]
    assert [c["name"] for c in found["columns"]] == ["id", "name"]
    assert found["facets"]["version"]["datasetVersion"] == "v4"


def test_a_dropped_dataset_says_so_until_it_is_written_again(server: Running) -> None:
    drop = facet(lifecycleStateChange="DROP")
    server.post(
        run("load", "", [dataset("t")], at="2026-01-01T00:00:00Z"),
        run("drop", "", [dataset("t", lifecycleStateChange=drop)], at="2026-01-02T00:00:00Z"),
    )
    assert server.get("/api/v2/datasets/ns/t")["dropped"] is True  # type: ignore[index]
    server.post(run("load", "", [dataset("t")], at="2026-01-03T00:00:00Z"))
    assert server.get("/api/v2/datasets/ns/t")["dropped"] is False  # type: ignore[index]


def _child(job: str, parent: str, run_name: str, **kwargs: Any) -> dict[str, Any]:
    reference = facet(run={"runId": run_id(parent)}, job={"namespace": "ns", "name": parent})
    return run(job, run=run_name, run_facets={"parent": reference, **kwargs.pop("facets", {})}, **kwargs)


def test_a_run_shows_the_hierarchy_above_and_below_it(server: Running) -> None:
    error = facet(message="out of memory", programmingLanguage="JAVA", stackTrace="at x")
    server.post(
        _child("action", "app", "action", state="FAIL", inputs="a", outputs="b", facets={"errorMessage": error}),
        _child("app", "task", "app"),
        _child("task", "dag", "task"),
        run("dag", run="dag"),
    )
    found: Any = server.get(f"/api/v2/runs/{run_id('action')}")
    assert [above["job"] for above in found["ancestors"]] == ["job:ns:dag", "job:ns:task", "job:ns:app"]
    assert found["run"]["state"] == "FAILED"
    assert found["error"]["message"] == "out of memory"
    assert (found["inputs"], found["outputs"]) == (["dataset:ns:a"], ["dataset:ns:b"])
    top: Any = server.get(f"/api/v2/runs/{run_id('dag')}")
    below = [top["run"]]
    names = []
    while below:
        names += [one["job"] for one in below]
        below = [child for one in below for child in one.get("children", [])]
    assert names == ["job:ns:dag", "job:ns:task", "job:ns:app", "job:ns:action"]
    assert server.http.get(f"/api/v2/runs/{run_id('nothing')}").status_code == 404


def test_a_job_shows_its_type_owners_children_and_last_runs(server: Running) -> None:
    facets = {
        "jobType": facet(processingType="BATCH", integration="SPARK", jobType="APPLICATION"),
        "ownership": facet(owners=[{"name": "team:orders", "type": "MAINTAINER"}]),
    }
    server.post(run("app", "a", "b", run="app", job_facets=facets), _child("step", "app", "step"))
    server.post(run("app", at="2026-01-02T00:00:00Z", run="later", state="START"))
    found: Any = server.get("/api/v2/jobs/ns/app")
    assert found["jobType"] == {"processingType": "BATCH", "integration": "SPARK", "jobType": "APPLICATION"}
    assert found["owners"] == [{"name": "team:orders", "type": "MAINTAINER"}]
    assert found["children"] == ["job:ns:step"]
    assert [r["id"] for r in found["runs"]] == [run_id("later"), run_id("app")]
    assert (found["state"], found["inputs"]) == ("RUNNING", ["dataset:ns:a"])
    assert server.get("/api/v2/jobs/ns/step")["parent"] == "job:ns:app"  # type: ignore[index]
    assert server.http.get("/api/v2/jobs/ns/nothing").status_code == 404


def test_the_difference_between_two_times(server: Running) -> None:
    server.post(
        run("job", [dataset("a", "x")], [dataset("b", "x", {"x": ["a.x"]})], at="2026-01-01T00:00:00Z"),
        run("job", [dataset("c", "x")], [dataset("b", "x y", {"x": ["c.x"]})], at="2026-02-01T00:00:00Z"),
    )
    params = {"node": "dataset:ns:b", "from": "2026-01-15T00:00:00Z", "columns": "true"}
    diff: Any = server.get("/api/v2/graph/diff", **params)
    assert [n["id"] for n in diff["added"]["nodes"]] == ["dataset:ns:c"]
    assert [n["id"] for n in diff["removed"]["nodes"]] == ["dataset:ns:a"]
    assert [(e["from"], e["to"]) for e in diff["added"]["edges"]] == [("dataset:ns:c", "job:ns:job")]
    assert diff["removed"]["columnEdges"][0]["from"] == {"dataset": "dataset:ns:a", "column": "x"}
    assert diff["changed"]["nodes"] == [
        {"id": "dataset:ns:b", "columns": {"added": ["y"], "removed": [], "changed": []}}
    ]
    same: Any = server.get("/api/v2/graph/diff", **(params | {"to": "2026-01-15T00:00:00Z"}))
    assert same["added"] == same["removed"] == {"nodes": [], "edges": [], "columnEdges": []}
    new: Any = server.get("/api/v2/graph/diff", **(params | {"from": "2020-01-01T00:00:00Z"}))
    assert len(new["added"]["nodes"]) == 3


def test_the_impact_of_a_change_names_the_owners_also_as_a_table(server: Running) -> None:
    owners = facet(owners=[{"name": "team:=x", "type": "OWNER"}])
    server.post(
        run("load", "a", [dataset("b", ownership=owners)]),
        run("report", "b", "=c", job_facets={"ownership": facet(owners=[{"name": "ann"}])}),
    )
    found: Any = server.get("/api/v2/impact", node="dataset:ns:a")
    assert [(one["name"], one["distance"]) for one in found["affected"]] == [
        ("load", 1),
        ("b", 1),
        ("report", 2),
        ("=c", 2),
    ]
    assert found["affected"][1]["owners"] == [{"name": "team:=x", "type": "OWNER"}]
    table = server.http.get("/api/v2/impact", params={"node": "dataset:ns:a", "format": "csv"})
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.text.splitlines()[3:] == ["job,ns,report,2,ann,COMPLETED", "dataset,ns,'=c,2,,"]
