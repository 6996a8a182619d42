"""What every measurement is given: where, on which databases, how much, and beside whom."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench import events
from bench.processes import Databases
from headwater.store.database import open_database
from headwater.store.importing import import_file


@dataclass(frozen=True)
class Peer:
    """Another server that is measured with the same client; its processor time is known if its processes are."""

    url: str
    pids: tuple[int, ...] = ()


@dataclass
class Context:
    """One run of the benchmark."""

    directory: Path
    databases: list[Databases]
    console: Console
    events: int = 10_000
    rounds: int = 3
    quick: bool = False
    peer: Peer | None = None
    marquez_web: Path | None = None
    _bulk: dict[tuple[str, int], str] = field(default_factory=dict)

    def scaled(self, full: int, quick: int) -> int:
        """How much of something: `full`, or `quick` when only the working of it all is to be seen."""
        return quick if self.quick else full

    def now(self) -> datetime:
        """The moment that events are made for: theirs is the present, as with live senders."""
        return datetime.now(UTC)

    def say(self, text: str) -> None:
        """Tell the person who waits."""
        self.console.print(f"[dim]{text}[/]")

    @contextmanager
    def doing(self, text: str) -> Iterator[None]:
        """Show that a long step is under way."""
        with self.console.status(text):
            yield

    @contextmanager
    def progress(self, text: str, total: int) -> Iterator["Step"]:
        """Show how far a long step is."""
        columns = (TextColumn(text), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.console, transient=True) as bar:
            yield Step(bar, total)

    def bulk_database(self, databases: Databases, jobs: int) -> str:
        """A database with that many bulk jobs, ten times as many datasets, and a hub; made once, by an import."""
        key = (databases.name, jobs)
        if key not in self._bulk:
            url = databases.create()
            file = self.directory / f"bulk-{jobs}.jsonl"
            if not file.exists():
                with (
                    file.open("wb") as out,
                    self.progress("writing bulk events", jobs + jobs // events.BULK_BLOCK + HUB_READERS) as step,
                ):
                    for event in (*events.hub(HUB_READERS, self.now()), *events.bulk(jobs, self.now())):
                        out.write(event + b"\n")
                        step.advance(1)
            store = open_database(url)
            try:
                text = f"importing {jobs:,} jobs, {10 * jobs:,} datasets into {databases.name}, in bytes"
                with self.progress(text, file.stat().st_size) as step:
                    import_file(store, file, progress=step.reach)
            finally:
                store.close()
            databases.settle(url)
            self._bulk[key] = url
        return self._bulk[key]


HUB_READERS = 10_000


class Step:
    """A bar that moves."""

    def __init__(self, bar: Progress, total: int) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total)

    def advance(self, count: int) -> None:
        """That much more is done."""
        self._bar.advance(self._task, count)

    def reach(self, count: int) -> None:
        """That much is done in all."""
        self._bar.update(self._task, completed=count)
