"""What is shown of a pipeline that has run once: where its rows are, whether all agree, and what it took."""

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.pipeline.reconcile import Reconciliation, Verdict
from headwater.stack.pipeline.stages import Stages
from headwater.stack.supervisor.up import Up

HEADINGS = ("", "what", "where", "rows", "keys", "sum of prices")
NUMBERS = ("rows", "keys", "sum of prices", "seconds")
MB = 1_000_000


def show_result(console: Console, result: Reconciliation, stages: Stages, came_up: Up) -> None:
    """Print the verdict on every place, what differs, and the time of every stage."""
    console.print()
    console.print(verdict_table(result))
    for verdict in result.verdicts:
        for words in verdict.wrong:
            console.print(Text(f"✕ {verdict.tally.place}: {words}", "red"), soft_wrap=True)
    console.print()
    console.print(Text(", ".join(f"{name} {seconds:.1f} s" for name, seconds in stages.seconds.items()), "dim"))
    console.print(Text(f"{summary(stages, came_up)}", "dim"))
    agree = (
        Text("everything agrees, end to end", "green") if result.agrees else Text("not everything agrees", "bold red")
    )
    console.print(agree)


def verdict_table(result: Reconciliation) -> Table:
    """A row for each place."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading in NUMBERS else "left", overflow="fold")
    for verdict in result.verdicts:
        table.add_row(*cells(verdict))
    return table


def cells(verdict: Verdict) -> tuple[str | Text, ...]:
    """What a row of the table says."""
    tally = verdict.tally
    mark = Text("✓", "green") if verdict.agrees else Text("✕", "red")
    keys = "" if tally.keys is None else f"{tally.keys:,}"
    price = "" if tally.price is None else f"{tally.price:,}"
    return mark, tally.what, tally.place, f"{tally.rows:,}", keys, price


def summary(stages: Stages, came_up: Up) -> str:
    """What the whole run took."""
    jars = f"{came_up.jar_bytes / MB:,.0f} MB of jars, {came_up.downloaded / MB:,.0f} MB of them downloaded now"
    return f"{stages.total():.0f} s in all; {jars}"


def result_json(result: Reconciliation, stages: Stages, came_up: Up) -> dict[str, Any]:
    """The same, for a program."""
    return {
        **result.as_json(),
        "stages": {name: round(seconds, 2) for name, seconds in stages.seconds.items()},
        "seconds": round(stages.total(), 2),
        "downloaded_bytes": came_up.downloaded,
        "jar_bytes": came_up.jar_bytes,
    }


def print_json(answer: object) -> None:
    """Write an answer for a program to standard output, on one line."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
