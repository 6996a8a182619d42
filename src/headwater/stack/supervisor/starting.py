"""One start of some services: a thread for each, which waits for those that its service needs and watches it."""

import threading
import time
from collections.abc import Mapping, Sequence

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.processes.interrupts import uninterrupted
from headwater.stack.processes.records import Record, alive, ending, exit_code, last_lines, mark_ready, running
from headwater.stack.processes.spawning import start, stop
from headwater.stack.service import Service
from headwater.stack.supervisor.board import Board, State
from headwater.stack.supervisor.fingerprint import fingerprint
from headwater.stack.supervisor.stopping import end_services, end_tools

TICK = 0.1
PROBE_EVERY = 0.25
# How long a service that the user runs himself may take to answer.
OWN_DEADLINE = 10.0
# A service that has run for longer than its deadline gets this long to show that it is well.
GRACE = 5.0


class NotUp(HeadwaterError):
    """Services that did not become healthy; the message has a part for each."""


class Failed(Exception):
    """A service that did not become healthy, with the last lines of its log."""

    def __init__(self, state: State, why: str, lines: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.state = state
        self.why = why
        self.lines = lines


class Interrupted(Exception):
    """The start was called off."""


class Start:
    """One start of some services: a thread for each, which waits for those that its service needs."""

    def __init__(self, lab: Lab, services: Sequence[Service], board: Board) -> None:
        self.lab = lab
        self.services = services
        self.board = board
        self.started: list[str] = []
        self.failures: dict[str, Failed] = {}
        self.finished = {service.name: threading.Event() for service in services}
        self.called_off = threading.Event()
        # Held around a launch, so that none can follow the moment a start is called off.
        self.launching = threading.Lock()

    def run(self) -> list[str]:
        """Start the services; the names of those that were not running before. Raises NotUp."""
        threads = [
            threading.Thread(target=self.bring_up, args=(service,), name=service.name, daemon=True)
            for service in self.services
        ]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(TICK)
        except BaseException:
            with uninterrupted():
                self.call_off(threads)
            raise
        if self.failures:
            raise NotUp(explain(self.lab, self.failures))
        return self.started

    def call_off(self, threads: Sequence[threading.Thread]) -> None:
        """End what was started so far."""
        with self.launching:
            self.called_off.set()
        while at_work := [thread for thread in threads if thread.is_alive()]:
            # A preparation that is in the middle of something ends when its tool does.
            end_tools(self.lab)
            at_work[0].join(TICK)
        end_services(self.lab, [service for service in self.services if service.name in self.started], self.board)

    def bring_up(self, service: Service) -> None:
        """Bring one service to health, and tell those that wait for it how it went."""
        try:
            self.wait_for_needs(service)
            if own := self.lab.external(service.name):
                self.check_own(service, own)
            else:
                self.adopt_or_start(service)
        except Exception as error:
            # What breaks because the start was called off is no failure of its own.
            if self.called_off.is_set():
                self.board.show(service.name, State.STOPPED)
            else:
                self.fail(service, as_failure(error))
        finally:
            self.finished[service.name].set()

    def fail(self, service: Service, failure: Failed) -> None:
        """Note a failure, and end the process of a service that is of no use."""
        self.failures[service.name] = failure
        record = running(self.lab, service.name)
        if service.name in self.started and record and (process := alive(record)):
            stop(process, service.stop_signal)
        self.board.show(service.name, failure.state, failure.why.partition("\n")[0])

    def wait_for_needs(self, service: Service) -> None:
        """Wait until the services that this one needs are healthy."""
        for need in service.needs:
            while not self.finished[need].wait(TICK):
                if self.called_off.is_set():
                    raise Interrupted
            if need in self.failures:
                raise Failed(State.NOT_STARTED, f"it needs {need}")
        if self.called_off.is_set():
            raise Interrupted

    def check_own(self, service: Service, address: str) -> None:
        """Look whether a service that the user runs himself is well."""
        deadline = time.monotonic() + OWN_DEADLINE
        while problem := problem_of(service, self.lab):
            self.board.show(service.name, State.STARTING, f"yours: {problem}")
            if time.monotonic() > deadline:
                raise Failed(State.UNHEALTHY, f"your own one at {address}: {problem}")
            self.pause()
        self.board.show(service.name, State.YOURS)

    def adopt_or_start(self, service: Service) -> None:
        """Leave a service that runs and is well alone; start any other."""
        record = self.adopt(service)
        note = "ran before" if record else ""
        if record is None:
            record = self.launch(service)
            self.wait_healthy(service, record, service.deadline)
        if not record.ready:
            service.after_start(self.lab)
            mark_ready(self.lab, record)
        self.board.show(service.name, State.HEALTHY, note, record.pid)

    def adopt(self, service: Service) -> Record | None:
        """The record of a service that ran before, once it is well; one that is not is ended."""
        record = running(self.lab, service.name)
        if record:
            try:
                # One that a killed command left behind may still be on its way up.
                self.wait_healthy(service, record, max(GRACE, service.deadline - (time.time() - record.created)))
            except Failed as failure:
                self.board.show(service.name, State.STOPPING, f"ran before, but: {failure.why}")
                end_services(self.lab, [service])
                return None
        return record

    def launch(self, service: Service) -> Record:
        """Prepare a service and start its process."""
        self.board.show(service.name, State.PREPARING)
        service.prepare(self.lab)
        command = service.command(self.lab)
        with self.launching:
            if self.called_off.is_set():
                raise Interrupted
            self.started.append(service.name)
            record = start(self.lab, f"service:{service.name}", command, fingerprint(self.lab, service))
        self.board.show(service.name, State.STARTING, pid=record.pid)
        return record

    def wait_healthy(self, service: Service, record: Record, patience: float) -> None:
        """Wait until a service is well; Failed as soon as its process ends, or when patience does."""
        began = time.monotonic()
        while True:
            problem = problem_of(service, self.lab)
            if not alive(record):
                seconds = time.monotonic() - began
                why = f"{ending(exit_code(record))}, {seconds:.1f} s after its start"
                raise Failed(State.DEAD, why, last_lines(self.lab, record))
            if problem is None:
                return
            self.board.show(service.name, State.STARTING, problem, record.pid)
            if time.monotonic() - began > patience:
                why = f"not healthy after {patience:.0f} s: {problem}"
                raise Failed(State.UNHEALTHY, why, last_lines(self.lab, record))
            self.pause()

    def pause(self) -> None:
        """Wait a moment before looking again."""
        if self.called_off.wait(PROBE_EVERY):
            raise Interrupted


def as_failure(error: Exception) -> Failed:
    """An error as the failure of the service in whose start it came up."""
    if isinstance(error, Failed):
        return error
    # An error that was meant to be read stands for itself; of any other the kind is half of what it says.
    known = isinstance(error, HeadwaterError)
    return Failed(State.DEAD, str(error) if known else f"{type(error).__name__}: {error}")


def problem_of(service: Service, lab: Lab) -> str | None:
    """What is wrong with a service, on one line; a check that breaks is itself what is wrong."""
    try:
        problem = service.problem(lab)
    except Exception as error:
        problem = str(error) or type(error).__name__
    return None if problem is None else " ".join(problem.split())


def explain(lab: Lab, failures: Mapping[str, Failed]) -> str:
    """Why services did not become healthy, with the ends of their logs, and what to do."""
    parts = []
    for name, failure in failures.items():
        if failure.state is State.NOT_STARTED:
            continue
        parts.append(f"{name}: {failure.why}")
        if failure.lines:
            parts.append(f"{lab.log(name)} ends with:")
            parts += [f"    {line}" for line in failure.lines]
    kept_waiting = [name for name, failure in failures.items() if failure.state is State.NOT_STARTED]
    if kept_waiting:
        parts.append(f"not started, because they need one of these: {', '.join(kept_waiting)}")
    parts.append("What is healthy stays up. Mend the cause and run the same command again: it starts only the rest.")
    return "\n".join(parts)
