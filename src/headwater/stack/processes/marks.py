"""The mark that every process of a lab carries, by which one is found that no record accounts for."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from headwater.stack.lab import Lab
from headwater.stack.processes.records import Record, alive, gone, records

LAB_VARIABLE = "HEADWATER_LAB"
ROLE_VARIABLE = "HEADWATER_LAB_ROLE"
OWNER_VARIABLE = "HEADWATER_LAB_OWNER"


def mark(home: Path, role: str) -> dict[str, str]:
    """The variables that say whose a process is: the lab's home, what it does there, and who started it."""
    me = psutil.Process()
    return {
        LAB_VARIABLE: str(home),
        ROLE_VARIABLE: role,
        OWNER_VARIABLE: f"{me.pid}:{me.create_time():.2f}",
    }


def marked(lab: Lab) -> Iterator[tuple[psutil.Process, str, str]]:
    """Every process that carries the lab's mark, with its role and its owner."""
    home = str(lab.home)
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            env = process.environ()
            if env.get(LAB_VARIABLE) == home and ROLE_VARIABLE in env and not gone(process):
                yield process, env[ROLE_VARIABLE], env.get(OWNER_VARIABLE, "")


def orphans(lab: Lab, *, jobs_too: bool = False) -> list[psutil.Process]:
    """Marked processes that nobody looks after: a service or tool without a record, a job whose starter is gone.

    To be asked by the holder of the lab's lock: then nobody else is between starting a service and recording it. With
    jobs_too, jobs that are looked after are among them.
    """
    recorded = {os.getpid()}
    for record in records(lab):
        if process := alive(record):
            recorded.update(member.pid for member in family(process))
    found = []
    for process, role, owner in marked(lab):
        is_job = role.startswith("job:")
        if (jobs_too or not owner_alive(owner)) if is_job else process.pid not in recorded:
            found.append(process)
    return found


def owner_alive(owner: str) -> bool:
    """Whether the process that an owner mark names still runs."""
    pid, _, began = owner.partition(":")
    with suppress(ValueError):
        return alive(Record(role="", pid=int(pid), created=float(began))) is not None
    return False


def family(process: psutil.Process) -> list[psutil.Process]:
    """A process and all that descend from it."""
    with suppress(psutil.Error):
        return [process, *process.children(recursive=True)]
    return [process]
