"""The published Python client of Marquez, doing all that it can against a running server."""

import uuid
from typing import Any

import pytest

from tests.server.making import dataset, run
from tests.server.serving import Running

pytestmark = pytest.mark.filterwarnings("ignore::Warning")


@pytest.fixture
def client(server: Running) -> Any:
    from marquez_client import MarquezClient

    return MarquezClient(url=server.url)


@pytest.fixture
def ready(client: Any) -> Any:
    client.create_namespace("shop/eu", "owner", "the shop")
    client.create_source("db", "postgresql", "jdbc:postgresql://localhost:5432/shop", "orders live here")
    return client


def test_namespaces(client: Any) -> None:
    made = client.create_namespace("shop/eu", "owner", "the shop")
    assert client.get_namespace("shop/eu") == made
    assert (made["ownerName"], made["description"]) == ("owner", "the shop")
    assert [one["name"] for one in client.list_namespaces(limit=10)["namespaces"]] == ["default", "shop/eu"]


def test_sources(ready: Any) -> None:
    source = ready.get_source("db")
    assert (source["type"], source["connectionUrl"]) == ("POSTGRESQL", "jdbc:postgresql://localhost:5432/shop")
    assert ready.list_sources(limit=5, offset=0) == {"sources": [source]}


def test_datasets_fields_and_tags(ready: Any) -> None:
    from marquez_client.models import DatasetType

    fields = [{"name": "id", "type": "INT"}, {"name": "price", "type": "DECIMAL", "description": "in euro"}]
    table = ready.create_dataset(
        "shop/eu", "public.orders", DatasetType.DB_TABLE, "orders", "db", "all orders", fields=fields, tags=["GOLD"]
    )
    assert (table["type"], table["physicalName"], table["description"]) == ("DB_TABLE", "orders", "all orders")
    assert [field["name"] for field in table["fields"]] == ["id", "price"]
    assert ready.get_dataset("shop/eu", "public.orders") == table
    stream = ready.create_dataset(
        "shop/eu", "topic", DatasetType.STREAM, "topic", "db", schema_location="http://registry/1"
    )
    assert (stream["type"], stream["schemaLocation"]) == ("STREAM", "http://registry/1")
    assert [one["name"] for one in ready.list_datasets("shop/eu")["datasets"]] == ["public.orders", "topic"]

    assert ready.tag_dataset("shop/eu", "public.orders", "PII")["tags"] == ["GOLD", "PII"]
    tagged = ready.tag_dataset_field("shop/eu", "public.orders", "price", "money")
    assert {field["name"]: field["tags"] for field in tagged["fields"]} == {"id": [], "price": ["MONEY"]}
    assert ready.create_tag("NEW", "a new one") == {"name": "NEW", "description": "a new one"}
    assert [tag["name"] for tag in ready.list_tags()["tags"]] == ["GOLD", "MONEY", "NEW", "PII"]

    versions = ready.list_dataset_versions("shop/eu", "public.orders")["versions"]
    assert len(versions) == 1
    version = versions[0]["version"]
    assert ready.get_dataset_version("shop/eu", "public.orders", version)["version"] == version
    assert version == tagged["currentVersion"]


def test_jobs_and_runs(ready: Any) -> None:
    from marquez_client.models import DatasetId, DatasetType, JobType

    for name in ("in", "out"):
        ready.create_dataset("shop/eu", name, DatasetType.DB_TABLE, name, "db")
    job = ready.create_job(
        "shop/eu",
        "load orders",
        JobType.BATCH,
        location="https://example.com/load.py",
        inputs=[DatasetId("shop/eu", "in")],
        outputs=[DatasetId("shop/eu", "out")],
        description="loads",
        context={"SQL": "select 1"},
    )
    assert job["inputs"] == [{"namespace": "shop/eu", "name": "in"}]
    assert job["outputs"] == [{"namespace": "shop/eu", "name": "out"}]
    assert ready.get_job("shop/eu", "load orders") == job
    assert ready.list_jobs("shop/eu") == {"jobs": [job], "totalCount": 1}

    wanted = str(uuid.uuid4())
    made = ready.create_job_run(
        "shop/eu",
        "load orders",
        run_id=wanted,
        nominal_start_time="2026-01-01T00:00:00Z",
        nominal_end_time="2026-01-02T00:00:00Z",
        run_args={"mail": "me@example.com"},
    )
    assert (made["id"], made["state"]) == (wanted, "NEW")
    assert (made["nominalStartTime"], made["args"]["mail"]) == ("2026-01-01T00:00:00Z", "me@example.com")
    ready.create_job("shop/eu", "load orders", JobType.BATCH, run_id=wanted)
    assert ready.mark_job_run_as_started(wanted)["state"] == "RUNNING"
    assert ready.mark_job_run_as_completed(wanted)["state"] == "COMPLETED"
    running = ready.create_job_run("shop/eu", "load orders", mark_as_running=True)
    assert running["state"] == "RUNNING"
    assert ready.mark_job_run_as_failed(running["id"], at="2099-01-01T00:00:00Z")["endedAt"] == "2099-01-01T00:00:00Z"
    third = ready.create_job_run("shop/eu", "load orders")
    assert ready.mark_job_run_as_aborted(third["id"])["state"] == "ABORTED"
    assert ready.get_job_run(wanted)["state"] == "COMPLETED"
    runs = ready.list_job_runs("shop/eu", "load orders", limit=2)
    assert (len(runs["runs"]), runs["totalCount"]) == (2, 3)
    # The runs named no datasets, so the declared ones stay.
    assert ready.get_job("shop/eu", "load orders")["inputs"] == job["inputs"]


def test_column_lineage(server: Running, client: Any) -> None:
    server.post(run("load", [dataset("a", "x")], [dataset("b", "y", {"y": ["a.x"]})]))
    expected = ["datasetField:ns:a:x", "datasetField:ns:b:y"]
    for answer in (
        client.get_column_lineage_by_dataset("ns", "b"),
        client.get_column_lineage_by_dataset_field("ns", "b", "y", depth=3),
        client.get_column_lineage_by_job("ns", "load"),
        client.get_column_lineage_by_dataset("ns", "a", with_downstream=True),
    ):
        assert [node["id"] for node in answer["graph"]] == expected
    version = client.get_dataset("ns", "b")["currentVersion"]
    answer = client.get_column_lineage_by_dataset("ns", "b", version=version)
    assert len(answer["graph"]) == 2


def test_events(server: Running, client: Any) -> None:
    server.post(run("load", "a", "b"))
    assert len(client.list_events(limit=5)["events"]) == 1


def test_what_is_not_there_is_an_api_error(client: Any) -> None:
    from marquez_client.errors import APIError

    for method, *arguments in (
        ("get_namespace", "none"),
        ("get_dataset", "none", "x"),
        ("get_job", "none", "x"),
        ("get_job_run", str(uuid.uuid4())),
    ):
        with pytest.raises(APIError):
            getattr(client, method)(*arguments)
