"""`headwater import`: load events from files."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from headwater.cli.output import stdout
from headwater.cli.serve import option, server_packages
from headwater.settings import load_settings


def import_events(
    files: Annotated[
        list[Path],
        typer.Argument(help="Files of OpenLineage events: one event a line, or one JSON array; .gz too.", exists=True),
    ],
    database: Annotated[str | None, option("database")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Read each file from its start again.")] = False,
) -> None:
    """Load events from files into the database; a server may be running on it.

    An import that was cut short goes on where it stopped, and a file that has grown is read from its old end.
    An event that is stored already is not stored twice, so importing a file again does no harm.
    """
    settings = load_settings({"database": database}, os.environ, Path.cwd())
    with server_packages():
        from headwater.store.database import open_database
        from headwater.store.importing import import_file
    console = stdout()
    store = open_database(settings.database)
    try:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            for file in files:
                task = bar.add_task(file.name, total=file.stat().st_size)
                reached = partial(_show, bar, task)
                counts = import_file(store, file, restart=restart, progress=reached)
                bar.remove_task(task)
                console.print(f"{file}: {summary(counts)}", markup=False, soft_wrap=True)
    finally:
        store.close()


def _show(bar: Progress, task: TaskID, offset: int) -> None:
    bar.update(task, completed=offset)


def summary(counts: Counter[str]) -> str:
    """What became of a file's events, in words."""
    parts = [f"{counts['events']} imported"]
    if counts["resumed"]:
        parts.append("resumed where the last import stopped (--restart reads all of it)")
    parts += [f"{counts[kind]} {kind}" for kind in ("duplicate", "out-of-order", "invalid-facet") if counts[kind]]
    if counts["rejected"]:
        parts.append(f"{counts['rejected']} rejected, kept for you under /api/v2/diagnostics?kind=rejected")
    return ", ".join(parts)
