"""The pipeline's jobs as processes of the lab: run to their end, or kept running and started again when they die."""

import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.pipeline.submit import job_command
from headwater.stack.processes.records import Record, alive, ending, exit_code, forget, last_lines
from headwater.stack.processes.spawning import start, stop

TICK = 0.1
# A streaming job ends its micro-batch before it goes.
STOP_PATIENCE = 60.0
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0
# A job that ran this long had a good start: its next death is counted from the first again.
GOOD_RUN = 120.0
Clock = Callable[[], float]


class JobFailed(HeadwaterError):
    """A job that ended otherwise than well; the message has the end of its log."""


@dataclass(frozen=True)
class Job:
    """A job, the arguments to give it, and the jobs that must have ended before it starts."""

    name: str
    args: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass
class JobRun:
    """One process of a job."""

    lab: Lab
    job: Job
    record: Record

    def ended(self) -> str | None:
        """How it ended, in words, with nothing said if that was well; None while it runs."""
        # Asked in this order, a process that ends in between is seen to have ended, and how.
        running = alive(self.record)
        code = exit_code(self.record)
        if running and code is None:
            return None
        forget(self.lab, self.job.name)
        return "" if code == 0 else ending(code)

    def end(self, patience: float = STOP_PATIENCE) -> None:
        """Have it end its work and go, by force once patience runs out."""
        if process := alive(self.record):
            stop(process, patience=patience)
        exit_code(self.record)
        forget(self.lab, self.job.name)

    def lines(self) -> list[str]:
        """The end of what it wrote to its log."""
        return last_lines(self.lab, self.record)


def start_job(lab: Lab, job: Job) -> JobRun:
    """Start a job's process; its log is where `headwater lab logs` finds it."""
    return JobRun(lab, job, start(lab, f"job:{job.name}", job_command(lab, job.name, job.args)))


def run_jobs(lab: Lab, jobs: Sequence[Job], side_by_side: int, timeout: float) -> dict[str, float]:
    """Run jobs to their ends, some at a time, and return the seconds each took; JobFailed as soon as one fails."""
    waiting, took = list(jobs), dict.fromkeys((job.name for job in jobs), 0.0)
    running: dict[str, tuple[JobRun, float]] = {}
    try:
        while waiting or running:
            while len(running) < side_by_side and (job := next_job(waiting, running)):
                waiting.remove(job)
                running[job.name] = (start_job(lab, job), time.monotonic())
            for name, (run, began) in list(running.items()):
                if has_ended(run, time.monotonic() - began, timeout):
                    took[name] += time.monotonic() - began
                    del running[name]
            time.sleep(TICK)
    finally:
        for run, _ in running.values():
            run.end(patience=5.0)
    return took


def next_job(waiting: Sequence[Job], running: Container[str]) -> Job | None:
    """The first job that can start: those it comes after have ended, and none of its name, and its log, runs."""
    names = {job.name for job in waiting}
    for job in waiting:
        if job.name not in running and not any(other in names or other in running for other in job.after):
            return job
    return None


def has_ended(run: JobRun, seconds: float, timeout: float) -> bool:
    """Whether a job has ended well; JobFailed if it ended otherwise, or has been running for too long."""
    how = run.ended()
    if how is None and seconds > timeout:
        how = f"did not end within {timeout:.0f} s"
    if how:
        raise JobFailed(told(run, how))
    return how is not None


@contextmanager
def running_beside(lab: Lab, job: Job, timeout: float) -> Iterator[None]:
    """Run a job while the block does something else, and wait for its end after it."""
    run, began = start_job(lab, job), time.monotonic()
    try:
        yield
        while not has_ended(run, time.monotonic() - began, timeout):
            time.sleep(TICK)
    finally:
        run.end(patience=5.0)


def told(run: JobRun, how: str) -> str:
    """What became of a job, with the end of its log."""
    lines = "\n".join(f"    {line}" for line in run.lines())
    return f"job {run.job.name} {how}; {run.lab.log(run.job.name)} ends with:\n{lines}"


@dataclass
class KeptJob:
    """A job that is to run as long as the pipeline does: started again when it dies, after a longer wait each time."""

    lab: Lab
    job: Job
    clock: Clock = time.monotonic
    run: JobRun | None = None
    began: float = 0.0
    deaths: int = 0
    next_start: float = 0.0
    # Why it last died, with the end of its log; told once.
    obituaries: list[str] = field(default_factory=list)
    finished: bool = False

    def look(self) -> None:
        """See whether it runs, and start it if it is time to."""
        if self.run and (how := self.run.ended()) is not None:
            self.buried(self.run, how)
        if self.run is None and not self.finished and self.clock() >= self.next_start:
            self.run = start_job(self.lab, self.job)
            self.began = self.clock()

    def buried(self, run: JobRun, how: str) -> None:
        """Take note of its end; a job that ends well has done all it was asked to do."""
        self.run = None
        if not how:
            self.finished = True
            return
        self.deaths = 1 if self.clock() - self.began > GOOD_RUN else self.deaths + 1
        self.next_start = self.clock() + pause_after(self.deaths)
        self.obituaries.append(told(run, how))

    def state(self) -> str:
        """How it is doing, in words."""
        if self.run:
            return "running" + (f", started again {self.deaths}×" if self.deaths else "")
        if self.finished:
            return "done"
        return f"died, starts again in {max(0.0, self.next_start - self.clock()):.0f} s" if self.deaths else "waiting"

    def end(self) -> None:
        """Have it end its work and go, for good."""
        self.finished = True
        if self.run:
            self.run.end()
            self.run = None


def pause_after(deaths: int) -> float:
    """Seconds to wait before the next start."""
    return float(min(FIRST_PAUSE * 2 ** (deaths - 1), LONGEST_PAUSE))
