"""Namespaces: PUT, GET, list, and what a soft delete hides."""

from typing import Any

from tests.server.making import run
from tests.server.serving import Running


def test_an_empty_server_has_the_default_namespace(server: Running) -> None:
    answer: Any = server.get("/api/v1/namespaces")
    assert [one["name"] for one in answer["namespaces"]] == ["default"]
    assert server.get("/api/v1/namespaces/default")["ownerName"] == "anonymous"  # type: ignore[index]


def test_a_namespace_that_was_put_can_be_read_back_and_changed(server: Running) -> None:
    first = server.http.put("/api/v1/namespaces/mine", json={"ownerName": "me", "description": "first"}).json()
    assert set(first) == {"name", "createdAt", "updatedAt", "ownerName", "description", "isHidden"}
    assert (first["ownerName"], first["description"], first["isHidden"]) == ("me", "first", False)
    server.http.put("/api/v1/namespaces/mine", json={"ownerName": "you"})
    again: Any = server.get("/api/v1/namespaces/mine")
    assert (again["ownerName"], again["description"]) == ("you", None)
    assert again["createdAt"] == first["createdAt"]


def test_namespaces_are_listed_by_name_in_pages(server: Running) -> None:
    for name in ("c", "a", "b"):
        server.http.put(f"/api/v1/namespaces/{name}", json={"ownerName": "me"})
    page: Any = server.get("/api/v1/namespaces", limit=2, offset=1)
    assert [one["name"] for one in page["namespaces"]] == ["b", "c"]


def test_a_hostile_name_is_a_namespace_like_any_other(server: Running) -> None:
    for path, name in (
        ("s3%3A%2F%2Fbucket%2Fa%20b", "s3://bucket/a b"),
        ("%F0%9F%A6%86%23%25", "🦆#%"),
        ("", ""),
    ):
        assert server.http.put(f"/api/v1/namespaces/{path}", json={"ownerName": "me"}).status_code == 200
        assert server.get(f"/api/v1/namespaces/{path}")["name"] == name  # type: ignore[index]


def test_a_deleted_namespace_hides_what_is_in_it_until_it_is_mentioned_again(server: Running) -> None:
    server.post(run("load", "a", "b"))
    before = server.http.delete("/api/v1/namespaces/ns").json()
    assert before["isHidden"] is False
    assert server.get("/api/v1/namespaces/ns")["isHidden"] is True  # type: ignore[index]
    assert server.get("/api/v1/namespaces/ns/jobs") == {"jobs": [], "totalCount": 0}
    assert server.get("/api/v1/namespaces/ns/datasets") == {"datasets": [], "totalCount": 0}
    assert server.http.get("/api/v1/namespaces/ns/jobs/load").status_code == 404
    server.post(run("load", "a", "b", at="2099-01-01T00:00:00Z"))
    assert server.get("/api/v1/namespaces/ns")["isHidden"] is False  # type: ignore[index]
    assert server.get("/api/v1/namespaces/ns/jobs")["totalCount"] == 1  # type: ignore[index]


def test_what_is_wrong_is_answered_as_marquez_does(server: Running) -> None:
    for method, path, body, status, keys in (
        ("GET", "/api/v1/namespaces/none", None, 404, {"code", "message"}),
        ("DELETE", "/api/v1/namespaces/none", None, 404, {"code", "message"}),
        ("GET", "/api/v1/namespaces?limit=-1", None, 400, {"errors"}),
        ("GET", "/api/v1/namespaces?limit=many", None, 404, {"code", "message"}),
        ("PUT", "/api/v1/namespaces/x", b"{}", 422, {"errors"}),
        ("PUT", "/api/v1/namespaces/x", b"{", 400, {"code", "message"}),
    ):
        answer = server.http.request(method, path, content=body)
        assert (answer.status_code, set(answer.json())) == (status, keys), (method, path, answer.text)
