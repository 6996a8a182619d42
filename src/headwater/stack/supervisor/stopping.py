"""Ends what a lab runs: those first that need the others, side by side where nothing stands against it."""

import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from headwater.stack.lab import Lab
from headwater.stack.processes.interrupts import uninterrupted
from headwater.stack.processes.lock import locked
from headwater.stack.processes.marks import marked, orphans
from headwater.stack.processes.records import Record, alive, find, forget, records, running
from headwater.stack.processes.spawning import PATIENCE, stop
from headwater.stack.service import Service
from headwater.stack.supervisor.board import Board, Row, State
from headwater.stack.supervisor.selection import choose_dependents

# A streaming job ends its micro-batch before it goes.
JOB_PATIENCE = 60.0


def down(lab: Lab, services: Sequence[Service], names: Iterable[str], board: Board) -> list[str]:
    """Stop the named services and those that need them, or everything that runs for the lab; what was stopped."""
    names = list(names)
    with locked(lab, board.say):
        if not names:
            return end_everything(lab, services, board)
        chosen = [service for service in choose_dependents(services, names) if running(lab, service.name)]
        board.add(Row(service.name, service.address(lab)) for service in reversed(chosen))
        with board.open(), uninterrupted():
            end_services(lab, chosen, board)
    return [service.name for service in chosen]


def end_everything(lab: Lab, services: Sequence[Service], board: Board) -> list[str]:
    """Stop everything that runs for the lab, jobs before the services that they need; what was stopped."""
    jobs = [record for record in records(lab) if record.kind == "job" and alive(record)]
    chosen = [service for service in choose_dependents(services, ()) if running(lab, service.name)]
    board.add(Row(record.name, "") for record in jobs)
    board.add(Row(service.name, service.address(lab)) for service in reversed(chosen))
    with board.open(), uninterrupted():
        end_jobs(lab, jobs, board)
        end_services(lab, chosen, board)
        end_orphans(lab, board.say, jobs_too=True)
        for record in records(lab):
            forget(lab, record.name)
    return [*(record.name for record in jobs), *(service.name for service in chosen)]


def end_services(lab: Lab, services: Sequence[Service], board: Board | None = None) -> None:
    """Stop services, each once those that need it are gone."""
    gone = {service.name: threading.Event() for service in services}

    def end(service: Service) -> None:
        try:
            for other in services:
                if service.name in other.needs:
                    gone[other.name].wait()
            record = find(lab, service.name)
            if record and (process := alive(record)):
                if board:
                    board.show(service.name, State.STOPPING)
                by_itself = stop(process, service.stop_signal, PATIENCE)
                if board:
                    board.show(service.name, State.STOPPED, "" if by_itself else f"by force, after {PATIENCE:.0f} s")
            forget(lab, service.name)
        finally:
            gone[service.name].set()

    if services:
        with ThreadPoolExecutor(len(services)) as pool:
            list(pool.map(end, services))


def end_jobs(lab: Lab, jobs: Sequence[Record], board: Board) -> None:
    """Stop jobs, side by side."""

    def end(record: Record) -> None:
        if process := alive(record):
            board.show(record.name, State.STOPPING)
            by_itself = stop(process, patience=JOB_PATIENCE)
            board.show(record.name, State.STOPPED, "" if by_itself else f"by force, after {JOB_PATIENCE:.0f} s")
        forget(lab, record.name)

    if jobs:
        with ThreadPoolExecutor(len(jobs)) as pool:
            list(pool.map(end, jobs))


def end_orphans(lab: Lab, say: Callable[[str], None], *, jobs_too: bool = False) -> None:
    """Stop processes of the lab that nobody looks after, such as those of a supervisor that was killed."""
    if not (found := orphans(lab, jobs_too=jobs_too)):
        return
    say(f"cleaning up {len(found)} left-over process{'es' if len(found) > 1 else ''} of an earlier command")
    with ThreadPoolExecutor(len(found)) as pool:
        list(pool.map(stop, found))


def end_tools(lab: Lab) -> None:
    """Stop the short commands of preparations that run at this moment."""
    for process, role, _ in marked(lab):
        if role.startswith("tool:"):
            stop(process, signal.SIGKILL)
