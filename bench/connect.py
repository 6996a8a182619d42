"""The Kafka Connect agent beside many connectors: requests, processor time, memory, and how soon a change is told.

The worker is only its API (bench/connect_worker.py); the agent is `headwater connect watch` and sends to a real server.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from bench.client import BenchError, median
from bench.context import Context
from bench.processes import connect_worker, cpu_seconds, headwater, resident_mb
from bench.report import Figure, Target

GROUP = "Kafka Connect agent"
POLL_SECONDS = 5.0
NAMESPACE = "bench"


def measure(context: Context) -> Iterator[Figure]:
    """One agent, one worker API, one server."""
    connectors = context.scaled(1000, 100)
    with (
        headwater(f"sqlite:///{context.directory / 'connect.db'}") as server,
        connect_worker(connectors) as worker,
        _agent(worker.url, server.url, context.directory) as agent,
    ):
        what = f"{connectors:,} connectors with 3 tasks"
        with context.doing(f"finding {what}"):
            # Each connector's start, and what it reads and writes.
            _wait(lambda: _events(server.url) >= 2 * connectors, f"{2 * connectors} events")
        seconds = context.scaled(120, 15)
        with context.doing(f"watching {what} for {seconds} s"):
            time.sleep(POLL_SECONDS)
            asked, used = _asked(worker.url), cpu_seconds(agent)
            time.sleep(seconds)
            asked_after, used_after = _asked(worker.url), cpu_seconds(agent)
        polls = max(1, asked_after["list"] - asked["list"])
        requests = sum(asked_after.values()) - sum(asked.values())
        yield Figure(
            GROUP, f"{what}: requests a look", requests / polls, "", target=Target(2, "2 for all of them together")
        )
        share = 100 * (used_after - used) / seconds
        yield Figure(GROUP, f"{what}: processor", share, "%", target=Target(5, "under 5 % of a core"))
        memory = resident_mb(agent)
        yield Figure(GROUP, f"{what}: resident memory", memory, "MB", target=Target(100, "under 100 MB"))
        with context.doing("failing connectors"):
            times = [_time_to_tell(worker.url, server.url, number) for number in range(context.scaled(10, 2))]
        yield Figure(
            GROUP,
            f"{what}: a failure is told, slowest of {len(times)}",
            max(times),
            "s",
            target=Target(2 * POLL_SECONDS, "within 2 looks"),
            note=f"median {median(times):.1f} s",
        )


@contextmanager
def _agent(worker: str, server: str, directory: Path) -> Iterator[int]:
    """`headwater connect watch`, by its process."""
    program = Path(sys.executable).with_name("headwater")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER_", "KAFKA_"))}
    env |= {"HEADWATER_OUTBOX": str(directory / "connect" / "outbox"), "OPENLINEAGE_NAMESPACE": NAMESPACE}
    process = subprocess.Popen(
        [str(program), "connect", "watch", "--connect", worker, "--to", server],
        env=env,
        cwd=directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _events(server: str) -> int:
    return int(httpx.get(f"{server}/api/v1/events/lineage", params={"limit": 1}).json()["totalCount"])


def _asked(worker: str) -> dict[str, int]:
    found: dict[str, int] = httpx.get(f"{worker}/asked").json()
    return found


def _time_to_tell(worker: str, server: str, number: int) -> float:
    """Seconds from a connector's failure to the server's knowledge of it."""
    time.sleep(1.7)  # so that failures fall anywhere between two looks
    name = f"sink-{number:04}"
    began = time.perf_counter()
    httpx.post(f"{worker}/fail/{name}")
    path = f"{server}/api/v1/namespaces/{NAMESPACE}/jobs/{name}"
    _wait(lambda: httpx.get(path).json()["latestRun"]["state"] == "FAILED", f"{name} to be told as failed", 0.05)
    return time.perf_counter() - began


def _wait(condition: Callable[[], bool], what: str, every: float = 0.5) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        if time.monotonic() > deadline:
            raise BenchError(f"waited 300 s for {what}")
        time.sleep(every)
