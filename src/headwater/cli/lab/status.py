"""`headwater lab status`: a table for people, one JSON document for programs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.lab.options import Config, Home, Json, lab_packages, open_lab
from headwater.cli.output import lasting, print_json, stdout, table

if TYPE_CHECKING:
    from headwater.stack.lab import Lab
    from headwater.stack.supervisor.status import Status


def status(home: Home = None, config: Config = None, as_json: Json = False) -> None:
    """Show how every service is doing, and why; exits with 1 if one is dead or unhealthy."""
    lab = open_lab(home, config)
    with lab_packages():
        from headwater.stack.services import SERVICES
        from headwater.stack.supervisor.board import State
        from headwater.stack.supervisor.status import job_statuses, service_statuses
    services, jobs = service_statuses(lab, SERVICES), job_statuses(lab)
    if as_json:
        print_json(msgspec.json.encode({"home": str(lab.home), "services": services, "jobs": jobs}))
    else:
        print_status(stdout(), lab, [*services, *jobs])
    if any(each.state in (State.DEAD, State.UNHEALTHY) for each in (*services, *jobs)):
        raise typer.Exit(1)


def print_status(console: Console, lab: "Lab", statuses: Sequence["Status"]) -> None:
    """A row for each service and each job, and what they hold in all."""
    from headwater.stack.supervisor.board import MARKS

    notes = ("note",) if any(each.why for each in statuses) else ()
    rows = table("service", "state", "pid", "MB", "up for", "address", *notes, numbers=("pid", "MB", "up for"))
    for each in statuses:
        sign, style = MARKS[each.state]
        rows.add_row(
            each.name,
            Text(f"{sign} {each.state}", style),
            "" if each.pid is None else str(each.pid),
            "" if each.memory_mb is None else str(each.memory_mb),
            "" if each.uptime_seconds is None else lasting(int(each.uptime_seconds * 1000)),
            each.address or "(job)",
            *([Text(each.why, "dim")] if notes else []),
        )
    console.print(rows)
    running = [each for each in statuses if each.pid]
    if running:
        memory = sum(each.memory_mb or 0 for each in running)
        console.print(Text(f"{len(running)} processes, {memory:,} MB; logs and data in {lab.home}", "dim"))
    else:
        console.print(Text("nothing runs; start everything with: headwater lab up", "dim"))
