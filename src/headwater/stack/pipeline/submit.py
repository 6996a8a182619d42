"""Runs a job of the pipeline on the lab: by spark-submit, with the lab's settings, jars and Java."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from headwater import pipeline
from headwater.capture.place import DIRECTORY_VARIABLE
from headwater.errors import HeadwaterError
from headwater.pipeline.jobs import JOBS
from headwater.stack.files import write_private
from headwater.stack.handover import PIPELINE_FILE, class_path, is_local, job_jars
from headwater.stack.jars.sets import pyspark_jars
from headwater.stack.lab import Lab
from headwater.stack.processes.interrupts import handling
from headwater.stack.processes.lock import locked
from headwater.stack.processes.records import Record, created, forget, keep, running
from headwater.stack.processes.spawning import spawn
from headwater.stack.service import Command
from headwater.stack.services.log4j import log4j
from headwater.stack.supervisor.selection import unknown

# The OpenLineage agent looks into a class of the JDK that is closed to it otherwise.
JAVA_OPTIONS = ("-XX:+UseSerialGC", "--add-opens=java.base/java.security=ALL-UNNAMED")
# The second compiler takes a core for a while, which only a job that runs for long earns back.
SHORT_JOB_OPTIONS = ("-XX:TieredStopAtLevel=1",)
LOGGING = "log4j2.properties"
# Warnings of every start that nobody can or need do anything about.
LOG_LEVELS = {
    "org.apache.hadoop.util.NativeCodeLoader": "error",
    "org.apache.spark.sql.execution.streaming.ResolveWriteToStream": "error",
}


@dataclass(frozen=True)
class Program:
    """Something of the pipeline that runs on the lab: stream and batch by spark-submit, python without Spark."""

    name: str
    file: Path
    kind: str
    about: str
    # The services that it cannot do without.
    needs: tuple[str, ...]


SHOP = ("postgres",)
TOPICS = ("kafka", "registry")
TABLES = ("object-store", "metastore")
NEEDS = {"stream": (*TOPICS, *TABLES), "batch": TABLES}

HERE = Path(pipeline.__file__).parent
PROGRAMS: Mapping[str, Program] = {
    program.name: program
    for program in (
        Program("orders-generator", HERE / "generator.py", "python", "orders and bids → the shop's database", SHOP),
        *(Program(job.name, job.path, job.kind, job.about, NEEDS[job.kind]) for job in JOBS.values()),
        Program("reconcile", HERE / "reconcile_tables.py", "batch", "what the tables hold, beside the shop", TABLES),
        Program("show-topic", HERE / "show_topic.py", "python", "the newest records of a topic", TOPICS),
        Program("show-table", HERE / "show_table.py", "batch", "rows of a table", TABLES),
    )
}


def job_command(lab: Lab, name: str, args: Sequence[str] = ()) -> Command:
    """The process of a job, told about the lab by its settings file. Nothing secret is in its arguments."""
    job = find_program(name)
    told = ("--settings", str(lab.home / PIPELINE_FILE), *args)
    # What a job could not send belongs to this lab, whichever server a later one has.
    env = {"PYTHONUNBUFFERED": "1", DIRECTORY_VARIABLE: str(lab.data("outbox"))}
    if job.kind == "python":
        return Command(argv=(sys.executable, str(job.file), *told), env=env)
    package = pyspark_jars().parent
    properties = lab.config("jobs") / f"{name}.properties"
    # Standard output is for what a job has to say.
    write_private(lab.config("jobs") / LOGGING, log4j(LOG_LEVELS) + "appender.out.target = SYSTEM_ERR\n")
    write_private(properties, "".join(f"{key} {value}\n" for key, value in launch_properties(lab, job).items()))
    return Command(
        argv=(str(package / "bin" / "spark-submit"), "--properties-file", str(properties), str(job.file), *told),
        env={
            **env,
            "JAVA_HOME": str(lab.java.parent.parent),
            "SPARK_HOME": str(package),
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            # On this machine alone, nothing outside it has business with the driver.
            **({"SPARK_LOCAL_IP": "127.0.0.1"} if is_local(lab) else {}),
        },
    )


def find_program(name: str) -> Program:
    """The program of this name."""
    if name not in PROGRAMS:
        raise unknown("job", name, PROGRAMS)
    return PROGRAMS[name]


def launch_properties(lab: Lab, job: Program) -> dict[str, str]:
    """What Spark must know before the job's own code runs; the rest is in the settings file that the job reads."""
    # Spark itself is quiet from the start this way, not only once the job's code has told it to be.
    quiet = f"-Dlog4j2.configurationFile={(lab.config('jobs') / LOGGING).as_uri()}"
    options = (*JAVA_OPTIONS, quiet, *(() if job.kind == "stream" else SHORT_JOB_OPTIONS))
    jars = class_path(lab) if is_local(lab) else {"spark.jars": ",".join(job_jars(lab))}
    return {
        **jars,
        "spark.master": lab.settings.spark_master,
        "spark.driver.memory": lab.settings.spark_driver_memory,
        "spark.driver.extraJavaOptions": " ".join(options),
    }


def run_job(lab: Lab, name: str, args: Sequence[str] = (), say: Callable[[str], None] = print) -> int:
    """Run a job in the foreground and return its exit code; a request to end is passed on to it."""
    command = job_command(lab, name, args)
    asked: list[int] = []
    process: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, frame: FrameType | None) -> None:
        # A stream ends its micro-batch first; whoever asks a third time does not want to wait for that.
        asked.append(number)
        if process:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM if len(asked) < 3 else signal.SIGKILL)

    with ExitStack() as lock:
        lock.enter_context(locked(lab, say))
        if record := running(lab, name):
            raise HeadwaterError(
                f"job {name} runs already (pid {record.pid}); end it where it was started, or with: headwater lab down"
            )
        with handling(pass_on):
            process = spawn(lab, f"job:{name}", command)
            keep(lab, Record(role=f"job:{name}", pid=process.pid, created=created(process.pid)))
            lock.close()
            if asked:
                pass_on(asked[0], None)
            try:
                code = process.wait()
            finally:
                forget(lab, name)
    return code if code >= 0 else 128 - code
