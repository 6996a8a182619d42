"""The native graph over HTTP: directions, evidence, pages, precedence, and time."""

from typing import Any

import pytest

from tests.server.making import dataset, facet, run, run_id
from tests.server.serving import Running


def ids(graph: Any) -> list[str]:
    return [node["id"].rpartition(":")[2] for node in graph["nodes"]]


def flows(graph: Any) -> set[str]:
    return {f"{e['from'].rpartition(':')[2]} -> {e['to'].rpartition(':')[2]}" for e in graph["edges"]}


def columns(graph: Any) -> set[str]:
    def name(end: Any) -> str:
        return f"{end['dataset'].rpartition(':')[2]}.{end['column']}"

    return {f"{name(e['from'])} -> {name(e['to'])}" for e in graph["columnEdges"]}


@pytest.fixture
def chain(server: Running) -> Running:
    server.post(run("load", "a", "b"), run("clean", "b", "c"), run("other", "b", "d"))
    return server


def test_upstream_and_downstream_of_a_dataset_are_nearest_first(chain: Running) -> None:
    up = chain.get("/api/v2/graph", node="dataset:ns:c", direction="up", depth=5)
    assert ids(up) == ["c", "clean", "b", "load", "a"]
    down = chain.get("/api/v2/graph", node="dataset:ns:a", direction="down", depth=1)
    assert ids(down) == ["a", "load", "b"]
    assert flows(down) == {"a -> load", "load -> b"}


def test_both_ways_leaves_out_what_only_shares_an_ancestor(chain: Running) -> None:
    both = chain.get("/api/v2/graph", node="job:ns:clean", depth=5)
    assert set(ids(both)) == {"clean", "b", "c", "load", "a"}


def test_a_node_says_how_many_edges_it_has_in_all(chain: Running) -> None:
    up = chain.get("/api/v2/graph", node="dataset:ns:b", direction="up")
    assert up["nodes"][0]["counts"] == {"in": 1, "out": 2}  # type: ignore[index]


def test_edges_carry_their_evidence(chain: Running) -> None:
    graph: Any = chain.get("/api/v2/graph", node="job:ns:load", depth=1)
    evidence = {e["kind"]: e["evidence"] for e in graph["edges"]}
    expected = {
        "how": "observed",
        "run": run_id("load 2026-01-01T00:00:00Z"),
        "at": "2026-01-01T00:00:00.000Z",
        "producer": "tests",
    }
    assert evidence == {"read": expected, "write": expected}
    job = graph["nodes"][0]
    assert (job["state"], job["run"]) == ("COMPLETED", expected["run"])


def test_a_job_event_declares_its_edges(server: Running) -> None:
    event = run("plan", "a", "b")
    del event["run"], event["eventType"]
    server.post(event)
    graph: Any = server.get("/api/v2/graph", node="dataset:ns:a", direction="down")
    assert {e["evidence"]["how"] for e in graph["edges"]} == {"declared"}


def test_a_column_claim_says_which_inputs_feed_which_output(server: Running) -> None:
    server.post(
        run(
            "split",
            [dataset("a", "x"), dataset("b", "y")],
            [dataset("c", "x", {"x": ["a.x"]}), dataset("d", "y", {"y": ["b.y"]})],
        )
    )
    up = server.get("/api/v2/graph", node="dataset:ns:c", direction="up", columns="true")
    assert set(ids(up)) == {"c", "split", "a"}
    assert columns(up) == {"a.x -> c.x"}
    down = server.get("/api/v2/graph", node="dataset:ns:b", direction="down", columns="true")
    assert set(ids(down)) == {"b", "split", "d"}
    whole = server.get("/api/v2/graph", node="job:ns:split")
    assert set(ids(whole)) == {"split", "a", "b", "c", "d"}


def test_the_lineage_of_one_column_passes_only_what_it_passes(server: Running) -> None:
    server.post(
        run("one", [dataset("a", "x y")], [dataset("b", "x y", {"x": ["a.x"], "y": ["a.y"]})]),
        run("two", [dataset("b", "x y")], [dataset("c", "z", {"z": ["b.x"]})]),
        run("three", [dataset("b", "x y")], [dataset("d", "z", {"z": ["b.y"]})]),
    )
    graph = server.get("/api/v2/graph", node="dataset:ns:a", column="x", depth=5)
    assert ids(graph) == ["a", "one", "b", "two", "c"]
    assert columns(graph) == {"a.x -> b.x", "b.x -> c.z"}
    field = server.get("/api/v2/graph", node="datasetField:ns:c:z", depth=5)
    assert ids(field) == ["c", "two", "b", "one", "a"]


def test_pages_of_a_hub_are_complete_and_do_not_overlap(server: Running) -> None:
    batch = [run(f"reader{i:03}", "hub", f"out{i:03}") for i in range(60)]
    assert server.http.post("/api/v1/lineage/batch", json=batch).json()["status"] == "success"
    seen: list[str] = []
    edges: set[str] = set()
    cursor = None
    while True:
        params = {"node": "dataset:ns:hub", "direction": "down", "limit": 25}
        page: Any = server.get("/api/v2/graph", **(params | ({"cursor": cursor} if cursor else {})))
        seen += ids(page)
        edges |= flows(page)
        assert page["truncated"] == (page["cursor"] is not None)
        if (cursor := page["cursor"]) is None:
            break
    assert len(seen) == len(set(seen)) == 121
    assert len(edges) == 120
    assert page["nodes"][0]["counts"]["in"] == 1


def test_the_graph_as_it_was(server: Running) -> None:
    server.post(
        run("job", [dataset("a", "x")], [dataset("b", "x", {"x": ["a.x"]})], at="2026-01-01T00:00:00Z"),
        run("job", [dataset("c", "x")], [dataset("b", "x y:int", {"x": ["c.x"]})], at="2026-02-01T00:00:00Z"),
    )
    params = {"node": "dataset:ns:b", "direction": "up", "columns": "true"}
    now: Any = server.get("/api/v2/graph", **params)
    then: Any = server.get("/api/v2/graph", at="2026-01-15T00:00:00Z", **params)
    assert ids(now) == ["b", "job", "c"]
    assert ids(then) == ["b", "job", "a"]
    assert columns(then) == {"a.x -> b.x"}
    assert [c["name"] for c in then["nodes"][0]["columns"]] == ["x"]
    assert [c["name"] for c in now["nodes"][0]["columns"]] == ["x", "y"]
    at_end: Any = server.get("/api/v2/graph", at="2026-02-01T00:00:00Z", **params)
    assert at_end | {"at": None} == now
    early = server.http.get("/api/v2/graph", params={**params, "at": "2025-01-01T00:00:00Z"})
    assert early.status_code == 404


def test_a_run_that_had_not_ended_was_running(server: Running) -> None:
    server.post(
        run("job", "a", "b", at="2026-01-01T00:00:00Z", state="START", run="r"),
        run("job", "", "", at="2026-01-01T01:00:00Z", state="FAIL", run="r"),
    )
    for at, state in (("2026-01-01T00:30:00Z", "RUNNING"), ("2026-01-01T02:00:00Z", "FAILED")):
        graph: Any = server.get("/api/v2/graph", node="job:ns:job", at=at)
        assert graph["nodes"][0]["state"] == state


def test_two_names_of_one_dataset_are_one_node(server: Running) -> None:
    link = facet(identifiers=[{"namespace": "hive", "name": "db.orders", "type": "TABLE"}])
    server.post(
        run("write", "", [dataset("s3|warehouse/orders", symlinks=link)]),
        run("read", [dataset("hive|db.orders")], "out"),
    )
    graph: Any = server.get("/api/v2/graph", node="dataset:hive:db.orders")
    assert graph["node"] == "dataset:s3:warehouse/orders"
    assert {"write", "read", "out"} < set(ids(graph))
    assert graph["nodes"][0]["aliases"] == ["dataset:hive:db.orders"]


def test_without_a_node_the_jobs_heard_of_last_come_with_their_datasets(server: Running) -> None:
    server.post(
        run("load", "a", "b", at="2026-01-01T00:00:00Z"),
        run("clean", "b", "c", at="2026-01-03T00:00:00Z"),
        run("idle", at="2026-01-04T00:00:00Z"),
    )
    graph: Any = server.get("/api/v2/graph")
    assert ids(graph) == ["clean", "b", "c", "load", "a"]
    assert flows(graph) == {"a -> load", "load -> b", "b -> clean", "clean -> c"}
    assert graph["node"] is None
    past: Any = server.get("/api/v2/graph", at="2026-01-02T00:00:00Z")
    assert ids(past) == ["load", "a", "b"]
    diff: Any = server.get("/api/v2/graph/diff", **{"from": "2026-01-02T00:00:00Z"})
    assert {node["name"] for node in diff["added"]["nodes"]} == {"clean", "c"}


def test_the_newest_part_comes_in_pages_that_make_up_the_whole(server: Running) -> None:
    server.post(*(run(f"job{i}", f"in{i}", f"out{i}") for i in range(4)))
    pages, cursor = [], None
    while True:
        page: Any = server.get("/api/v2/graph", limit=5, **({"cursor": cursor} if cursor else {}))
        pages.append(page)
        if (cursor := page["cursor"]) is None:
            break
    whole: Any = server.get("/api/v2/graph")
    assert [one for page in pages for one in ids(page)] == ids(whole)
    assert set().union(*map(flows, pages)) == flows(whole)


def test_jobs_without_datasets_are_shown_where_there_are_no_others(server: Running) -> None:
    server.post(run("idle"))
    assert ids(server.get("/api/v2/graph")) == ["idle"]


def test_a_running_job_says_what_it_moves_and_since_when(server: Running) -> None:
    progress = facet(inputRowsPerSecond=12.5, watermarkDelayMillis=900, sources=[{"lag": 3}, {"lag": 4}, {}])
    server.post(run("stream", "a", "b", state="RUNNING", run="s", run_facets={"headwater_streamProgress": progress}))
    job: Any = server.get("/api/v2/graph", node="job:ns:stream")
    assert job["nodes"][0]["flow"] == {"rowsPerSecond": 12.5, "lag": 7.0, "watermarkDelayMs": 900.0}
    assert job["nodes"][0]["startedAt"] == "2026-01-01T00:00:00.000Z"
    server.post(run("stream", "a", "b", at="2026-01-01T00:01:00Z", run="s"))
    ended: Any = server.get("/api/v2/graph", node="job:ns:stream")
    assert "flow" not in ended["nodes"][0]
    assert ended["nodes"][0]["endedAt"] == "2026-01-01T00:01:00.000Z"


REFUSED: list[tuple[dict[str, str], int, str]] = [
    ({"column": "x"}, 400, "'node' is missing"),
    ({"node": "dataset:ns:nothing"}, 404, "nothing stored"),
    ({"node": "table:ns:b"}, 400, "is not a node id"),
    ({"node": "dataset:ns:b", "depth": "deep"}, 400, "whole number"),
    ({"node": "dataset:ns:b", "direction": "left"}, 400, "one of up, down, both"),
    ({"node": "dataset:ns:b", "at": "noon"}, 400, "ISO-8601"),
    ({"node": "dataset:ns:b", "cursor": "x"}, 400, "cursor"),
    ({"node": "job:ns:load", "column": "x"}, 400, "no columns"),
]


def test_a_dataset_brings_its_tags_and_when_its_columns_changed(server: Running) -> None:
    server.post(run("load", "a", [dataset("b", "id mail")], "2026-01-01T00:00:00Z"))
    server.post(run("load", "a", [dataset("b", "id mail name")], "2026-01-02T00:00:00Z"))
    for path in ("b/tags/GOLD", "b/fields/mail/tags/PII"):
        assert server.http.post(f"/api/v1/namespaces/ns/datasets/{path}").status_code in (200, 201)
    graph: Any = server.get("/api/v2/graph", node="dataset:ns:b", columns=True)
    nodes = {node["name"]: node for node in graph["nodes"]}
    assert nodes["b"]["tags"] == {"": ["GOLD"], "mail": ["PII"]}
    assert nodes["b"]["schemaChangedAt"].startswith("2026-01-02")
    assert not {"tags", "schemaChangedAt"} & nodes["a"].keys()


def test_a_question_that_cannot_be_answered_says_why(chain: Running) -> None:
    for params, status, words in REFUSED:
        answer = chain.http.get("/api/v2/graph", params=params)
        assert answer.status_code == status, answer.text
        assert words in answer.json()["message"]
