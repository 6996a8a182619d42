"""`headwater connect delete`: connectors go, with their settings."""

import sys
from typing import Annotated

import typer

from headwater.cli.connect.changing import change
from headwater.cli.connect.options import Connect, Names
from headwater.cli.output import safe
from headwater.errors import HeadwaterError


def delete(
    names: Names,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    connect: Connect = None,
) -> None:
    """Take connectors away, with their settings; the worker keeps their offsets."""
    if not yes:
        listed = ", ".join(map(safe, names))
        if not sys.stdin.isatty():
            raise HeadwaterError(f"this would delete {listed}; if that is meant, add --yes")
        typer.confirm(f"Delete {listed}?", abort=True)
    change(names, connect, lambda worker, name: worker.delete(name), "deleted")
