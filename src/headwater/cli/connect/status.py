"""`headwater connect status`: a connector and each of its tasks."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from headwater.cli.connect.listing import STYLES
from headwater.cli.connect.options import Connect, Json, find_connectors, open_workers
from headwater.cli.output import print_json, safe, stdout, table

FAULTY = ("FAILED", "PARTLY_FAILED")


def status(
    names: Annotated[list[str] | None, typer.Argument(help="Connectors; all of them if none is named.")] = None,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Show how connectors and their tasks are, and why one failed; exits with 1 if one did."""
    with open_workers(connect) as workers:
        wanted = names or [f"{cluster}/{name}" for cluster, each in workers.items() for name in each.names()]
        found = [described(cluster, worker, name) for cluster, worker, name in find_connectors(workers, wanted)]
    if as_json:
        print_json(msgspec.json.encode(found))
    else:
        print_status(found)
    if any(each["state"] in FAULTY for each in found):
        raise typer.Exit(1)


def described(cluster: str, worker: Any, name: str) -> dict[str, Any]:
    """A connector and its tasks, without secrets."""
    from headwater.capture.connect.redaction import redact_text, secrets_of
    from headwater.capture.connect.status import Status, cause, state_of

    hidden = secrets_of(worker.config(name) or {})
    found = worker.status(name) or Status(name)
    return {
        "cluster": cluster,
        "name": name,
        "type": found.type,
        "state": state_of(found),
        "error": redact_text(cause(found.trace), hidden),
        "tasks": [
            {
                "id": task.id,
                "state": task.state,
                "worker": task.worker_id,
                "error": redact_text(task.cause, hidden),
            }
            for task in found.tasks
        ],
    }


def print_status(found: list[dict[str, Any]]) -> None:
    """A line for each connector, and one for each of its tasks."""
    rows = table("connector", "task", "state", "worker", "why", numbers=("task",))
    for each in found:
        rows.add_row(
            Text(safe(each["name"]), "bold"), "", Text(each["state"], STYLES.get(each["state"], "")), each["type"], ""
        )
        for task in each["tasks"]:
            state = Text(task["state"], STYLES.get(task["state"], ""))
            rows.add_row("", str(task["id"]), state, safe(task["worker"]), Text(safe(task["error"]), "red"))
    stdout().print(rows if found else Text("no connectors; bring one with: headwater connect apply FILE", "dim"))
