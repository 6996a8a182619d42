"""A Spark standalone cluster on this machine: a master and workers, each a process of its own."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.pipeline.submitting import SPARK_HOME, spark_environment, wait_for

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


@contextmanager
def running_cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Start a cluster whose workers have one core each, and yield its address."""
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        place = ("--host", "127.0.0.1", "--webui-port", "0")
        master = stack.enter_context(daemon(folder / "master.log", MASTER, *place, "--port", str(port)))
        wait_for(lambda: "I have been elected leader" in master.read_text("utf-8"), 120)
        for number in range(workers):
            room = ("--cores", "1", "--memory", "700m", "--work-dir", str(folder / f"worker-{number}"))
            stack.enter_context(daemon(folder / f"worker-{number}.log", WORKER, *place, *room, url))
        wait_for(lambda: master.read_text("utf-8").count("Registering worker") == workers, 120)
        yield url


@contextmanager
def daemon(log: Path, *command: str) -> Iterator[Path]:
    """Run one of Spark's daemons; yields its log."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(SPARK_HOME / "bin" / "spark-class"), *command],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=spark_environment() | {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC"},
            start_new_session=True,
        )
    try:
        yield log
    finally:
        process.terminate()
        process.wait(60)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
