"""`headwater lab run`: one job of the pipeline, in the foreground."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from headwater.cli.lab.options import Config, Home, lab_packages, open_lab
from headwater.cli.output import stdout, table

if TYPE_CHECKING:
    from headwater.stack.pipeline.submit import Program


def complete_job(incomplete: str) -> list[str]:
    """The jobs whose names begin so, for the shell."""
    try:
        from headwater.stack.pipeline.submit import PROGRAMS
    except ImportError:
        return []
    return [name for name in PROGRAMS if name.startswith(incomplete)]


def run(
    context: typer.Context,
    job: Annotated[
        str | None,
        typer.Argument(help="A job of the pipeline; without one, they are listed.", autocompletion=complete_job),
    ] = None,
    home: Home = None,
    config: Config = None,
) -> None:
    """Run a job of the pipeline on the lab, in the foreground, and exit with its exit code.

    Arguments after the job's name are the job's own. Ctrl-C is passed on to it: a stream ends its micro-batch first.
    """
    lab = open_lab(home, config)
    with lab_packages():
        from headwater.stack.handover import hand_over
        from headwater.stack.jars.folders import JOB_JARS, fill_sets
        from headwater.stack.pipeline.submit import PROGRAMS, find_program, run_job
        from headwater.stack.services import SERVICES
        from headwater.stack.supervisor.readiness import require_healthy
    if job is None:
        print_jobs(PROGRAMS.values())
        return
    require_healthy(lab, SERVICES, find_program(job))
    fill_sets(lab, [JOB_JARS], Console(stderr=True), os.environ)
    hand_over(lab)
    raise typer.Exit(run_job(lab, job, context.args, say=lambda text: typer.echo(text, err=True)))


def print_jobs(jobs: Iterable["Program"]) -> None:
    """The jobs that can be run."""
    rows = table("job", "kind", "what it does")
    for job in jobs:
        rows.add_row(job.name, job.kind, job.about)
    stdout().print(rows)
