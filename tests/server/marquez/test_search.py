"""Search, as Marquez has it and natively."""

from typing import Any

import pytest

from tests.server.making import dataset, run
from tests.server.serving import Running


@pytest.fixture
def found(server: Running) -> Running:
    server.post(
        run("load_orders", "", [dataset("orders", "order_id Price")], at="2026-01-02T00:00:00Z"),
        run("orders", [dataset("raw.Orders_2026")], "", at="2026-01-03T00:00:00Z"),
        run("unrelated", [dataset("other|orders", "order_id")], "", at="2026-01-01T00:00:00Z"),
    )
    server.http.put("/api/v1/tags/ORDERED", json={"description": None})
    return server


def names(server: Running, **params: object) -> list[str]:
    answer: Any = server.get("/api/v1/search", **params)
    assert answer["totalCount"] == len(answer["results"])
    return [f"{one['type'].lower()}:{one['namespace']}:{one['name']}" for one in answer["results"]]


def test_a_result_has_the_fields_of_marquez(found: Running) -> None:
    answer: Any = found.get("/api/v1/search", q="load_o")
    assert answer == {
        "totalCount": 1,
        "results": [
            {
                "type": "JOB",
                "name": "load_orders",
                "updatedAt": "2026-01-02T00:00:00Z",
                "namespace": "ns",
                "nodeId": "job:ns:load_orders",
            }
        ],
    }


EVERY = [
    "job:ns:load_orders",
    "dataset:ns:orders",
    "job:ns:orders",
    "dataset:other:orders",
    "dataset:ns:raw.Orders_2026",
]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"q": "orders"}, EVERY),
        ({"q": "ORDERS"}, EVERY),
        ({"q": "orders", "limit": 2}, ["dataset:ns:orders", "job:ns:orders"]),
        ({"q": "orders", "filter": "JOB"}, ["job:ns:load_orders", "job:ns:orders"]),
        ({"q": "orders", "filter": "dataset", "namespace": "other"}, ["dataset:other:orders"]),
        ({"q": "orders_2"}, ["dataset:ns:raw.Orders_2026"]),
        ({"q": "ordersX2"}, []),
        ({"q": "lo%ers"}, ["job:ns:load_orders"]),
        ({"q": "s_"}, ["dataset:ns:raw.Orders_2026"]),
        ({"q": "l"}, ["job:ns:load_orders", "job:ns:unrelated"]),
        ({"q": "orders", "after": "2026-01-02"}, ["job:ns:orders", "dataset:ns:raw.Orders_2026"]),
        ({"q": "orders", "before": "2026-01-02"}, ["dataset:other:orders"]),
        ({"q": 'or"ders'}, []),
        ({"q": "order_id"}, []),
    ],
)
def test_names_are_found_by_any_part(found: Running, params: dict[str, object], expected: list[str]) -> None:
    assert names(found, **params) == expected


def test_results_can_be_sorted_by_time(found: Running) -> None:
    times: Any = found.get("/api/v1/search", q="orders", sort="UPDATE_AT")
    updated = [one["updatedAt"] for one in times["results"]]
    assert updated == sorted(updated, reverse=True)


def test_bad_queries_are_refused(found: Running) -> None:
    for query, keys in (
        ("", {"errors"}),
        ("q=%20", {"errors"}),
        ("q=x&limit=-1", {"errors"}),
        ("q=x&filter=TABLE", {"code", "message"}),
        ("q=x&before=yesterday", {"errors"}),
    ):
        answer = found.http.get(f"/api/v1/search?{query}")
        assert (answer.status_code, set(answer.json())) == (400, keys), query


def test_native_search_finds_columns_and_tags_too(found: Running) -> None:
    answer: Any = found.get("/api/v2/search", q="order")
    kinds = [(one["kind"], one["name"], one["column"]) for one in answer["results"]]
    assert ("column", "orders", "order_id") in kinds
    assert ("tag", "ORDERED", None) in kinds
    columns: Any = found.get("/api/v2/search", q="PRICE", kinds="column")
    assert columns["results"][0]["nodeId"] == "datasetField:ns:orders:Price"
    assert found.http.get("/api/v2/search?q=x&kinds=table").status_code == 400
    assert found.http.get("/api/v2/search?q=").status_code == 400
