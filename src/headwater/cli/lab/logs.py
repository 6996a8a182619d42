"""`headwater lab logs`: the end of a log, and what it gains."""

from typing import Annotated

import typer

from headwater.cli.lab.leaving import ending_with_interrupt
from headwater.cli.lab.options import Config, Home, complete_service, lab_packages, open_lab
from headwater.cli.output import safe


def logs(
    name: Annotated[str, typer.Argument(help="A service, or a job.", autocompletion=complete_service)],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what comes, until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many of the last lines.")] = 50,
    home: Home = None,
    config: Config = None,
) -> None:
    """Print the end of the log of a service or a job."""
    lab = open_lab(home, config)
    with lab_packages():
        from headwater.stack.processes.logs import follow as following
        from headwater.stack.processes.logs import log_of, tail
        from headwater.stack.services import SERVICES
    file = log_of(lab, name, [service.name for service in SERVICES])
    with ending_with_interrupt():
        for line in following(file, lines, lambda: True) if follow else tail(file, lines):
            typer.echo(safe(line.expandtabs()))
