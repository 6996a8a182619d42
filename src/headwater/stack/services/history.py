"""The Spark History Server, from pyspark's own jars: what the jobs did, also when they are over."""

from pathlib import Path

from headwater.stack.files import write_private
from headwater.stack.jars.sets import pyspark_jars
from headwater.stack.java import jvm
from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.log4j import log4j
from headwater.stack.services.probes import http_problem
from headwater.stack.services.properties import properties

LOG_LEVELS = {
    "org.apache.spark.deploy.history.HistoryServer": "info",
    # It warns that it is pure Java, as it is meant to be here.
    "org.apache.hadoop.util.NativeCodeLoader": "error",
}


def events(lab: Lab) -> Path:
    """The folder into which jobs log their events."""
    return lab.data("spark-events")


def prepare(lab: Lab) -> None:
    """Write the settings."""
    settings = {
        "spark.history.fs.logDirectory": f"file://{events(lab)}",
        "spark.history.ui.port": str(lab.ports["history"]),
        "spark.history.fs.update.interval": "5s",
        "spark.history.fs.cleaner.enabled": "true",
        "spark.history.fs.cleaner.maxAge": "7d",
        "spark.history.retainedApplications": "5",
    }
    write_private(lab.config("history") / "spark.conf", properties(settings))
    write_private(lab.config("history") / "log4j2.properties", log4j(LOG_LEVELS))


def command(lab: Lab) -> Command:
    """The History Server."""
    config = lab.config("history")
    argv = jvm(
        lab.java,
        "org.apache.spark.deploy.history.HistoryServer",
        "--properties-file",
        str(config / "spark.conf"),
        heap="320m",
        class_path=[pyspark_jars() / "*"],
        options=(f"-Dlog4j2.configurationFile={config / 'log4j2.properties'}",),
    )
    # Spark's web pages listen on this address, and on every one without it.
    return Command(argv=argv, env={"SPARK_LOCAL_IP": lab.host})


def problem(lab: Lab) -> str | None:
    """None when the list of applications can be had."""
    return http_problem(f"{lab.address('history')}/api/v1/applications?limit=1")


HISTORY = Service(
    name="history",
    title="Spark History Server 3.5.7",
    prepare=prepare,
    command=command,
    problem=problem,
    address=lambda lab: lab.address("history"),
)
