"""`headwater connect restart`: tasks begin anew."""

from typing import Annotated

import typer

from headwater.cli.connect.changing import change
from headwater.cli.connect.options import Connect, Names


def restart(
    names: Names,
    failed: Annotated[bool, typer.Option("--failed", help="Only the tasks that failed.")] = False,
    connect: Connect = None,
) -> None:
    """Start connectors and their tasks again."""
    change(names, connect, lambda worker, name: worker.restart(name, failed_only=failed), "restarted")
