"""`headwater submit`: spark-submit, with lineage attached to a job that has no line about it."""

import os
import shutil

import typer

from headwater.errors import HeadwaterError


def submit(context: typer.Context) -> None:
    """Run a Spark job as spark-submit does, and report its lineage. The job needs no change.

    Give the arguments that you would give to spark-submit: its options, the Python program, the program's arguments.
    It uses the Spark of SPARK_HOME, else the one of the pyspark package. Exit code, signals and output are the job's.

    Where lineage goes: OPENLINEAGE_URL, openlineage.yml, or --conf spark.openlineage.transport.url=http://host:5000
    with --conf spark.openlineage.transport.type=http. The namespace: OPENLINEAGE_NAMESPACE, or --conf
    spark.openlineage.namespace=shop.

    Streams and batch are reported, column by column. What goes wrong with lineage is said on standard error, and never
    fails or delays the job. It works with any master in client mode; for cluster mode call
    headwater.spark.attach(spark) in the job.
    """
    from headwater.capture.spark.submitting import submission

    if not context.args:
        typer.echo(context.get_help())
        raise typer.Exit(2)
    found = submission(context.args, with_java(os.environ.copy()))
    if found.warning:
        typer.echo(f"headwater: {found.warning}", err=True)
    # In place of this process: whoever waits for it or signals it has to do with spark-submit alone.
    os.execve(found.argv[0], found.argv, dict(found.env))


def with_java(env: dict[str, str]) -> dict[str, str]:
    """An environment in which spark-submit finds Java: the user's, else the one that is installed as a package."""
    if env.get("JAVA_HOME") or shutil.which("java"):
        return env
    from headwater.stack.java import find_java

    try:
        return {**env, "JAVA_HOME": str(find_java(env).parent.parent)}
    except HeadwaterError:
        return env  # spark-submit says it in its own words
