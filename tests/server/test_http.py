"""Routing on raw paths, parameters and errors, through real HTTP."""

import socket
from typing import Any
from urllib.parse import quote

import pytest

from headwater.server.http import Route, Table, raw_path
from tests.server.making import dataset, run
from tests.server.serving import Running

HOSTILE = [
    "plain",
    "a/b",
    "a%2Fb",
    "a%b",
    "a:b",
    "a%3Ab",
    "a#b",
    "a?b=c&d",
    "a b",
    " ",
    ".",
    "..",
    "../../etc",
    "🦆",
    "é\u0301",
    'a"b\\c',
    "a+b",
    "a;b",
    "",
    "x" * 300,
]


def segment(name: str) -> str:
    """A name as one path segment; a client may not resolve dots in it."""
    return quote(name, safe="").replace(".", "%2E")


def test_any_name_is_found_by_path_and_by_node_id(server: Running) -> None:
    for name in HOSTILE:
        event = run("job", [], [dataset("x", "col")])
        event["run"]["runId"] = f"run of {name}"
        event["job"] |= {"namespace": name, "name": name or "job"}
        event["outputs"][0] |= {"namespace": name, "name": name or "data"}
        server.post(event)
    for name in HOSTILE:
        found: Any = server.get(f"/api/v2/datasets/{segment(name)}/{segment(name or 'data')}")
        assert (found["namespace"], found["name"]) == (name, name or "data")
        job: Any = server.get(f"/api/v2/jobs/{segment(name)}/{segment(name or 'job')}")
        assert (job["namespace"], job["name"]) == (name, name or "job")
        for id in (found["id"], f"dataset:{name}:{name or 'data'}"):
            graph: Any = server.get("/api/v2/graph", node=id)
            assert graph["node"] == found["id"]


def test_an_id_that_can_mean_two_things_is_answered_with_both(server: Running) -> None:
    server.post(run("one", "", [dataset("a|b:c:d")]), run("two", "", [dataset("a:b|c:d")]))
    answer = server.http.get("/api/v2/graph", params={"node": "dataset:a:b:c:d"})
    assert answer.status_code == 409
    for canonical in ("dataset:a:b%3Ac%3Ad", "dataset:a:b:c%3Ad"):
        assert canonical in answer.json()["message"]
        assert server.get("/api/v2/graph", node=canonical)["node"] == canonical  # type: ignore[index]


def test_a_canonical_id_means_what_it_says_even_if_another_reading_exists(server: Running) -> None:
    server.post(run("one", "", [dataset("a|b:c")]), run("two", "", [dataset("a:b|c")]))
    assert server.get("/api/v2/graph", node="dataset:a:b:c")["node"] == "dataset:a:b:c"  # type: ignore[index]
    assert server.get("/api/v2/graph", node="dataset:a:b%3Ac")["node"] == "dataset:a:b%3Ac"  # type: ignore[index]


@pytest.mark.parametrize("path", ["/nothing", "/api/v2", "/api/v2/graph/more/of/it", "/x//", "/%2e%2e/x"])
def test_an_unknown_path_is_a_404_in_json(any_server: Running, path: str) -> None:
    answer = any_server.http.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] == 404


def test_another_method_is_a_405_that_says_which_are_allowed(any_server: Running) -> None:
    answer = any_server.http.delete("/health")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_head_answers_like_get_without_a_body(any_server: Running) -> None:
    answer = any_server.http.head("/health")
    assert (answer.status_code, answer.content) == (200, b"")


def test_head_of_a_stream_ends(any_server: Running) -> None:
    answer = any_server.http.head("/api/v2/changes")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")


def test_under_a_prefix_paths_are_matched_without_it() -> None:
    scope = {"path": "/lineage/api/v2/jobs/a/b/c", "raw_path": b"/lineage/api/v2/jobs/a%2Fb/c", "root_path": "/lineage"}
    assert raw_path(scope) == "/api/v2/jobs/a%2Fb/c"
    assert raw_path({"path": "/lineages", "raw_path": b"/lineages", "root_path": "/lineage"}) == "/lineages"


@pytest.mark.parametrize(
    "path", ["/api/v2/jobs/%FF/x", "/api/v2/jobs/%00/x", "/api/v2/graph?node=%FF", "/api/v2/graph?node=job:%00:x"]
)
def test_bytes_that_no_name_has_are_refused(any_server: Running, path: str) -> None:
    with socket.create_connection(("127.0.0.1", int(any_server.url.rpartition(":")[2]))) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        assert raw.recv(1000).startswith(b"HTTP/1.1 400 ")


def _routes(*paths: str) -> Table:
    return Table([Route("GET", path, lambda: None, path) for path in paths])


def test_a_literal_segment_wins_over_a_name_and_a_name_takes_anything() -> None:
    table = _routes("/jobs/runs/{id}", "/jobs/{ns}/{name}", "/jobs")
    found = table.find("/jobs/runs/5")
    assert found is not None
    assert (found[0]["GET"].path, found[1]) == ("/jobs/runs/{id}", ["5"])
    for path, values in (("/jobs//x", ["", "x"]), ("/jobs/a%2Fb/c", ["a/b", "c"]), ("/jobs/runs2/", ["runs2", ""])):
        found = table.find(path)
        assert found is not None
        assert (found[0]["GET"].path, found[1]) == ("/jobs/{ns}/{name}", values)


def test_a_trailing_slash_is_forgiven_where_it_means_nothing_else() -> None:
    assert _routes("/jobs").find("/jobs/") is not None
    assert _routes("/jobs").find("/jobs/x") is None
