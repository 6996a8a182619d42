"""Figures, what they are held against, and how they are printed."""

import os
import platform
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Target:
    """The value to reach, and the rule that it comes from."""

    value: float
    rule: str


@dataclass(frozen=True)
class Figure:
    """One measured value, beside what others need for the same and what it should be."""

    group: str
    what: str
    value: float
    unit: str
    marquez: float | None = None
    limit: float | None = None
    peer: float | None = None
    target: Target | None = None
    more_is_better: bool = False
    note: str = ""

    @property
    def times(self) -> float | None:
        """How many times better than Marquez."""
        if self.marquez is None or not self.value or not self.marquez:
            return None
        return self.value / self.marquez if self.more_is_better else self.marquez / self.value

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if self.target is None:
            return None
        return self.value >= self.target.value if self.more_is_better else self.value <= self.target.value

    @property
    def verdict(self) -> str:
        """The same in words: met, or missed and by how much."""
        if self.target is None:
            return ""
        if self.met:
            return "met"
        return f"missed by {abs(self.value / self.target.value - 1):.0%}"


HEADS = ("what", "Headwater", "Marquez", "times better", "limit", "target", "verdict")


def cells(figure: Figure, with_peer: bool) -> list[str]:
    """A figure as a row of a table."""
    note = f" ({figure.note})" if figure.note else ""
    target = "" if figure.target is None else f"{shown(figure.target.value, figure.unit)}: {figure.target.rule}"
    row = [
        figure.what + note,
        shown(figure.value, figure.unit),
        shown(figure.marquez, figure.unit),
        "" if figure.times is None else f"{_short(figure.times)}×",
        shown(figure.limit, figure.unit),
        target,
        figure.verdict,
    ]
    if with_peer:
        row.insert(4, shown(figure.peer, figure.unit))
    return row


def heads(with_peer: bool) -> list[str]:
    """The columns."""
    return [*HEADS[:4], *(["peer"] if with_peer else []), *HEADS[4:]]


def shown(value: float | None, unit: str) -> str:
    """A value with its unit, to three digits."""
    if value is None:
        return ""
    if unit == "s" and value < 0.9995:
        value, unit = value * 1000, "ms"
    return f"{_short(value)} {unit}".strip()


def _short(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.001 else f"{value:.1e}"


def print_figures(console: Console, figures: Sequence[Figure], with_peer: bool) -> None:
    """Every group as a table of its own."""
    for group in dict.fromkeys(figure.group for figure in figures):
        table = Table(title=group, title_justify="left", title_style="bold")
        for number, head in enumerate(heads(with_peer)):
            text = number == 0 or head in ("target", "verdict")
            table.add_column(head, justify="left" if text else "right", overflow="fold")
        for figure in figures:
            if figure.group == group:
                style = {True: "green", False: "red", None: ""}[figure.met]
                *row, verdict = cells(figure, with_peer)
                table.add_row(*row, f"[{style}]{verdict}[/]" if style else verdict)
        console.print(table)


def markdown(figures: Sequence[Figure], with_peer: bool, notes: Iterable[str]) -> str:
    """Every figure as one table to paste, with the machine under it."""
    names = ["", *heads(with_peer)]
    lines = [_line(names), _line(["---"] * len(names))]
    last = ""
    for figure in figures:
        lines.append(_line([figure.group if figure.group != last else "", *cells(figure, with_peer)]))
        last = figure.group
    return "\n".join([*lines, "", *(f"{note}  " for note in notes)]) + "\n"


def _line(row: Iterable[str]) -> str:
    return f"| {' | '.join(row)} |"


# -- the machine -----------------------------------------------------------------------------------


def machine(directory: Path) -> list[str]:
    """What these figures were measured on, and how busy it was."""
    processor = _first(r"model name\s*:\s*(.+)", "/proc/cpuinfo") or platform.processor() or "unknown processor"
    memory = int(_first(r"MemTotal:\s*(\d+)", "/proc/meminfo") or 0) / 1024**2
    system = _first(r'PRETTY_NAME="?([^"\n]+)', "/etc/os-release") or platform.system()
    return [
        f"Machine: {os.cpu_count()} cores of {processor}, {memory:.0f} GiB, {system} ({platform.release()}), "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}.",
        f"An fsync takes {fsync_seconds(directory) * 1000:.2f} ms here (median); "
        f"load before the start {os.getloadavg()[0]:.1f}.",
    ]


def _first(pattern: str, file: str) -> str | None:
    try:
        match = re.search(pattern, Path(file).read_text())
    except OSError:
        return None
    return match[1].strip() if match else None


def fsync_seconds(directory: Path) -> float:
    """How long it takes until one more page of a file is on disk: no durable commit is faster."""
    times = []
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        for _ in range(50):
            file.write(bytes(4096))
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]
