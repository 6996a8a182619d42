"""How every service of a lab is doing at this moment, looked up without changing anything."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from headwater.stack.lab import Lab
from headwater.stack.processes.memory import resident_mb
from headwater.stack.processes.records import Record, alive, find, records
from headwater.stack.service import Service
from headwater.stack.supervisor.board import State
from headwater.stack.supervisor.starting import problem_of


@dataclass(frozen=True, kw_only=True)
class Status:
    """How a service or a job is doing, and why."""

    name: str
    title: str
    state: State
    why: str = ""
    pid: int | None = None
    port: int | None = None
    memory_mb: int | None = None
    uptime_seconds: float | None = None
    address: str = ""
    log: str = ""


def service_statuses(lab: Lab, services: Sequence[Service]) -> list[Status]:
    """How each service is doing; they are asked side by side, because one that hangs takes its time."""
    with ThreadPoolExecutor(len(services) or 1) as pool:
        return list(pool.map(lambda service: service_status(lab, service), services))


def service_status(lab: Lab, service: Service) -> Status:
    """How one service is doing."""
    if lab.external(service.name):
        why = problem_of(service, lab)
        state = State.UNHEALTHY if why else State.YOURS
        note = f"yours: {why}" if why else ""
        return Status(name=service.name, title=service.title, state=state, why=note, address=service.address(lab))
    record = find(lab, service.name)
    state, why = judge(lab, service, record)
    process = alive(record) if record else None
    return Status(
        name=service.name,
        title=service.title,
        state=state,
        why=why,
        pid=record.pid if record and process else None,
        port=lab.ports.get(service.name.replace("-", "_")),
        memory_mb=resident_mb(record.pid) if record and process else None,
        uptime_seconds=round(time.time() - record.created, 1) if record and process else None,
        address=service.address(lab),
        log=str(lab.home / "logs" / f"{service.name}.log"),
    )


def judge(lab: Lab, service: Service, record: Record | None) -> tuple[State, str]:
    """The state of a service that the lab runs, and why it is not healthy if it is not."""
    if record is None:
        return State.STOPPED, ""
    if alive(record) is None:
        return State.DEAD, f"it ended by itself; see: headwater lab logs {service.name}"
    problem = problem_of(service, lab)
    if problem is None:
        return State.HEALTHY, ""
    young = time.time() - record.created < service.deadline and not record.ready
    return (State.STARTING if young else State.UNHEALTHY), problem


def job_statuses(lab: Lab) -> list[Status]:
    """The jobs that run, or that ended without anyone taking note."""
    return [job_status(lab, record) for record in records(lab) if record.kind == "job"]


def job_status(lab: Lab, record: Record) -> Status:
    """How one job is doing."""
    process = alive(record)
    return Status(
        name=record.name,
        title="job",
        state=State.RUNNING if process else State.DEAD,
        why="" if process else f"it ended by itself; see: headwater lab logs {record.name}",
        pid=record.pid if process else None,
        memory_mb=resident_mb(record.pid) if process else None,
        uptime_seconds=round(time.time() - record.created, 1) if process else None,
        log=str(lab.home / "logs" / f"{record.name}.log"),
    )
