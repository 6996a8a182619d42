"""A real Spark Connect client and server; what they need beyond Spark is fetched for this."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.artifacts import Artifact, download, repository, user_cache
from headwater.stack.java import find_java
from tests.capture.backends import told
from tests.capture.processes import ROOT
from tests.capture.spark.heard import names
from tests.capture.spark.programs import Event, of_job, ran
from tests.server.serving import free_port

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("spark")]
SERVER = Artifact(
    "org/apache/spark/spark-connect_2.12/3.5.7/spark-connect_2.12-3.5.7.jar",
    14_147_901,
    "15366e21273a874c760b51fa00743a2acb8fa78642cc35d7a076a3ade0c5eef6",
)
# What the client of Spark 3.5 imports, in versions of its time.
CLIENT = ("pandas==2.2.3", "pyarrow==17.0.0", "numpy<2", "grpcio==1.62.3", "grpcio-status==1.62.3")


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder of the client's packages, installed once beside the versions of Spark that `make matrix` uses."""
    folder = ROOT / "build" / "spark" / "connect"
    if not (folder / "grpc_status").is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]
        subprocess.run([*command, str(folder), *CLIENT], check=True)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has orders."""
    folder = tmp_path_factory.mktemp("connect")
    (folder / "orders").mkdir()
    (folder / "orders" / "1.json").write_text('{"supplier": "Alice", "price": 12.5}\n')
    return folder


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    """The port of a server."""
    cache, port = user_cache(os.environ) / "jars", free_port()
    download([SERVER], cache, repository(os.environ))
    env = {**os.environ, "JAVA_HOME": str(find_java(os.environ).parent.parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-m", "tests.capture.spark.connect_server", str(port), str(cache / SERVER.path)]
    pipe = subprocess.PIPE
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            [*command, str(folder / "tables")], cwd=ROOT, env=env, stdin=pipe, stdout=pipe, stderr=log
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n", (folder / "server.log").read_text()
        yield port
        server.stdin.close()


@pytest.fixture(scope="module")
def events(port: int, packages: Path, folder: Path) -> list[Event]:
    """What a backend has heard of the client."""
    more = {"PYTHONPATH": os.pathsep.join((str(packages), str(ROOT)))}
    command = [sys.executable, "-m", "tests.capture.spark.connect_job", str(port), str(folder)]
    with told() as backend:
        return ran(command, folder, backend, more=more)


@pytest.mark.parametrize(
    ("job", "kinds", "inputs", "outputs"),
    [
        ("connect_job.save_as_table.copies", ["START", "COMPLETE"], ["orders"], ["tables/copies"]),
        ("connect_job.insert_into.copies", ["START", "COMPLETE"], [], ["tables/copies"]),
        ("ingest", ["START", "RUNNING", "COMPLETE"], ["orders"], ["ingested"]),
    ],
)
def test_what_the_client_sees_is_told(
    job: str, kinds: list[str], inputs: list[str], outputs: list[str], events: list[Event], folder: Path
) -> None:
    run = of_job(events, job)
    assert list(dict.fromkeys(event["eventType"] for event in run)) == kinds  # it may say twice that it runs
    assert names(run[-1]["inputs"]) == [f"file {folder}/{name}" for name in inputs]
    assert names(run[-1]["outputs"]) == [f"file {folder}/{name}" for name in outputs]


def test_a_write_that_fails_says_why(events: list[Event]) -> None:
    well, failed = [event for event in of_job(events, "connect_job.save.totals") if event["eventType"] != "START"]
    assert (well["eventType"], failed["eventType"]) == ("COMPLETE", "FAIL")
    assert "already exists" in failed["run"]["facets"]["errorMessage"]["message"]


def test_a_stream_that_fails_says_why_and_one_that_is_stopped_aborts(events: list[Event]) -> None:
    failed, stopped = of_job(events, "broken")[-1], of_job(events, "endless")[-1]
    assert (failed["eventType"], stopped["eventType"]) == ("FAIL", "ABORT")
    assert "the price is missing" in failed["run"]["facets"]["errorMessage"]["message"]


def test_every_run_says_that_columns_are_not_available_and_none_has_any(events: list[Event]) -> None:
    inside = [event for event in events if event["job"]["name"] != "connect_job"]
    assert all("unavailable" in event["run"]["facets"]["headwater_columns"] for event in inside)
    outputs = [output for event in inside for output in event["outputs"]]
    assert not [output for output in outputs if "columnLineage" in output["facets"]]


def test_the_application_is_around_them_and_ends_last(events: list[Event]) -> None:
    (start, *_, end) = of_job(events, "connect_job")
    assert (start["eventType"], end["eventType"], events[-1]) == ("START", "COMPLETE", end)
    parents = {event["run"]["facets"]["parent"]["run"]["runId"] for event in events if event["job"] != start["job"]}
    assert parents == {start["run"]["runId"]}
