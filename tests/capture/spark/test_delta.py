"""Streams between tables of Delta Lake, whose jars are fetched for this."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from headwater.artifacts import Artifact, download, repository, user_cache
from tests.capture.backends import told
from tests.capture.spark.heard import lines, names
from tests.capture.spark.programs import Event, of_job, ran

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timeout(400), pytest.mark.xdist_group("spark")]
JARS = (
    Artifact(
        "io/delta/delta-spark_2.12/3.3.2/delta-spark_2.12-3.3.2.jar",
        7_120_414,
        "4e92085d5d794cf949c50bb665b91384857cad58680c2d0bfc9c7ad353e98e85",
    ),
    Artifact(
        "io/delta/delta-storage/3.3.2/delta-storage-3.3.2.jar",
        32_229,
        "c096975a2ca97ccc9b4005aa5cce16c9ac3903139d340da6665b66ace67d7c36",
    ),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("delta")


@pytest.fixture(scope="module")
def events(folder: Path) -> list[Event]:
    """What a backend has heard of the program."""
    cache = user_cache(os.environ) / "jars"
    download(JARS, cache, repository(os.environ))
    jars = ",".join(str(cache / jar.path) for jar in JARS)
    with told() as backend:
        return ran([sys.executable, "-m", "tests.capture.spark.delta_job", str(folder), jars], folder, backend)


@pytest.mark.parametrize(
    ("job", "outputs", "columns"),
    [
        ("by_path", ["out"], ["orders.order_id -> out.order_id", "orders.price -> out.price"]),
        ("by_name", ["tables/copies"], ["orders.order_id -> copies.order_id", "orders.price -> copies.price"]),
        (
            "by_function",
            ["tables/kept", "tables/latest"],
            [
                "orders.order_id -> kept.order_id",
                "orders.order_id -> latest.order_id",
                "orders.price -> kept.price",
                "orders.price -> latest.price",
            ],
        ),
    ],
)
def test_a_stream_from_delta_into_delta_is_told_with_its_columns(
    job: str, outputs: list[str], columns: list[str], events: list[Event], folder: Path
) -> None:
    run = of_job(events, job)
    assert (run[0]["eventType"], run[-1]["eventType"]) == ("START", "COMPLETE")
    assert names(run[-1]["inputs"]) == [f"file {folder}/tables/orders"]
    assert names(run[-1]["outputs"]) == [f"file {folder}/{name}" for name in outputs]
    described = [event for event in run if event["eventType"] == "RUNNING"][-1]
    assert sorted(line for output in described["outputs"] for line in lines(output)) == columns


def test_what_delta_does_for_itself_is_no_job_and_no_dataset(events: list[Event]) -> None:
    assert {event["job"]["name"] for event in events} == {
        "delta_job",
        *(f"delta_job.create_table.default_{table}" for table in ("orders", "copies", "latest")),
        "delta_job.append_data_exec_v1.spark_catalog_default_orders",
        *("by_path", "by_name", "by_function"),
    }
    told = {each["name"] for event in events for each in (*event["inputs"], *event["outputs"])}
    assert not [name for name in told if "_delta_log" in name]
