"""`headwater lab`: the orders pipeline and every real service it needs, on this machine. One file per command."""

from collections.abc import Callable
from typing import Any

import typer

from headwater.cli.lab.down import down
from headwater.cli.lab.logs import logs
from headwater.cli.lab.pipeline import pipeline
from headwater.cli.lab.reset import reset
from headwater.cli.lab.run import run
from headwater.cli.lab.status import status
from headwater.cli.lab.up import up

app = typer.Typer(
    name="lab",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def lab() -> None:
    """The orders pipeline and every real service it needs, on this machine: no Docker, no account.

    Services run in the background until [cyan]headwater lab down[/cyan].

    What they keep is in the folder [bold].lab[/bold], and survives; [bold]lab.toml[/bold] beside it sets ports.
    """


def add(name: str, command: Callable[..., None], example: str, **settings: Any) -> None:
    """List a command, with an example at the foot of its --help."""
    app.command(name, epilog=f"Example: [cyan]{example}[/cyan]", context_settings=settings)(command)


add("up", up, "headwater lab up kafka registry")
add("status", status, "headwater lab status --json")
add("logs", logs, "headwater lab logs connect -f")
add("down", down, "headwater lab down")
add("reset", reset, "headwater lab reset --yes")
# What is not ours to understand is the job's.
add("run", run, "headwater lab run iceberg-ingestion --once", allow_extra_args=True, ignore_unknown_options=True)
add("pipeline", pipeline, "headwater lab pipeline --once --orders 4000")
