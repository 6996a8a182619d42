"""`headwater connect stop`: tasks end."""

from headwater.cli.connect.changing import change
from headwater.cli.connect.options import Connect, Names


def stop(names: Names, connect: Connect = None) -> None:
    """End the tasks of connectors; their settings and offsets stay."""
    change(names, connect, lambda worker, name: worker.stop(name), "stopped")
