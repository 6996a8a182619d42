"""`headwater connect list`: every connector, with its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from headwater.cli.connect.options import Connect, Json, open_workers
from headwater.cli.output import print_json, safe, stdout, table

if TYPE_CHECKING:
    from headwater.capture.connect.worker import Worker

STYLES = {
    "RUNNING": "cyan",
    "PAUSED": "yellow",
    "STOPPED": "yellow",
    "FAILED": "red",
    "PARTLY_FAILED": "red",
    "RESTARTING": "dim",
    "UNASSIGNED": "dim",
}


class Row(msgspec.Struct, rename={"kind": "class"}):
    """What is shown of a connector."""

    cluster: str
    name: str
    state: str
    type: str
    kind: str
    tasks: int
    failed: int
    error: str


def list_connectors(connect: Connect = None, as_json: Json = False) -> None:
    """List connectors with their state, which is that of their tasks."""
    with open_workers(connect) as workers:
        found = [row for cluster, worker in workers.items() for row in rows_of(cluster, worker)]
    if as_json:
        print_json(msgspec.json.encode(found))
        return
    console = stdout()
    where = ("cluster",) if len({row.cluster for row in found}) > 1 else ()
    shown = table("state", *where, "connector", "type", "tasks", "class", "why", numbers=("tasks",))
    for row in found:
        shown.add_row(
            Text(row.state, STYLES.get(row.state, "")),
            *(Text(safe(row.cluster), "dim") for _ in where),
            Text(safe(row.name), "bold"),
            row.type,
            f"{row.tasks - row.failed}/{row.tasks}",
            Text(safe(row.kind.rpartition(".")[2]), "dim"),
            Text(safe(row.error), "red"),
        )
    console.print(shown if found else Text("no connectors; bring one with: headwater connect apply FILE", "dim"))


def rows_of(cluster: str, worker: Worker) -> list[Row]:
    """The connectors of a cluster."""
    from headwater.capture.connect.answers import Info
    from headwater.capture.connect.redaction import redact_text, secrets_of
    from headwater.capture.connect.status import Status, cause, state_of

    rows = []
    for name, listed in sorted(worker.look().items()):
        status = msgspec.json.decode(listed.status, type=Status)
        config = msgspec.json.decode(listed.info, type=Info).config
        why = redact_text(cause(status.trace), secrets_of(config))
        kind = config.get("connector.class", "")
        rows.append(Row(cluster, name, state_of(status), status.type, kind, len(status.tasks), len(status.failed), why))
    return rows
