"""The pipeline's Spark jobs on real services, and the lineage that the lab's own server has of them afterwards."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.openlineage.naming import kafka_namespace
from headwater.pipeline.settings import PipelineSettings, write_settings
from headwater.stack.lab import Lab
from tests.cli.conftest import run
from tests.pipeline.submitting import submitted
from tests.pipeline.world import World, new_world

pytestmark = pytest.mark.timeout(900)
STREAMS = ("iceberg-ingestion", "supplier-stats", "orders-s3-sink")


@pytest.fixture(scope="module")
def world(settings: PipelineSettings, running_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A corner of the lab with a namespace of jobs of its own, in which every job of the pipeline has run once."""
    folder = tmp_path_factory.mktemp("lineage")
    made = new_world(settings, folder)
    own = replace(made.settings, lineage=replace(settings.lineage, namespace=made.settings.catalog.namespace))
    write_settings(made.file, own)
    world = World(own, made.file)
    schema_id = world.register()
    world.send_orders(range(50), schema_id)
    day = ("--date", f"{datetime.now(UTC):%Y-%m-%d}")
    for job, arguments in (*((stream, ("--once",)) for stream in STREAMS), ("supplier_stats", day)):
        with submitted(job, world.file, *arguments) as running:
            assert running.exit_code() == 0, running.said()
    return world


def get(world: World, path: str, **params: str) -> Any:
    answer = httpx.get(f"{world.settings.lineage.url}{path}", params=params, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def jobs(world: World) -> Mapping[str, Any]:
    """The jobs of this corner, by name."""
    found = get(world, f"/api/v1/namespaces/{world.settings.lineage.namespace}/jobs", limit="100")
    return {job["name"]: job for job in found["jobs"]}


def find(world: World, name: str) -> str:
    """The node of a table of this corner, wherever the catalog has put it."""
    found = get(world, "/api/v1/search", q=f"{world.settings.catalog.namespace}", limit="100")
    (node,) = {
        one["nodeId"]
        for one in found["results"]
        if one["type"] == "DATASET" and one["namespace"] == "s3://warehouse" and one["name"].endswith(f"/{name}")
    }
    return str(node)


def test_each_stream_is_one_job_with_one_run_that_completed(world: World) -> None:
    found = jobs(world)
    for name in STREAMS:
        assert found[name]["latestRun"]["state"] == "COMPLETED", name
        runs = get(world, f"/api/v1/namespaces/{world.settings.lineage.namespace}/jobs/{name}/runs")
        assert runs["totalCount"] == 1, name
    # Whatever a micro-batch did, it did not become a job.
    names = [name for name in found if "." in name and "create_table" not in name]
    assert all(name.startswith("supplier_stats.") for name in names), names


def test_the_batch_job_has_the_name_that_users_of_the_agent_know(world: World) -> None:
    found = jobs(world)
    target = f"demo_ib_{world.settings.catalog.namespace}_supplier_stats"
    overwrite = found[f"supplier_stats.overwrite_by_expression.{target}"]
    assert overwrite["latestRun"]["state"] == "COMPLETED"
    assert found["supplier_stats"]["latestRun"]["state"] == "COMPLETED"


def test_the_path_of_a_column_comes_out_of_one_command(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    stats = find(world, "supplier_stats")
    result = run("lineage", stats, "--column", "total_price", "--up", "--url", world.settings.lineage.url)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    steps = [line.strip("│├└─ ▤") for line in lines]
    orders = next(line for line in steps if "orders.price" in line and "s3://warehouse" in line)
    assert "AGGREGATION" in orders
    topic = f"{world.settings.topics.orders}.price  {kafka_namespace(world.settings.kafka.bootstrap)}"
    assert any(line.startswith(topic) for line in steps), result.output


def test_the_table_that_the_stream_writes_is_the_one_that_the_batch_job_reads(world: World) -> None:
    graph = get(world, "/api/v2/graph", node=find(world, "orders"), direction="both", depth="1")
    edges = {(edge["from"], edge["to"]) for edge in graph["edges"]}
    namespace, node = world.settings.lineage.namespace, graph["node"]
    assert (f"job:{namespace}:iceberg-ingestion", node) in edges
    target = f"demo_ib_{world.settings.catalog.namespace}_supplier_stats"
    assert (node, f"job:{namespace}:supplier_stats.overwrite_by_expression.{target}") in edges


def test_the_archive_is_a_node_although_spark_does_not_write_it(world: World) -> None:
    job = f"job:{world.settings.lineage.namespace}:orders-s3-sink"
    graph = get(world, "/api/v2/graph", node=job, direction="down", depth="1")
    bucket, _, prefix = world.settings.s3.archive.removeprefix("s3://").partition("/")
    assert {edge["to"] for edge in graph["edges"]} == {f"dataset:s3://{bucket}:{prefix}"}


def test_what_the_jobs_could_not_send_is_nothing(world: World) -> None:
    assert not list(Path(world.file.parent / "outbox").glob("**/rejected.ndjson"))
