"""What is shown of a pipeline that runs: where each part of the data is, what it lacks, and who brings it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.stack.lab import Lab
from headwater.stack.pipeline.job_runs import KeptJob
from headwater.stack.pipeline.watcher import SINK, Seen, Watcher

HEADINGS = ("where", "rows", "behind", "brought by", "state")
NUMBERS = ("rows", "behind")
SOURCE = "orders-source"


@dataclass(frozen=True)
class Line:
    """One place, in numbers, and who brings rows there; a number that is not known is None."""

    where: str
    rows: int | None
    behind: int | None
    bringer: str


def lines(seen: Seen | None) -> list[Line]:
    """Every place along the data's way."""
    if seen is None:
        return []
    orders, bids, windows = (seen.topics[topic] for topic in ("orders", "bids", "supplier-stats"))

    def of(bringer: str, where: str, rows: int) -> Line:
        return Line(where, rows - seen.behind[bringer], seen.behind[bringer], bringer)

    return [
        Line("shop, orders", seen.shop["orders"], None, "orders-generator"),
        Line("shop, bids", seen.shop["bids"], None, "orders-generator"),
        Line("topic orders", orders, max(0, seen.shop["orders"] - orders), SOURCE),
        Line("topic bids", bids, max(0, seen.shop["bids"] - bids), SOURCE),
        of("iceberg-ingestion", "table orders", orders),
        of("orders-s3-sink", "archive in S3", orders),
        Line("topic supplier-stats", windows, seen.behind["supplier-stats"], "supplier-stats"),
        of(SINK, "table bids", bids),
        Line("table supplier_stats", None, None, "supplier_stats"),
    ]


def states(jobs: Mapping[str, KeptJob], seen: Seen | None) -> dict[str, str]:
    """How each job and connector is doing."""
    return {**(seen.connectors if seen else {}), **{name: job.state() for name, job in jobs.items()}}


def as_table(jobs: Mapping[str, KeptJob], watcher: Watcher) -> Table:
    """For a terminal."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading in NUMBERS else "left", overflow="fold")
    how = states(jobs, watcher.seen)
    for line in lines(watcher.seen):
        state = how.pop(line.bringer, "waits for orders") if line.where != "shop, bids" else ""
        table.add_row(line.where, number(line.rows), number(line.behind), line.bringer, coloured(state))
        how[line.bringer] = ""
    for name, state in how.items():
        if state:
            table.add_row("", "", "", name, coloured(state))
    if watcher.trouble:
        table.add_row(Text(watcher.trouble, "yellow"))
    return table


def number(value: int | None) -> str:
    """A number for people, or nothing."""
    return "" if value is None else f"{value:,}"


def coloured(state: str) -> Text:
    """A state in the colour of its kind."""
    bad = state.startswith("died") or "failed" in state
    return Text(state, "red" if bad else "green" if state.startswith("running") else "dim")


def as_line(jobs: Mapping[str, KeptJob], watcher: Watcher) -> str:
    """For a log."""
    places = ", ".join(f"{line.where} {number(line.rows)}" for line in lines(watcher.seen) if line.rows is not None)
    unwell = [f"{name} {state}" for name, state in states(jobs, watcher.seen).items() if "running" not in state]
    return "; ".join(part for part in (places, *unwell, watcher.trouble) if part)


def as_json(jobs: Mapping[str, KeptJob], watcher: Watcher) -> dict[str, Any]:
    """For a program."""
    return {
        "places": [{"where": one.where, "rows": one.rows, "behind": one.behind} for one in lines(watcher.seen)],
        "states": states(jobs, watcher.seen),
        "trouble": watcher.trouble or None,
    }


def where_to_look(console: Console, lab: Lab) -> None:
    """Print the addresses that a person would like to open, and how to read what has none."""
    places = {
        "Lineage": lab.address("lineage"),
        "Spark History Server": lab.address("history"),
        "Kafka Connect": f"{lab.address('connect')}/connectors?expand=status",
        "Topics": f"orders, bids, supplier-stats at {lab.address('kafka')}",
        "Schemas": f"{lab.address('registry')}/subjects",
        "Tables": f"demo_ib.default.{{orders, bids, supplier_stats}} at {lab.address('metastore')}",
        "Objects": f"s3://fh-dev-bucket, s3://warehouse at {lab.address('object-store')}",
        "Logs": f"headwater lab logs NAME, in {lab.home / 'logs'}",
        "Read a topic": "headwater lab run show-topic orders",
        "Read a table": "headwater lab run show-table supplier_stats",
    }
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, place in places.items():
        grid.add_row(Text(name, "bold"), Text(place, "cyan"))
    console.print(grid)
    console.print(Text("Ctrl-C stops everything; the data stays for the next time.", "dim"))
    console.print()
