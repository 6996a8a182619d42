"""`headwater connect diff`: what apply would change."""

from __future__ import annotations

from collections.abc import Mapping

import typer
from rich.text import Text

from headwater.cli.connect.apply import read_files
from headwater.cli.connect.options import Connect, Files, open_worker
from headwater.cli.output import safe, stdout

STYLES = {"-": "red", "+": "green", " ": "dim"}


def diff(files: Files, connect: Connect = None) -> None:
    """Show what apply would change, secrets hidden; exits with 1 if there is a difference."""
    console, different = stdout(), False
    with open_worker(connect) as worker:
        for connector in read_files(files, worker):
            there = worker.config(connector.name)
            lines = differences(there, {**connector.config, "name": connector.name})
            different = different or bool(lines)
            words = "would be created" if there is None else "would be changed" if lines else "is as in the file"
            console.print(Text(f"{safe(connector.name)} {words}", "bold" if lines else "dim"))
            for line in lines:
                console.print(Text(safe(line), STYLES.get(line[0], "")))
    if different:
        raise typer.Exit(1)


def differences(there: Mapping[str, str] | None, wished: Mapping[str, str]) -> list[str]:
    """A line for each setting that would go, come or be another; a secret that changes is told, not shown."""
    from headwater.capture.connect.redaction import redact

    before = there or {}
    shown_before, shown_wished = redact(before), redact(wished)
    lines = []
    for key in sorted(before.keys() | wished.keys()):
        if before.get(key) == wished.get(key):
            continue
        if key in before:
            lines.append(f"- {key}: {shown_before[key]}")
        if key in wished:
            lines.append(f"+ {key}: {shown_wished[key]}")
    return lines
