"""What a worker says of a connector, and one word for it: a connector says RUNNING while it fails, so tasks decide."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class State(StrEnum):
    """How a connector is."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"
    FAILED = "FAILED"
    PARTLY_FAILED = "PARTLY_FAILED"
    STALLED = "STALLED"
    RESTARTING = "RESTARTING"
    UNASSIGNED = "UNASSIGNED"


class Task(Struct, frozen=True):
    """What one task of a connector is doing, and the trace of what ended it."""

    id: int
    state: str
    worker_id: str = ""
    trace: str = ""

    @property
    def cause(self) -> str:
        """Why it failed, in one line."""
        return cause(self.trace)


class Whole(Struct, frozen=True):
    """What the connector itself is doing; its tasks are another matter."""

    state: str = ""
    worker_id: str = ""
    trace: str = ""


class Status(Struct, frozen=True):
    """The answer to GET /connectors/NAME/status."""

    name: str = ""
    connector: Whole = Whole()
    tasks: tuple[Task, ...] = ()
    type: str = ""

    @property
    def failed(self) -> tuple[Task, ...]:
        """The tasks that failed."""
        return tuple(task for task in self.tasks if task.state == State.FAILED)

    @property
    def trace(self) -> str:
        """The trace of the connector, or of its first failed task."""
        return self.connector.trace or next((task.trace for task in self.failed if task.trace), "")

    @property
    def restarts(self) -> bool:
        """Whether all of it is being started again, which only somebody's request brings about."""
        return self.connector.state == State.RESTARTING or (
            bool(self.tasks) and all(task.state == State.RESTARTING for task in self.tasks)
        )


def state_of(status: Status) -> State:
    """The one word; STALLED is not among them, because a worker does not see it."""
    whole, tasks = status.connector.state, [task.state for task in status.tasks]
    if whole == State.STOPPED:
        return State.STOPPED
    if whole == State.FAILED or (tasks and all(state == State.FAILED for state in tasks)):
        return State.FAILED
    if State.FAILED in tasks:
        return State.PARTLY_FAILED
    if status.restarts or State.RESTARTING in tasks:
        return State.RESTARTING
    if whole == State.PAUSED or (tasks and all(state == State.PAUSED for state in tasks)):
        return State.PAUSED
    if whole != State.RUNNING or State.UNASSIGNED in tasks:
        return State.UNASSIGNED
    return State.RUNNING


def cause(trace: str) -> str:
    """The last cause in a Java stack trace, which is where the trouble began."""
    causes = [line.removeprefix("Caused by: ") for line in trace.splitlines() if line.startswith("Caused by: ")]
    return (causes[-1:] or trace.splitlines()[:1] or [""])[0].strip()
