"""What is shown of the services while they start and stop: one row each, redrawn in a terminal, lines elsewhere."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Console, JustifyMethod
from rich.live import Live
from rich.table import Table
from rich.text import Text

from headwater.stack.processes.memory import resident_mb


class State(StrEnum):
    """How a service is doing."""

    WAITING = "waiting"
    PREPARING = "preparing"
    STARTING = "starting"
    HEALTHY = "healthy"
    YOURS = "yours"
    RUNNING = "running"
    UNHEALTHY = "unhealthy"
    DEAD = "dead"
    NOT_STARTED = "not started"
    STOPPING = "stopping"
    STOPPED = "stopped"


MARKS = {
    State.WAITING: ("○", "dim"),
    State.PREPARING: ("◐", "cyan"),
    State.STARTING: ("◐", "cyan"),
    State.HEALTHY: ("●", "green"),
    State.YOURS: ("◆", "green"),
    State.RUNNING: ("●", "green"),
    State.UNHEALTHY: ("▲", "yellow"),
    State.DEAD: ("✕", "red"),
    State.NOT_STARTED: ("○", "yellow"),
    State.STOPPING: ("◐", "cyan"),
    State.STOPPED: ("○", "dim"),
}
# A state in which time still runs.
MOVING = (State.PREPARING, State.STARTING, State.STOPPING)
MEASURE_EVERY = 2.0
WIDE = 110
HEADINGS = ("service", "state", "seconds", "MB", "address", "note")


@dataclass
class Row:
    """What the board knows about one service."""

    name: str
    address: str
    state: State = State.WAITING
    note: str = ""
    pid: int | None = None
    began: float | None = None
    seconds: float | None = None
    memory: int | None = None
    measured: float = 0.0
    shown: tuple[State, str] | None = None


class Board:
    """The rows of some services, shown while the board is open."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.rows: dict[str, Row] = {}
        self.lock = threading.Lock()
        self.redrawn = console.is_terminal

    def add(self, rows: Iterable[Row]) -> None:
        """Put more services on the board."""
        self.rows |= {row.name: row for row in rows}

    def say(self, text: str) -> None:
        """Print a line, above the rows."""
        self.console.print(Text(text, "dim"))

    def show(self, name: str, state: State, note: str = "", pid: int | None = None) -> None:
        """Change a row. Its clock starts when it first moves, and stands still while it rests."""
        with self.lock:
            row = self.rows[name]
            now = time.monotonic()
            if state in MOVING and (row.began is None or row.state not in MOVING):
                row.began, row.seconds = now, None
            elif state not in MOVING and row.began is not None and row.seconds is None:
                row.seconds = now - row.began
            row.state, row.note, row.pid = state, note, pid or row.pid
            if not self.redrawn:
                self.print_line(row)

    def print_line(self, row: Row) -> None:
        """Print a change where nothing can be redrawn; what is only on the way is told by its state, not each note."""
        told = (row.state, "" if row.state in MOVING else row.note)
        if row.shown == told:
            return
        row.shown = told
        after = f" after {row.seconds:.1f} s" if row.seconds is not None else ""
        where = f"  {row.address}" if row.state in (State.HEALTHY, State.YOURS) else ""
        note = f"  {told[1]}" if told[1] else ""
        self.console.print(Text(f"{MARKS[row.state][0]} {row.name} {row.state}{after}{where}{note}"))

    @contextmanager
    def open(self) -> Iterator[None]:
        """Show the rows, for as long as the block runs; the last look at them stays on the screen."""
        if not self.redrawn:
            yield
            return
        with Live(console=self.console, get_renderable=self.table, refresh_per_second=5):
            yield

    def table(self) -> Table:
        """The rows as they are now."""
        with self.lock:
            return draw(list(self.rows.values()), time.monotonic(), self.console.width)


def draw(rows: list[Row], now: float, width: int) -> Table:
    """A table of rows, one line each. Where it is narrow, what is wrong takes the place of the address."""
    narrow = width < WIDE
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in HEADINGS[:-1] if narrow else HEADINGS:
        justify: JustifyMethod = "right" if heading in ("seconds", "MB") else "left"
        table.add_column(heading, justify=justify, no_wrap=True, overflow="ellipsis")
    for row in rows:
        sign, style = MARKS[row.state]
        seconds = row.seconds if row.seconds is not None else now - row.began if row.began is not None else None
        measure(row, now)
        note = Text(row.note, "dim")
        address = Text(row.address)
        table.add_row(
            row.name,
            Text(f"{sign} {row.state}", style),
            "" if seconds is None else f"{seconds:.1f}",
            "" if row.memory is None else f"{row.memory}",
            *([note if row.note and row.state is not State.HEALTHY else address] if narrow else [address, note]),
        )
    return table


def measure(row: Row, now: float) -> None:
    """Look up the memory of a row's process, now and then: to look often is work taken from the services."""
    if row.pid and now - row.measured >= MEASURE_EVERY:
        row.memory, row.measured = resident_mb(row.pid), now
