"""When a connector's run starts and ends: what was known and what the worker says now give what is known and reported.

A run is one start of a connector, with any number of tasks. Nothing here asks or sends anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.status import State, Status, state_of

SECOND = 1_000_000
# States that a rebalance brings about; they are reported only when they stay.
PASSING = (State.UNASSIGNED, State.RESTARTING)
PASSING_SECONDS = 15
# A connector's tasks are taken away and given anew when it is reconfigured; only later is it known to have ended.
ENDED_AFTER_SECONDS = 15

DELETED, RECONFIGURED, RESTARTED = "it was deleted", "it was reconfigured", "it was restarted"

EventType = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL"]


class Run(Struct, frozen=True, omit_defaults=True):
    """A run of a connector, as it is remembered also while the agent is away. Times are microseconds."""

    id: str
    started: int
    fingerprint: str
    state: State
    since: int
    reported: State
    ended: EventType | None = None
    job: str = ""
    had_tasks: bool = False
    emptied: int | None = None  # since when it has no tasks
    failed: tuple[int, ...] = ()


class Seen(Struct, frozen=True):
    """A connector as it is now, and its job's name. `stalled` is the evidence that it does nothing, if there is any."""

    status: Status
    fingerprint: str
    job: str = ""
    stalled: str = ""

    @property
    def state(self) -> State:
        """The worker's word for it, unless it says RUNNING and nothing happens."""
        found = state_of(self.status)
        return State.STALLED if found == State.RUNNING and self.stalled else found


class Report(Struct, frozen=True):
    """An event to send of a run; `seen` is None if nothing is seen of the run itself: it is gone, or nobody knows."""

    type: EventType
    run: Run
    time: int
    seen: Seen | None = None
    reason: str = ""


class Step(Struct, frozen=True):
    """What is known from now on, None if there is nothing to remember, and what to send."""

    run: Run | None
    reports: tuple[Report, ...] = ()


def step(
    run: Run | None,
    seen: Seen | None,
    now: int,
    new_id: Callable[[], str],
    *,
    restarted: bool = False,
    returned: bool = False,
) -> Step:
    """One look at a connector. `seen` is None if it is gone, not if its worker does not answer.

    `restarted`: somebody had it started anew through us. `returned`: the agent knows the run from before it was away.
    """
    if seen is None:
        return Step(None, () if run is None or run.ended else (_end(run, "ABORT", now, None, DELETED),))
    if run is None:
        return _begin(seen, now, new_id)
    if run.ended:
        again = _begins_again(run, seen) or (restarted and seen.state != State.STOPPED)
        return _begin(seen, now, new_id) if again else Step(_noted(run, seen, now))
    if run.fingerprint != seen.fingerprint:
        return _replaced(run, seen, now, new_id, RECONFIGURED)
    if restarted or (seen.status.restarts and run.state != State.RESTARTING):
        return _replaced(run, seen, now, new_id, RESTARTED)
    return _goes_on(run, seen, now, returned)


def is_waiting(run: Run) -> bool:
    """Whether time alone may change what is to be reported of a run."""
    return not run.ended and (run.state in PASSING or run.emptied is not None)


def _begin(seen: Seen, now: int, new_id: Callable[[], str]) -> Step:
    """A new run, unless there is nothing that runs; one that failed at once has both its start and its end."""
    state = seen.state
    if state == State.STOPPED:
        return Step(None)
    run = Run(
        id=new_id(),
        started=now,
        fingerprint=seen.fingerprint,
        state=state,
        since=now,
        reported=state,
        job=seen.job,
        had_tasks=bool(seen.status.tasks),
        failed=_failed(seen),
    )
    start = Report("START", run, now, seen)
    if state != State.FAILED:
        return Step(run, (start,))
    end = _end(run, "FAIL", now + 1000, seen, "it failed")
    return Step(end.run, (start, end))


def _begins_again(run: Run, seen: Seen) -> bool:
    """Whether a connector whose run had ended has another."""
    state = seen.state
    if state in (State.STOPPED, State.UNASSIGNED):
        return False
    if run.ended == "FAIL" and state == State.FAILED:
        return run.fingerprint != seen.fingerprint
    return run.ended != "COMPLETE" or bool(seen.status.tasks) or state == State.FAILED


def _replaced(run: Run, seen: Seen, now: int, new_id: Callable[[], str], reason: str) -> Step:
    """The worker has ended the run, and begun another: what is seen now is the other's."""
    end = _end(run, "ABORT", now, None, reason)
    following = _begin(seen, now + 1000, new_id)
    return Step(following.run or end.run, (end, *following.reports))


def _goes_on(run: Run, seen: Seen, now: int, returned: bool) -> Step:
    state = seen.state
    run = _noted(run, seen, now)
    if state == State.STOPPED:
        return _ended(_end(run, "ABORT", now, seen, "it was stopped"))
    if state == State.FAILED:
        return _ended(_end(run, "FAIL", now, seen, "it failed"))
    if state == State.RUNNING and not seen.status.tasks and run.had_tasks and not returned:
        if now - (run.emptied or now) >= ENDED_AFTER_SECONDS * SECOND:
            return _ended(_end(run, "COMPLETE", now, seen, "it has no tasks left"))
        return Step(run)
    if state in PASSING and now - run.since < PASSING_SECONDS * SECOND and not returned:
        return Step(run)
    if not returned and state == run.reported and _failed(seen) == run.failed:
        return Step(run)
    run = replace(run, reported=state, failed=_failed(seen))
    return Step(run, (Report("RUNNING", run, now, seen),))


def _noted(run: Run, seen: Seen, now: int) -> Run:
    """The run with the state that it is in now, and since when."""
    tasks = bool(seen.status.tasks)
    return replace(
        run,
        state=seen.state,
        since=run.since if seen.state == run.state else now,
        had_tasks=run.had_tasks or tasks,
        emptied=None if tasks else run.emptied or now,
    )


def _end(run: Run, type: EventType, now: int, seen: Seen | None, reason: str) -> Report:
    state = run.state if seen is None else seen.state
    run = replace(run, ended=type, state=state, since=now, reported=state)
    return Report(type, run, now, seen, reason)


def _ended(end: Report) -> Step:
    return Step(end.run, (end,))


def _failed(seen: Seen) -> tuple[int, ...]:
    return tuple(task.id for task in seen.status.failed)


def fingerprint(config: Mapping[str, str]) -> str:
    """What tells two versions of a connector's settings apart; nothing can be read out of it."""
    listed = "\0".join(f"{key}\0{value}" for key, value in sorted(config.items()))
    return hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()[:32]
