"""`headwater lab reset`: back to nothing."""

import sys
from typing import Annotated

import typer

from headwater.cli.lab.options import Config, Home, lab_packages, open_lab
from headwater.cli.output import stdout
from headwater.errors import HeadwaterError


def reset(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    home: Home = None,
    config: Config = None,
) -> None:
    """Stop everything and remove all that the lab keeps: orders, topics, tables, lineage, credentials, logs.

    What was downloaded stays: it is kept once for every lab of yours.
    """
    lab = open_lab(home, config)
    if not lab.home.is_dir():
        typer.echo(f"nothing to remove: there is no lab at {lab.home}")
        return
    with lab_packages():
        from headwater.stack.services import SERVICES
        from headwater.stack.supervisor.board import Board
        from headwater.stack.supervisor.reset import reset as take_back
    if not yes:
        if not sys.stdin.isatty():
            raise HeadwaterError(f"this would remove all that the lab at {lab.home} keeps; if that is meant, add --yes")
        typer.confirm(f"Stop the lab at {lab.home} and remove all that it keeps?", abort=True)
    freed = take_back(lab, SERVICES, Board(stdout()))
    typer.echo(f"removed what the lab at {lab.home} kept ({freed / 1e6:.0f} MB); downloads stay in {lab.cache}")
