"""The jobs on a real cluster, with nothing of ours installed there: a wheel and a settings file are all they get."""

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.pipeline.settings import write_settings
from tests.pipeline.cluster import running_cluster
from tests.pipeline.frames import NOON, framed, order
from tests.pipeline.submitting import submitted
from tests.pipeline.world import World

ROOT = Path(__file__).parent.parent.parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our wheel, under the name of a zip file: Spark puts no other on the path of its executors."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("headwater-*.whl")
    return built.rename(folder / "headwater.zip")


def bare_python() -> str:
    """The interpreter that our environment was made from, in which nothing is installed."""
    return str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")


@pytest.mark.long
def test_every_job_runs_on_a_standalone_cluster(
    spark: SparkSession, world: World, package: Path, tmp_path: Path
) -> None:
    schema_id = world.register()
    times = {"a": NOON, "b": NOON + timedelta(seconds=1), "c": NOON + timedelta(minutes=1)}
    orders = [order(order_id=name, bid_time=time, price=1.5) for name, time in times.items()]
    world.send([*[framed(one, schema_id=schema_id) for one in orders], b"junk"])
    with running_cluster(tmp_path) as master:
        settings = world.settings
        conf = {"spark.executor.memory": "512m", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false"}
        write_settings(world.file, replace(settings, spark=replace(settings.spark, master=master, conf=conf)))
        for job, arguments in (
            ("iceberg-ingestion", ["--once"]),
            ("supplier-stats", ["--once"]),
            ("orders-s3-sink", ["--once"]),
            ("supplier_stats", ["--date", "2026-01-31"]),
            ("maintain", []),
        ):
            with submitted(
                job,
                world.file,
                *arguments,
                options=["--py-files", str(package)],
                env={"PYSPARK_PYTHON": bare_python(), "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"},
            ) as running:
                assert running.exit_code(300) == 0, f"{job}:\n{running.said()[-4000:]}"
        ran_on = {log.parent.parent.name for log in tmp_path.glob("worker-*/app-*/*/stderr")}
        assert ran_on, "no executor ran on a worker"
    table = settings.catalog.table("orders")
    assert sorted(row.order_id for row in spark.table(table).collect()) == ["a", "b", "c"]
    (hour,) = spark.table(settings.catalog.table("supplier_stats")).collect()
    assert (hour.supplier, hour.bid_hour, hour.total_price, hour.total_count) == ("Alice", 12, Decimal("4.50"), 3)
    lines = [line for lines in world.archived().values() for line in lines]
    assert sorted(line.get("order_id", "") for line in lines) == ["", "a", "b", "c"]
    assert len(world.received(settings.topics.supplier_stats)) == 1
    assert len(world.received(settings.topics.dead_letters)) == 1
