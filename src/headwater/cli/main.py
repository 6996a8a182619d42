"""The command line: the list of commands, and how an error reaches the person who typed one."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import headwater
from headwater.cli.connect import app as connect_app
from headwater.cli.datasets import datasets
from headwater.cli.import_events import import_events
from headwater.cli.jobs import jobs
from headwater.cli.lab import app as lab_app
from headwater.cli.lineage import lineage
from headwater.cli.output import print_error
from headwater.cli.prune import prune
from headwater.cli.relay import relay
from headwater.cli.runs import runs
from headwater.cli.search import search
from headwater.cli.serve import serve
from headwater.cli.submit import submit
from headwater.errors import HeadwaterError, SettingError


class Commands(TyperGroup):
    """A group whose commands end with one clean line, not a traceback, on an error a person can fix."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a bad setting exits with 2, as a wrong flag does, and any other error with 1."""
        try:
            return super().invoke(ctx)
        except HeadwaterError as error:
            print_error(str(error))
            raise typer.Exit(2 if isinstance(error, SettingError) else 1) from error


app = typer.Typer(
    name="headwater",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    # A long traceback with local values would print secrets such as a database password.
    pretty_exceptions_show_locals=False,
)


def print_version(wanted: bool) -> None:
    """Print the version and end, if --version was given."""
    if wanted:
        typer.echo(f"headwater {headwater.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Lineage of data: where it comes from, where it goes, column by column."""


def add(name: str, command: Callable[..., None], example: str, takes: str = "[OPTIONS]", **settings: Any) -> None:
    """List a command, with what it takes, and an example at the foot of its --help."""
    epilog = f"Example: [cyan]{example}[/cyan]"
    app.command(name, epilog=epilog, options_metavar=takes, context_settings=settings)(command)


# A command imports the server's packages inside its function: with only headwater[cli] they are missing.
add("serve", serve, "headwater serve --port 8080 --database sqlite:///lineage.db")
add("import", import_events, "headwater import events.ndjson more.json.gz")
add("prune", prune, "headwater prune --older-than 90d --dry-run")
add("relay", relay, "headwater relay --port 5005 --to http://lineage.example:5000")
# What comes after the first word that is no option belongs to the job.
add(
    "submit",
    submit,
    "headwater submit --master 'local\\[2]' job.py",
    "[SPARK-SUBMIT'S OPTIONS] JOB.PY [ARGUMENTS]",
    allow_extra_args=True,
    ignore_unknown_options=True,
    allow_interspersed_args=False,
)
add("lineage", lineage, "headwater lineage dataset:shop:public.orders --up --depth 2")
add("jobs", jobs, "headwater jobs shop --limit 20")
add("datasets", datasets, "headwater datasets shop --json")
add("runs", runs, "headwater runs shop daily_totals")
add("search", search, "headwater search orders")
app.add_typer(connect_app)
app.add_typer(lab_app)


def main() -> None:
    """Run the command line; the entry point of the `headwater` script."""
    app()
