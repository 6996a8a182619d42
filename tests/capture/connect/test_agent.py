"""The agent as a process, with a real server: killed, and back."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.capture.backends import headwater, wait_for
from tests.capture.connect.workers import fake_worker


@contextmanager
def agent(server: str, folder: Path, *clusters: str) -> Iterator["subprocess.Popen[bytes]"]:
    """`headwater connect watch` with short leases."""
    flags = [flag for cluster in clusters for flag in ("--connect", cluster)]
    process = subprocess.Popen(
        [sys.executable, "-c", "from headwater.cli.main import main; main()", "connect", "watch", *flags],
        env={
            **os.environ,
            "OPENLINEAGE_URL": server,
            "OPENLINEAGE_NAMESPACE": "fh-local",
            "HEADWATER_OUTBOX": str(folder / "outbox"),
            "HEADWATER_LEASE_SECONDS": "3",
        },
        cwd=folder,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def runs(server: str, job: str, namespace: str = "fh-local") -> list[tuple[str, str]]:
    """The runs of a job as (id, state)."""
    answer = httpx.get(f"{server}/api/v1/namespaces/{namespace.replace('/', '%2F')}/jobs/{job}/runs")
    return [(run["id"], state_of(server, run["id"])) for run in answer.json().get("runs", [])]


def state_of(server: str, run: str) -> str:
    return str(httpx.get(f"{server}/api/v2/runs/{run}").json()["run"]["state"])


@pytest.mark.slow
def test_runs_are_lost_when_the_agent_is_killed_and_come_back_with_it(tmp_path: Path) -> None:
    with fake_worker() as fake, headwater(tmp_path) as server:
        fake.has("runs")
        fake.has("ends")
        with agent(server.url, tmp_path, fake.url):
            wait_for(lambda: [state for _, state in runs(server.url, "runs")] == ["RUNNING"])
            wait_for(lambda: [state for _, state in runs(server.url, "ends")] == ["RUNNING"])
            before = runs(server.url, "runs")
        wait_for(lambda: [state for _, state in runs(server.url, "runs")] == ["LOST"])
        del fake.connectors["ends"]
        with agent(server.url, tmp_path, fake.url) as process:
            wait_for(lambda: runs(server.url, "runs") == before)
            wait_for(lambda: [state for _, state in runs(server.url, "ends")] == ["ABORTED"])
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


@pytest.mark.slow
def test_two_clusters_with_the_same_connector_are_two_jobs(tmp_path: Path) -> None:
    with fake_worker() as one, fake_worker() as other, headwater(tmp_path) as server:
        one.has("sink")
        other.has("sink")
        with agent(server.url, tmp_path, one.url, f"eu={other.url}"):
            wait_for(lambda: len(runs(server.url, "sink")) == 1)
            wait_for(lambda: len(runs(server.url, "sink", "fh-local/eu")) == 1)
