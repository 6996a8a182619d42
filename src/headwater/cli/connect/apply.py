"""`headwater connect apply`: connectors from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.connect.options import Connect, Files, open_worker
from headwater.cli.output import print_error, safe
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.capture.connect.files import Connector
    from headwater.capture.connect.worker import Worker


def apply(
    files: Files,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until all tasks run.")] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only have the worker check the settings.")] = False,
    connect: Connect = None,
) -> None:
    """Create or update connectors from JSON files; nothing is changed if the worker finds fault with one.

    A file is {"name": …, "config": {…}} or the settings alone. ${NAME} in it is filled from the environment;
    ${env:NAME}, ${file:…} and their like are left to the worker.
    """
    with open_worker(connect) as worker:
        connectors = read_files(files, worker)
        check(connectors, worker)
        if dry_run:
            typer.echo(f"the worker has no fault to find with {', '.join(safe(each.name) for each in connectors)}")
            return
        before = set(worker.names())
        for connector in connectors:
            changed = worker.put(connector)
            word = "created" if connector.name not in before else "changed" if changed else "unchanged"
            typer.echo(f"{word} {safe(connector.name)}")
        for connector in connectors if wait else ():
            worker.wait_running(connector.name)


def read_files(files: Sequence[Path], worker: Worker) -> list[Connector]:
    """The connectors of files, as this worker can run them."""
    from headwater.capture.connect.files import read
    from headwater.capture.connect.reference_smt import NAME, is_reference_smt, reference_of, without_smt

    connectors = [read(file, os.environ) for file in files]
    if not any(reference_of(each.config) for each in connectors):
        return connectors
    if any(is_reference_smt(plugin.name) for plugin in worker.plugins(everything=True)):
        return connectors
    typer.echo(f"the worker has no {NAME}, so it is left out; its settings still name job and datasets", err=True)
    return [replace(each, config=without_smt(each.config)) for each in connectors]


def check(connectors: Sequence[Connector], worker: Worker) -> None:
    """Have the worker check every connector; HeadwaterError, and each fault by its key, if it finds any."""
    faulty = 0
    for connector in connectors:
        found = worker.faults(connector)
        faulty += bool(found)
        for fault in found:
            for message in fault.messages:
                print_error(f"{connector.name}: {fault.key}: {message}")
    if faulty:
        raise HeadwaterError(f"nothing was changed: the worker finds fault with {faulty} of {len(connectors)} files")
