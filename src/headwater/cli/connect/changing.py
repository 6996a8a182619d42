"""Doing one thing to each of some connectors, and saying so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import typer

from headwater.cli.connect.options import PATIENCE_FOR_CHANGES, find_connectors, open_workers
from headwater.cli.output import safe

if TYPE_CHECKING:
    from headwater.capture.connect.worker import Worker


def change(names: Sequence[str], connect: list[str] | None, action: Callable[[Worker, str], None], done: str) -> None:
    """Do something to each connector; none is touched if one of them is not there."""
    with open_workers(connect, PATIENCE_FOR_CHANGES) as workers:
        for cluster, worker, name in find_connectors(workers, names):
            action(worker, name)
            typer.echo(f"{done} {safe(name)}" + (f" at {safe(cluster)}" if len(workers) > 1 else ""))
