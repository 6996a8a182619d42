"""`headwater lab down`: stop services."""

import typer

from headwater.cli.lab.options import Config, Home, Names, lab_packages, open_lab
from headwater.cli.output import stdout


def down(names: Names = None, home: Home = None, config: Config = None) -> None:
    """Stop everything, or the named services and those that need them. What they keep stays."""
    lab = open_lab(home, config)
    if not lab.home.is_dir():
        typer.echo(f"nothing runs: there is no lab at {lab.home}")
        return
    with lab_packages():
        from headwater.stack.services import SERVICES
        from headwater.stack.supervisor.board import Board
        from headwater.stack.supervisor.stopping import down as bring_down
    stopped = bring_down(lab, SERVICES, names or (), Board(stdout()))
    typer.echo(f"stopped {len(stopped)}; what they keep is in {lab.home}" if stopped else "nothing was running")
