"""`headwater lab pipeline`: services, connectors and jobs together."""

from typing import Annotated

import typer
from rich.console import Console

from headwater.cli.lab.leaving import told_in_lines
from headwater.cli.lab.options import Config, Home, Json, lab_packages, open_lab
from headwater.cli.output import stdout


def pipeline(
    once: Annotated[
        bool, typer.Option("--once", help="Run each stage to its end, compare the counts end to end, and exit.")
    ] = False,
    rate: Annotated[float | None, typer.Option(min=0.1, help="Orders a second.", show_default="10")] = None,
    orders: Annotated[
        int | None, typer.Option(min=1, help="How many orders.", show_default="4000 with --once, else no end")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Make the same orders as the last run with this number.")] = None,
    as_json: Json = False,
    home: Home = None,
    config: Config = None,
) -> None:
    """Start everything, run the jobs, and go on until Ctrl-C; with --once, prove that nothing was lost, and exit."""
    lab = open_lab(home, config, make=True)
    with lab_packages():
        from headwater.stack.pipeline.run import run_pipeline
    console = Console(stderr=True, highlight=False) if as_json else stdout()
    with told_in_lines():
        code = run_pipeline(lab, console, once=once, rate=rate, orders=orders, as_json=as_json, seed=seed)
    raise typer.Exit(code)
