"""Real Spark programs that are stopped, killed, frozen or left alone, and what a real server says of their runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.stack.java import find_java
from tests.capture.backends import Headwater, headwater, wait_for
from tests.capture.processes import ROOT

LEASE_SECONDS = 3
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("spark")]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Headwater]:
    with headwater(tmp_path) as server:
        yield server


class Job:
    """A program that runs a stream."""

    def __init__(self, process: subprocess.Popen[str], server: Headwater) -> None:
        self.process, self._server = process, server
        assert process.stdout is not None
        # Spark's own launcher has something to say first.
        self.run = next((line.strip() for line in process.stdout if UUID.fullmatch(line.strip())), "")
        assert self.run, "it did not start"

    def signal(self, number: int) -> None:
        """Send a signal to the program, or to all that it has started."""
        os.kill(self.process.pid, number)

    def facts(self) -> dict[str, Any]:
        """What the server knows of the run."""
        answer = httpx.get(f"{self._server.url}/api/v2/runs/{self.run}", timeout=30)
        found: dict[str, Any] = answer.json() if answer.status_code == 200 else {"run": {"state": "unknown"}}
        return found

    def state(self) -> str:
        return str(self.facts()["run"]["state"])

    def wait_for_state(self, state: str) -> None:
        """The test fails if the run does not get there."""
        wait_for(lambda: self.state() == state, 60)


@contextmanager
def job(how: str, folder: Path, server: Headwater, *command: str) -> Iterator[Job]:
    """A program that has started its stream; it is killed at the end with all that it has started."""
    env = {
        **os.environ,
        "OPENLINEAGE_URL": server.url,
        "OPENLINEAGE_NAMESPACE": "ends",
        "HEADWATER_OUTBOX": str(folder / "outbox"),
        "HEADWATER_LEASE_SECONDS": str(LEASE_SECONDS),
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": sys.executable,
        "JAVA_HOME": str(find_java(os.environ).parent.parent),
    }
    program = [*(command or (sys.executable, "-m", "tests.capture.spark.stream_job")), how, str(folder)]
    with (folder / f"{how}.log").open("w") as log:
        process = subprocess.Popen(
            program, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
    try:
        yield Job(process, server)
    finally:
        with_all(process, signal.SIGKILL)
        process.communicate()


def with_all(process: subprocess.Popen[str], number: int) -> None:
    """Send a signal to a program and to its JVM."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


# -- quick enough for every day --------------------------------------------------------------------


def test_a_program_that_is_killed_is_lost_and_its_next_run_names_the_lost_one(
    tmp_path: Path, server: Headwater
) -> None:
    with job("wait", tmp_path, server) as killed:
        killed.wait_for_state("RUNNING")
        with_all(killed.process, signal.SIGKILL)
        killed.wait_for_state("LOST")
        assert f"nothing was heard of it for {LEASE_SECONDS} s" in killed.facts()["lost"]["reason"]
    with job("finite", tmp_path, server) as next:
        next.wait_for_state("COMPLETED")
        follows = next.facts()["facets"]["headwater_follows"]
        assert follows["runId"] == killed.run
        assert follows["reason"] == "started from its checkpoint: that run ended without a word"


@pytest.mark.long
def test_sigterm_aborts_the_run_and_ends_the_program(tmp_path: Path, server: Headwater) -> None:
    with job("wait", tmp_path, server) as ended:
        ended.signal(signal.SIGTERM)
        assert ended.process.wait(30) == -signal.SIGTERM
        ended.wait_for_state("ABORTED")


# -- the rest --------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "state", "code"),
    [
        ("finite", "COMPLETED", 0),
        ("stop", "ABORTED", 0),
        ("session", "ABORTED", 0),
        ("leave", "ABORTED", 0),
        ("raise", "ABORTED", 1),
        ("broken", "FAILED", 1),
    ],
)
def test_a_run_ends_as_its_program_does(how: str, state: str, code: int, tmp_path: Path, server: Headwater) -> None:
    with job(how, tmp_path, server) as ended:
        assert ended.process.wait(60) == code
        ended.wait_for_state(state)
        if state == "FAILED":
            assert "the price is missing" in ended.facts()["error"]["stackTrace"]


@pytest.mark.long
def test_ctrl_c_aborts_the_run(tmp_path: Path, server: Headwater) -> None:
    with job("wait", tmp_path, server) as ended:
        with_all(ended.process, signal.SIGINT)  # as a terminal does
        assert ended.process.wait(30) != 0
        ended.wait_for_state("ABORTED")


@pytest.mark.long
def test_a_program_that_is_frozen_is_lost_and_comes_back(tmp_path: Path, server: Headwater) -> None:
    with job("wait", tmp_path, server) as frozen:
        frozen.wait_for_state("RUNNING")
        with_all(frozen.process, signal.SIGSTOP)
        frozen.wait_for_state("LOST")
        with_all(frozen.process, signal.SIGCONT)
        frozen.wait_for_state("RUNNING")
        frozen.signal(signal.SIGTERM)
        frozen.wait_for_state("ABORTED")


@pytest.mark.long
def test_a_jvm_that_is_killed_under_its_program_fails_the_run(tmp_path: Path, server: Headwater) -> None:
    with job("wait", tmp_path, server) as ended:
        children = Path(f"/proc/{ended.process.pid}/task/{ended.process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        ended.wait_for_state("FAILED")
        assert "JVM is gone" in ended.facts()["error"]["message"]


@pytest.mark.long
def test_sigterm_to_spark_submit_aborts_the_run(tmp_path: Path, server: Headwater) -> None:
    import pyspark

    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    program = str(Path(__file__).parent / "stream_job.py")
    with job("wait", tmp_path, server, submit, "--master", "local[1]", program) as ended:
        ended.signal(signal.SIGTERM)
        ended.process.wait(60)
        ended.wait_for_state("ABORTED")


@pytest.mark.long
def test_events_of_a_program_that_found_no_server_arrive_when_there_is_one(tmp_path: Path, server: Headwater) -> None:
    server.stop()
    with job("finite", tmp_path, server) as alone:
        assert alone.process.wait(60) == 0
    server.start()
    with job("finite", tmp_path, server) as next:
        next.wait_for_state("COMPLETED")
        alone.wait_for_state("COMPLETED")
