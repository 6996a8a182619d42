"""The record of each process started for the lab: how it is known again by a later command."""

import re
import signal
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import psutil

from headwater.stack.files import private_folder, write_private
from headwater.stack.lab import Lab
from headwater.stack.processes.children import code_of
from headwater.stack.processes.logs import tail

# Clocks are read twice to find when a process began; a process with the same id cannot be this near in time.
SAME_MOMENT = 1.0
FRAME = re.compile(r"\s+(at \S+\(|\.\.\. \d+ more)")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A process that was started for the lab. Its create time tells it from a later process with the same id."""

    # service:kafka, job:supplier-stats or tool:initdb.
    role: str
    pid: int
    created: float
    # Where in its log file this process began to write.
    log_start: int = 0
    # What the lab was like when it started.
    fingerprint: str = ""
    # Whether all that follows a start was done.
    ready: bool = False

    @property
    def name(self) -> str:
        """The name of the service or the job."""
        return self.role.partition(":")[2]

    @property
    def kind(self) -> str:
        """service, job or tool."""
        return self.role.partition(":")[0]


def created(pid: int) -> float:
    """When a process began; 0 if it is gone already."""
    try:
        began: float = psutil.Process(pid).create_time()
    except psutil.Error:
        return 0.0
    return began


def record_file(lab: Lab, name: str) -> Path:
    """Where the record of a service or job is kept."""
    return private_folder(lab.run() / "processes") / f"{name}.json"


def keep(lab: Lab, record: Record) -> None:
    """Write a record, whole or not at all."""
    write_private(record_file(lab, record.name), msgspec.json.encode(record).decode())


def mark_ready(lab: Lab, record: Record) -> None:
    """Record that all that follows a start was done."""
    keep(lab, replace(record, ready=True))


def forget(lab: Lab, name: str) -> None:
    """Remove the record of a process that is gone."""
    record_file(lab, name).unlink(missing_ok=True)


def records(lab: Lab) -> list[Record]:
    """Every record of the lab, of processes that run or that ended by themselves."""
    folder = lab.home / "run" / "processes"
    found = []
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        # A file that cannot be read is no loss: its process is found by its mark.
        with suppress(OSError, msgspec.DecodeError):
            found.append(msgspec.json.decode(file.read_bytes(), type=Record))
    return found


def find(lab: Lab, name: str) -> Record | None:
    """The record of a service or job, if there is one."""
    return next((record for record in records(lab) if record.name == name), None)


def running(lab: Lab, name: str) -> Record | None:
    """The record of a service or job, if it runs."""
    record = find(lab, name)
    return record if record and alive(record) else None


def alive(record: Record) -> psutil.Process | None:
    """The recorded process, if it still runs: the same one, not a later one with its id."""
    try:
        process = psutil.Process(record.pid)
        same = abs(process.create_time() - record.created) < SAME_MOMENT
        return process if same and not gone(process) else None
    except psutil.Error:
        return None


def gone(process: psutil.Process) -> bool:
    """Whether a process has ended; one that only waits for its parent to take notice has."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def exit_code(record: Record) -> int | None:
    """How a child of this process ended: its exit code, or minus the signal; None if it runs, or was no child."""
    return None if alive(record) else code_of(record.pid)


def ending(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "ended"
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def last_lines(lab: Lab, record: Record, count: int = 15) -> list[str]:
    """The last lines that a process wrote to its log, without the frames of stack traces, which hide the cause."""
    lines = tail(lab.log(record.name), count * 20, record.log_start)
    return [line for line in lines if not FRAME.match(line)][-count:]
