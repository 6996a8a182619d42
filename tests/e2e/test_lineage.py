"""The lineage that the lab's own server has once the pipeline has run on real services."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from headwater.stack.services.lineage import NAMESPACE
from tests.cli.conftest import run
from tests.e2e.conftest import Finished
from tests.server.serving import Running, serving

# Where the pipeline runs, for which it waits: see test_pipeline.py.
pytestmark = [pytest.mark.xdist_group("services"), pytest.mark.slow, pytest.mark.timeout(900)]
STREAMS = ("iceberg-ingestion", "supplier-stats", "orders-s3-sink")
ORDERS, STATS = "dataset:s3://warehouse:orders", "dataset:s3://warehouse:supplier_stats"
OVERWRITE = "supplier_stats.overwrite_by_expression.demo_ib_default_supplier_stats"


@pytest.fixture(scope="module")
def lineage(finished: Finished) -> Iterator[Running]:
    """A server over what the lab's own has kept."""
    with serving(f"sqlite:///{finished.home / 'data' / 'lineage' / 'headwater.db'}") as running:
        yield running


def jobs(lineage: Running) -> Mapping[str, Any]:
    """The lab's jobs, by name."""
    found: Any = lineage.get(f"/api/v1/namespaces/{NAMESPACE}/jobs", limit=100)
    return {job["name"]: job for job in found["jobs"]}


def edges(lineage: Running, node: str) -> set[tuple[str, str]]:
    """What leads to a node and away from it."""
    graph: Any = lineage.get("/api/v2/graph", node=node, direction="both", depth=1)
    return {(edge["from"], edge["to"]) for edge in graph["edges"]}


def test_each_stream_is_one_job_with_one_run_that_completed(lineage: Running) -> None:
    found = jobs(lineage)
    for name in STREAMS:
        assert found[name]["latestRun"]["state"] == "COMPLETED", name
        runs: Any = lineage.get(f"/api/v1/namespaces/{NAMESPACE}/jobs/{name}/runs")
        assert runs["totalCount"] == 1, name
    # Whatever a micro-batch did, it did not become a job.
    names = [name for name in found if "." in name and "create_table" not in name]
    assert names == [OVERWRITE]


def test_the_batch_job_has_the_name_that_users_of_the_agent_know(lineage: Running) -> None:
    found = jobs(lineage)
    assert found[OVERWRITE]["latestRun"]["state"] == "COMPLETED"
    assert found["supplier_stats"]["latestRun"]["state"] == "COMPLETED"


def test_the_path_of_a_column_comes_out_of_one_command(lineage: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = run("lineage", STATS, "--column", "total_price", "--up", "--url", lineage.url)
    assert result.exit_code == 0, result.output
    steps = [line.strip("│├└─ ▤").split() for line in result.output.splitlines() if "▤" in line]
    assert [(column, namespace.partition("://")[0], rest[-1:]) for column, namespace, *rest in steps] == [
        ("supplier_stats.total_price", "s3", []),
        ("orders.price", "s3", ["AGGREGATION)"]),
        ("orders.price", "kafka", ["TRANSFORMATION)"]),
        ("shop.public.orders.price", "postgres", ["IDENTITY)"]),
    ]


def test_the_table_that_the_stream_writes_is_the_one_that_the_batch_job_reads(lineage: Running) -> None:
    found = edges(lineage, ORDERS)
    assert (f"job:{NAMESPACE}:iceberg-ingestion", ORDERS) in found
    assert (ORDERS, f"job:{NAMESPACE}:{OVERWRITE}") in found


def test_the_archive_is_a_node_although_spark_does_not_write_it(lineage: Running) -> None:
    job = f"job:{NAMESPACE}:orders-s3-sink"
    assert (job, "dataset:s3://fh-dev-bucket:orders") in edges(lineage, job)


def test_what_the_jobs_could_not_send_is_nothing(finished: Finished) -> None:
    outboxes = list(finished.home.glob("**/outbox*"))
    assert outboxes
    assert not [path for outbox in outboxes for path in outbox.glob("**/rejected.ndjson")]
