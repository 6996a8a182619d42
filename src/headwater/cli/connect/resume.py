"""`headwater connect resume`: tasks go on."""

from headwater.cli.connect.changing import change
from headwater.cli.connect.options import Connect, Names


def resume(names: Names, connect: Connect = None) -> None:
    """Let paused or stopped connectors go on."""
    change(names, connect, lambda worker, name: worker.resume(name), "resumed")
