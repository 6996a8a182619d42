"""`headwater submit` on a real Spark: the job is the same with lineage, without it, and with all of it wrong."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.stack.java import find_java
from tests.capture.backends import Told, told, wait_for
from tests.cli.conftest import run
from tests.server.serving import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("spark")]

JOB = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Daily Totals").getOrCreate()
orders = spark.createDataFrame([("Alice", 1.5), ("Bob", 2.5)], ["supplier", "price"])
orders.write.mode("overwrite").parquet("orders")
spark.read.parquet("orders").groupBy("supplier").sum("price").write.mode("overwrite").parquet("totals")
print("the job says", spark.read.parquet("totals").count(), *sys.argv[1:])
spark.stop()
"""
OPTIONS = (
    *("--master", "local[1]", "--driver-memory", "1g"),
    *("--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1"),
    *("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1"),
)


@pytest.fixture
def backend() -> Iterator[Told]:
    with told() as running:
        yield running


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment without the settings of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENLINEAGE", "HEADWATER"))}
    own = {"HEADWATER_OUTBOX": str(folder / "outbox"), "OPENLINEAGE_NAMESPACE": "shop"}
    return {**kept, "JAVA_HOME": str(find_java(os.environ).parent.parent), "SPARK_LOCAL_IP": "127.0.0.1", **own, **more}


def command(folder: Path, code: str, *args: str) -> list[str]:
    (folder / "job.py").write_text(code)
    program = [sys.executable, "-c", "from headwater.cli.main import main; main()"]
    return [*program, "submit", *OPTIONS, *args]


def submit(
    folder: Path, code: str, *args: str, env: Mapping[str, str], options: tuple[str, ...] = ()
) -> "subprocess.CompletedProcess[str]":
    """What came of a job."""
    given = command(folder, code, *options, "job.py", *args)
    return subprocess.run(given, cwd=folder, env=env, capture_output=True, text=True, timeout=300)


def events(backend: Told) -> list[dict[str, Any]]:
    return [msgspec.json.decode(body) for request in backend.accepted for body in request.events]


def ends(backend: Told) -> dict[str, str]:
    """The last that was heard of each job."""
    return {event["job"]["name"]: event["eventType"] for event in events(backend)}


@pytest.mark.long
def test_an_unmodified_job_reports_its_lineage(backend: Told, tmp_path: Path) -> None:
    done = submit(tmp_path, JOB, "--day", "today", env=environment(tmp_path, OPENLINEAGE_URL=backend.url))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the job says 2 --day today\n"
    found = ends(backend)
    assert found["daily_totals"] == "COMPLETE"
    (wrote,) = [name for name in found if name.endswith("_totals") and name != "daily_totals"]
    assert found[wrote] == "COMPLETE"
    last = [event for event in events(backend) if event["job"]["name"] == wrote][-1]
    assert [Path(one["name"]).name for one in last["inputs"]] == ["orders"]
    assert last["outputs"][0]["facets"]["columnLineage"]["fields"]["supplier"]
    assert {event["job"]["namespace"] for event in events(backend)} == {"shop"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("more", "options", "says"),
    [
        ({"OPENLINEAGE_URL": "nonsense"}, (), "expected an address such as"),
        ({}, (), "set OPENLINEAGE_URL"),
        ({"OPENLINEAGE_URL": "{dead}"}, (), ""),
        ({"OPENLINEAGE_URL": "{dead}", "XDG_CACHE_HOME": "{cache}", "HEADWATER_MAVEN_URL": "{dead}"}, (), ""),
        ({"OPENLINEAGE_URL": "{dead}"}, ("--conf", "spark.openlineage.transport.type=kafka"), "over http only"),
        ({"OPENLINEAGE_DISABLED": "true"}, (), ""),
    ],
    ids=["wrong address", "no address", "dead backend", "no jar", "wrong transport", "off"],
)
def test_nothing_changes_when_lineage_fails(
    more: dict[str, str], options: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    places = {"dead": f"http://127.0.0.1:{free_port()}", "cache": str(tmp_path / "cache")}
    env = environment(tmp_path, **{name: value.format(**places) for name, value in more.items()})
    done = submit(tmp_path, JOB, env=env, options=options)
    assert (done.returncode, done.stdout) == (0, "the job says 2\n"), done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("sys.exit(3)", "FAIL", "exited with 3"),
        ("raise ValueError('no price')", "FAIL", "ValueError: no price"),
        ("sys.exit(0)", "COMPLETE", None),
    ],
)
def test_the_exit_code_is_the_jobs_and_the_run_says_how_it_ended(
    line: str, kind: str, message: str | None, backend: Told, tmp_path: Path
) -> None:
    code = JOB.replace("spark.stop()", line)
    env = environment(tmp_path, OPENLINEAGE_URL=backend.url)
    (tmp_path / "job.py").write_text(code)
    plain = subprocess.run(
        [str(Path(sys.executable).with_name("spark-submit")), *OPTIONS, "job.py"],
        cwd=tmp_path,
        env={**env, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        timeout=300,
    )
    done = submit(tmp_path, code, env=env)
    assert done.returncode == plain.returncode
    last = [event for event in events(backend) if event["job"]["name"] == "daily_totals"][-1]
    error = last["run"]["facets"].get("errorMessage")
    assert (last["eventType"], error and error["message"]) == (kind, message)


@pytest.mark.long
def test_a_job_that_is_told_to_end_is_aborted(backend: Told, tmp_path: Path) -> None:
    code = JOB.replace("spark.stop()", "sys.stdout.flush()\nimport time\ntime.sleep(300)")
    env = environment(tmp_path, OPENLINEAGE_URL=backend.url)
    process = subprocess.Popen(
        command(tmp_path, code, "job.py"), cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True, process_group=0
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "the job says 2\n"
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(60) != 0
        wait_for(lambda: ends(backend).get("daily_totals") == "ABORT", 30)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_without_arguments_it_teaches() -> None:
    result = run("submit")
    assert result.exit_code == 2
    assert "JOB.PY" in result.output
    assert run("submit", "--help").exit_code == 0
