"""`headwater connect pause`: tasks wait."""

from headwater.cli.connect.changing import change
from headwater.cli.connect.options import Connect, Names


def pause(names: Names, connect: Connect = None) -> None:
    """Let the tasks of connectors wait; they keep what they hold."""
    change(names, connect, lambda worker, name: worker.pause(name), "paused")
