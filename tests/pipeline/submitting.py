"""Jobs as their own processes: submitted with spark-submit, watched by their log, ended by signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyspark

from headwater.pipeline.jobs import find_job
from headwater.pipeline.session import LAUNCH, spark_conf
from headwater.pipeline.settings import read_settings
from headwater.stack.java import find_java

SPARK_HOME = Path(pyspark.__file__).parent
# Small, and quick to start: these tests care about what happens, not about how fast.
JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


@dataclass(frozen=True)
class Submitted:
    """A job under way."""

    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text("utf-8", "replace")

    def wait_until(self, condition: Callable[[str], bool], seconds: float = 240) -> None:
        """Wait until its log is as wished."""
        wait_for(lambda: condition(self.said()) or self.process.poll() is not None, seconds, self.said)
        assert condition(self.said()), f"it ended with {self.process.poll()} before that:\n{self.said()[-3000:]}"

    def exit_code(self, seconds: float = 240) -> int:
        """Wait for its end."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {seconds} s:\n{self.said()[-3000:]}") from None

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Signal the JVM and the Python beside it, as a terminal does."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


@contextmanager
def submitted(
    job: str,
    settings: Path,
    *arguments: str,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Iterator[Submitted]:
    """Submit a job of the pipeline, and leave nothing of it behind."""
    conf = spark_conf(read_settings(settings)) | {"spark.driver.extraJavaOptions": JAVA}
    launch = [part for key in LAUNCH if key in conf for part in ("--conf", f"{key}={conf[key]}")]
    command = [str(SPARK_HOME / "bin" / "spark-submit"), *launch, *options, str(find_job(job).path)]
    log = settings.with_name(f"{job}-{time.monotonic_ns()}.log")
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--settings", str(settings), *arguments],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={
                **spark_environment(),
                "PYSPARK_PYTHON": sys.executable,
                "HEADWATER_OUTBOX": str(settings.parent / "outbox"),
                **(env or {}),
            },
            cwd=settings.parent,
            start_new_session=True,
        )
    running = Submitted(process, log)
    try:
        yield running
    finally:
        running.kill()
        process.wait()


def spark_environment() -> dict[str, str]:
    """The environment of a Spark process that keeps to this machine."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "JAVA_HOME": str(find_java(os.environ).parent.parent),
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def wait_for(condition: Callable[[], bool], seconds: float, told: Callable[[], str] = str) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not so after {seconds} s:\n{told()[-3000:]}"
        time.sleep(0.05)
