"""`headwater lab pipeline`: everything runs and is shown, until Ctrl-C."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from rich.live import Live
from rich.text import Text

from headwater.stack.pipeline.job_runs import Job, KeptJob
from headwater.stack.pipeline.report import print_json
from headwater.stack.pipeline.setup import LIVE_CONNECTORS, STREAMS, Running, Wish, apply_connectors
from headwater.stack.pipeline.view import as_json, as_line, as_table, where_to_look
from headwater.stack.pipeline.watcher import Watcher
from headwater.stack.processes.interrupts import uninterrupted

GENERATOR = "orders-generator"
BATCH = "supplier_stats"
TICK = 0.5
# Where nothing can be redrawn, a line this often.
LINE_EVERY = 10.0
ENOUGH_ORDERS = 100
BATCH_EVERY = 300.0


@dataclass
class Batches:
    """When the batch job runs: once enough orders are in the table, then every few minutes, and after midnight."""

    day: date
    queue: list[Job] = field(default_factory=list)
    next_run: float = 0.0

    def due(self, orders: int, now: float, today: date) -> None:
        """Queue the days whose totals may have changed since the last run."""
        if orders < ENOUGH_ORDERS or now < self.next_run or self.queue:
            return
        days = [self.day + timedelta(days=n) for n in range((today - self.day).days + 1)]
        self.queue = [Job(BATCH, ("--date", str(day))) for day in days]
        self.day, self.next_run = today, now + BATCH_EVERY


def run_live(running: Running, wish: Wish) -> int:
    """Start the generator and the streams, show how they do, and keep them running until interrupted."""
    with running.stages.stage("connectors"):
        apply_connectors(running, LIVE_CONNECTORS)
    with kept_jobs(running, wish) as jobs, Watcher(running.settings, running.worker, STREAMS) as watcher:
        where_to_look(running.console, running.lab)
        show(running, wish, jobs, watcher)
    return 0


@contextmanager
def kept_jobs(running: Running, wish: Wish) -> Iterator[dict[str, KeptJob]]:
    """The jobs that run as long as the pipeline does; at the end first the generator goes, then the streams."""
    given = ("--rate", str(wish.rate), *optional("--orders", wish.orders), *optional("--seed", wish.seed))
    jobs = {job.name: KeptJob(running.lab, job) for job in (Job(GENERATOR, given), *map(Job, STREAMS))}
    try:
        yield jobs
    finally:
        with uninterrupted():
            # The terminal may be gone; what runs must go all the same.
            with suppress(OSError):
                running.console.print(Text("stopping the jobs; a stream ends its micro-batch first", "dim"))
            jobs.pop(GENERATOR).end()
            with ThreadPoolExecutor(len(jobs)) as pool:
                list(pool.map(KeptJob.end, jobs.values()))


def optional(flag: str, value: int | None) -> tuple[str, ...]:
    """A flag and its value, if there is one."""
    return () if value is None else (flag, str(value))


def show(running: Running, wish: Wish, jobs: dict[str, KeptJob], watcher: Watcher) -> None:
    """Look after the jobs and show them, until interrupted."""
    console, batches, next_line = running.console, Batches(datetime.now(UTC).date()), 0.0
    redrawn = console.is_terminal and not wish.as_json
    with Live(console=console, auto_refresh=False, transient=True) if redrawn else nothing() as live:
        while True:
            look_after(running, jobs, batches, watcher)
            if live:
                live.update(as_table(jobs, watcher), refresh=True)
            elif time.monotonic() >= next_line:
                next_line = time.monotonic() + LINE_EVERY
                if wish.as_json:
                    print_json(as_json(jobs, watcher))
                else:
                    console.print(Text(as_line(jobs, watcher)), soft_wrap=True)
            time.sleep(TICK)


@contextmanager
def nothing() -> Iterator[None]:
    """A display that shows nothing."""
    yield


def look_after(running: Running, jobs: dict[str, KeptJob], batches: Batches, watcher: Watcher) -> None:
    """Start what is to run, start again what died, and tell of the dead."""
    if seen := watcher.seen:
        stored = seen.topics["orders"] - seen.behind["iceberg-ingestion"]
        batches.due(stored, time.monotonic(), datetime.now(UTC).date())
    if batches.queue and (BATCH not in jobs or jobs[BATCH].finished):
        jobs[BATCH] = KeptJob(running.lab, batches.queue.pop(0))
    for job in jobs.values():
        job.look()
        while job.obituaries:
            running.console.print(Text(job.obituaries.pop(0), "red"), soft_wrap=True)
