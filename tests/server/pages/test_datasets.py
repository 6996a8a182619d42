"""The list of datasets: a row for each node, with who uses it."""

from typing import Any

import pytest

from tests.server.making import dataset, facet, run
from tests.server.pages.walking import total, walk
from tests.server.serving import Running


@pytest.fixture
def few(server: Running) -> Running:
    """A topic, a table with a second name, and a report."""
    other = facet(identifiers=[{"namespace": "hive://meta:9083", "name": "default.orders", "type": "TABLE"}])
    topic = dataset("kafka://broker:9092|orders", "key value")
    table = dataset("s3://warehouse|orders", "id price supplier", symlinks=other)
    server.post(
        run("ingest", [topic], [table], at="2026-01-01T00:00:00Z"),
        run("stats", [table], "report", at="2026-01-02T00:00:00Z"),
        run("audit", [dataset("hive://meta:9083|default.orders")], "", at="2026-01-03T00:00:00Z"),
    )
    return server


def test_a_row_counts_columns_readers_and_writers_over_all_names(few: Running) -> None:
    page: Any = few.get("/api/v2/datasets", filter="warehouse")
    (row,) = page["datasets"]
    assert row["id"] == "dataset:s3://warehouse:orders"
    assert row["aliases"] == ["dataset:hive://meta:9083:default.orders"]
    assert (row["columns"], row["readers"], row["writers"], row["dropped"]) == (3, 2, 1, False)
    assert row["updatedAt"] == "2026-01-03T00:00:00.000Z"


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"sort": "name"}, ["orders", "orders", "report"]),
        ({"filter": "ORDERS", "scheme": "kafka"}, ["orders"]),
        ({"scheme": "S3"}, ["orders"]),
        ({"namespace": "ns"}, ["report"]),
        ({"filter": "nothing"}, []),
    ],
)
def test_filters_and_orders(few: Running, params: dict[str, str], names: list[str]) -> None:
    page: Any = few.get("/api/v2/datasets", **params)
    assert [row["name"] for row in page["datasets"]] == names


def test_a_tag_finds_what_has_it_or_a_column_with_it(server: Running) -> None:
    server.post(run("load", "a", [dataset("b", "id mail"), dataset("c", "id"), dataset("d")]))
    for path in ("b/fields/mail/tags/PII", "c/tags/PII", "d/tags/GOLD"):
        assert server.http.post(f"/api/v1/namespaces/ns/datasets/{path}").is_success
    page: Any = server.get("/api/v2/datasets", tag="PII", total=True)
    assert ([row["name"] for row in page["datasets"]], page["total"]) == (["b", "c"], 2)


def test_pages_have_every_dataset_once(server: Running) -> None:
    server.post(run("job", "", " ".join(f"d{number:02}" for number in range(17))))
    for sort in ("name", "-name", "updated", "-updated"):
        rows = walk(server, "/api/v2/datasets", 4, sort=sort)
        assert sorted(row["name"] for row in rows) == [f"d{number:02}" for number in range(17)]


def test_the_total_is_counted_when_it_is_asked_for(few: Running) -> None:
    assert total(few, "/api/v2/datasets") is None
    assert total(few, "/api/v2/datasets", limit=1, total=True) == 3
    assert total(few, "/api/v2/datasets", limit=1, total=True, filter="ORDERS") == 2
