"""`headwater prune`: bound the history."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.output import stdout
from headwater.cli.serve import option, server_packages
from headwater.errors import HeadwaterError
from headwater.settings import load_settings

_UNITS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400}


def seconds(age: str) -> int:
    """An age such as 90d, 12w or 36h, in seconds."""
    found = re.fullmatch(r"(\d+)([hdw])", age.strip())
    if found is None:
        raise HeadwaterError(f"--older-than {age!r} is not an age; expected a number and h, d or w, such as 90d")
    return int(found[1]) * _UNITS[found[2]]


def prune(
    older_than: Annotated[str, typer.Option("--older-than", help="Age past which history goes: 90d, 12w, 36h.")],
    database: Annotated[str | None, option("database")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much would go.")] = False,
) -> None:
    """Forget events, finished runs and diagnostics older than an age; current lineage stays as it is.

    Every job keeps its latest run and edges, every dataset its newest schema, version and facets. The graph as it was
    before that time can no longer be asked for. Safe while a server runs.
    """
    settings = load_settings({"database": database}, os.environ, Path.cwd())
    age = seconds(older_than)
    with server_packages():
        from headwater.store.database import open_database
        from headwater.store.pruning import prune as forget
        from headwater.store.writer import now_us
    console = stdout()
    store = open_database(settings.database)
    try:
        with console.status("pruning") as status:
            done: dict[str, int] = {}

            def show(kind: str, count: int) -> None:
                done[kind] = done.get(kind, 0) + count
                status.update("pruning: " + ", ".join(f"{number} {name}" for name, number in done.items()))

            pruned = forget(store, now_us() - age * 1_000_000, dry_run=dry_run, progress=show)
    finally:
        store.close()
    verb = "would forget" if dry_run else "forgot"
    console.print(f"{verb} {pruned.events} events, {pruned.runs} runs and {pruned.diagnostics} diagnostics")
