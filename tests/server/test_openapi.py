"""The document and the page describe every route, and the page loads nothing."""

import re
from typing import Any

from headwater.server.app import ROUTES
from headwater.server.openapi import document
from tests.server.serving import serving


def test_every_route_is_described_with_a_summary_and_its_parameters() -> None:
    described = document(ROUTES)
    for route in ROUTES:
        operation = described["paths"][route.path][route.method.lower()]
        assert operation["summary"], route.path
        names = {p["name"] for p in operation["parameters"]}
        assert names >= {p.name for p in route.params}
        assert all(f"{{{p['name']}}}" in route.path for p in operation["parameters"] if p["in"] == "path")


def test_operation_ids_and_type_names_are_unique_and_every_reference_leads_somewhere() -> None:
    described = document(ROUTES)
    ids = [op["operationId"] for methods in described["paths"].values() for op in methods.values()]
    assert len(ids) == len(set(ids)) == len(ROUTES)

    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
            return own.union(*(references(inner) for inner in part.values()))
        return set().union(*(references(inner) for inner in part)) if isinstance(part, list) else set()

    known = {f"#/components/schemas/{name}" for name in described["components"]["schemas"]}
    assert references(described) <= known


def test_the_page_shows_every_path_and_needs_nothing_from_elsewhere(sqlite_url: str) -> None:
    with serving(sqlite_url) as server:
        page = server.http.get("/docs")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert "<script" not in page.text
        assert not re.search(r"(src|href)=['\"](https?:)?//", page.text)
        for route in ROUTES:
            assert f">{route.path}<" in page.text
        assert server.get("/openapi.json")["openapi"] == "3.1.0"  # type: ignore[index]
