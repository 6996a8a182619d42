"""How a job is submitted with lineage around it: spark-submit's own arguments, and an environment that attaches."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import HeadwaterError

BOOTSTRAP = Path(__file__).with_name("bootstrap")
# The options of spark-submit that stand alone; every other one is followed by its value.
ALONE = frozenset({"--supervise", "--verbose", "-v", "--help", "-h", "--version", "--usage-error"})
CLUSTER = (
    "in cluster mode the driver starts on another machine, out of reach of this command, and the job runs without "
    "lineage; install headwater there, give its environment OPENLINEAGE_URL, and call headwater.spark.attach(spark)"
)
NOT_PYTHON = (
    "{job} is not a Python program, so the job runs without lineage; for Java and Scala give Spark the OpenLineage "
    "agent and point it at a relay, which you start with: headwater relay"
)
NO_JOB = "no program among the arguments; the first one after spark-submit's options is the program to run"


class NoSpark(HeadwaterError):
    """There is no spark-submit."""


@dataclass(frozen=True)
class Submission:
    """A command to run in an environment, and what the person should know about its lineage."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    warning: str = ""


def submission(args: Sequence[str], env: Mapping[str, str]) -> Submission:
    """The command that runs spark-submit with these arguments and attaches lineage to the driver."""
    home, ours = spark_home(env)
    argv = (str(home / "bin" / "spark-submit"), *args)
    # pyspark's own spark-submit is for the Python that pyspark is installed in.
    python = {"SPARK_HOME": str(home), "PYSPARK_PYTHON": env.get("PYSPARK_PYTHON") or sys.executable} if ours else {}
    around = {**env, **python}
    if warning := why_not(args):
        return Submission(argv, around, warning)
    path = os.pathsep.join(filter(None, (str(BOOTSTRAP), env.get("PYTHONPATH"))))
    return Submission(argv, {**around, "PYTHONPATH": path})


def why_not(args: Sequence[str]) -> str:
    """Why lineage cannot be attached to a job from here; '' if it can."""
    options, job = parse(args)
    if options.get("--deploy-mode", options.get("spark.submit.deployMode")) == "cluster":
        return CLUSTER
    if job is None:
        return "" if any(arg in ALONE for arg in args) else NO_JOB
    return "" if job.endswith(".py") else NOT_PYTHON.format(job=job)


def parse(args: Sequence[str]) -> tuple[dict[str, str], str | None]:
    """spark-submit's options, those behind --conf by their own names, and the program; None if there is none."""
    options: dict[str, str] = {}
    rest = iter(args)
    for arg in rest:
        if not arg.startswith("-"):
            return options, arg
        if arg in ALONE:
            continue
        name, equals, value = arg.partition("=")
        if not equals:
            value = next(rest, "")
        if name in ("--conf", "-c"):
            name, _, value = value.partition("=")
        options[name] = value
    return options, None


def spark_home(env: Mapping[str, str]) -> tuple[Path, bool]:
    """The Spark to submit with, and whether it is the one inside the pyspark package."""
    if named := env.get("SPARK_HOME"):
        home = Path(named).expanduser()
        if not (home / "bin" / "spark-submit").is_file():
            raise NoSpark(f"SPARK_HOME is {named!r}, and there is no bin/spark-submit in it; correct or unset it")
        return home, False
    package = importlib.util.find_spec("pyspark")
    if package is None or package.origin is None:
        raise NoSpark("no Spark found; set SPARK_HOME to one, or install it with: pip install pyspark")
    return Path(package.origin).parent, True
