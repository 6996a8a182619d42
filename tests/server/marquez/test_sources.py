"""Sources: what clients put, and what dataSource facets name."""

from typing import Any

from tests.server.making import dataset, facet, run
from tests.server.serving import Running

SOURCE = {"type": "postgresql", "connectionUrl": "jdbc:postgresql://db/x", "description": "the shop"}


def test_a_source_that_was_put_can_be_read_back_and_changed(server: Running) -> None:
    first = server.http.put("/api/v1/sources/shop%2Fdb", json=SOURCE).json()
    assert set(first) == {"type", "name", "createdAt", "updatedAt", "connectionUrl", "description"}
    assert (first["name"], first["type"]) == ("shop/db", "POSTGRESQL")
    changed = server.http.put("/api/v1/sources/shop%2Fdb", json={**SOURCE, "connectionUrl": "jdbc:x"}).json()
    assert changed["connectionUrl"] == "jdbc:x"
    assert changed["createdAt"] == first["createdAt"]
    assert server.get("/api/v1/sources/shop%2Fdb") == changed
    assert server.get("/api/v1/sources") == {"sources": [changed]}


def test_a_data_source_facet_makes_a_source(server: Running) -> None:
    table = dataset("t", dataSource=facet(name="warehouse", uri="hive://host"))
    server.post(run("load", "plain", [table]))
    listed: Any = server.get("/api/v1/sources")
    assert [one["name"] for one in listed["sources"]] == ["warehouse"]
    assert server.get("/api/v1/namespaces/ns/datasets/t")["sourceName"] == "warehouse"  # type: ignore[index]
    assert server.get("/api/v1/namespaces/ns/datasets/plain")["sourceName"] == "default"  # type: ignore[index]


def test_an_unknown_source_is_404_and_a_bad_one_422(server: Running) -> None:
    assert server.http.get("/api/v1/sources/none").json() == {"code": 404, "message": "Source 'none' not found."}
    answer = server.http.put("/api/v1/sources/x", json={"type": "POSTGRESQL"})
    assert answer.status_code == 422
    assert "connectionUrl" in answer.json()["errors"][0]
