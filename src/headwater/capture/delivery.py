"""What becomes of events that are sent: stored, refused for good, or to be sent again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from headwater.capture.backend import Answer, Backend, Unreachable

TOGETHER = 500  # events in one request at most
PATIENCE = 5  # answers that blame no one, before an event that makes the backend fail is looked for
_NO_BATCHES = (404, 405, 501)
# These say something of the sender, the address or the moment, and nothing of the event: they can become right.
_NOT_THE_EVENT = (401, 402, 403, 404, 405, 407, 408, 421, 423, 425, 426, 429, 451)
# These say that the backend as a whole is in trouble, whatever the event.
_NOT_NOW = (429, 502, 503, 504)


class Refusal(NamedTuple):
    """An event that the backend will never take, by its place among those sent, and what was said of it."""

    place: int
    status: int
    answer: str


@dataclass(frozen=True)
class Outcome:
    """The first `done` events are settled, some of them refused; with `trouble`, the rest has to wait."""

    done: int = 0
    refused: list[Refusal] = field(default_factory=list)
    trouble: str = ""
    wait: float | None = None
    unreachable: bool = False  # no answer came
    shut: bool = False  # the answer was about the sender or the address: trying again soon is of no use


class _Failed(msgspec.Struct):
    index: int
    reason: str = ""
    retriable: bool = False


class _Summary(msgspec.Struct):
    received: int


class _BatchAnswer(msgspec.Struct):
    summary: _Summary
    failed_events: list[_Failed] = []


class Delivery:
    """Sends events in order: many in a request where the backend can take them, else one by one."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._batches = True
        self._most = TOGETHER
        self._blameless = 0  # answers in a row that blamed neither the event nor the moment
        self._hunting = False  # for the event that makes the backend fail

    @property
    def most(self) -> int:
        """Events that the next call of `send` may be given."""
        return self._most if self._batches else 1

    def reconsider(self) -> None:
        """Forget what the backend could not do: another may be there by now."""
        self._batches, self._most = True, TOGETHER

    def close(self) -> None:
        """Close the connection."""
        self._backend.close()

    def send(self, bodies: Sequence[bytes], following: Sequence[bytes] = ()) -> Outcome:
        """Send the next events; `following` are a few that come after them, to try when one makes the backend fail."""
        try:
            outcome = self._together(bodies) if len(bodies) > 1 else self._one(bodies[0], following)
        except Unreachable as error:
            self._blameless, self._hunting = 0, False
            return Outcome(trouble=f"cannot be reached ({error})", unreachable=True)
        if outcome.done:
            self._most, self._blameless = min(TOGETHER, self._most * 2), 0
            self._hunting = self._hunting and self._most < TOGETHER
        return outcome

    # -- one ---------------------------------------------------------------------------------------

    def _one(self, body: bytes, following: Sequence[bytes]) -> Outcome:
        answer = self._backend.post("", body)
        if answer.status < 300:
            return Outcome(1)
        if _blames_the_event(answer):
            return Outcome(1, [Refusal(0, answer.status, answer.text)])
        self._count(answer)
        # An event that makes the backend fail must not hold up all others for ever.
        if self._hunting and self._takes_another(following):
            return self._last_chance(body)
        return _trouble(answer)

    def _takes_another(self, following: Sequence[bytes]) -> bool:
        return any(self._backend.post("", body).status < 300 for body in dict.fromkeys(following))

    def _last_chance(self, body: bytes) -> Outcome:
        """Another event was taken: either the backend has recovered, or it is this event."""
        answer = self._backend.post("", body)
        if answer.status < 300:
            return Outcome(1)
        return _trouble(answer) if answer.status in _NOT_NOW else Outcome(1, [Refusal(0, answer.status, answer.text)])

    # -- many --------------------------------------------------------------------------------------

    def _together(self, bodies: Sequence[bytes]) -> Outcome:
        answer = self._backend.post("/batch", b"[" + b",".join(bodies) + b"]")
        if answer.status < 300:
            return self._judge(answer, len(bodies))
        if answer.status in _NO_BATCHES:
            self._batches = False
            return Outcome()
        self._count(answer)
        if _blames_the_event(answer) or (self._hunting and answer.status not in _NOT_NOW):
            # One of them is bad, or all are too much: smaller ones will tell.
            self._most = max(1, len(bodies) // 2)
            return Outcome()
        return _trouble(answer)

    def _judge(self, answer: Answer, sent: int) -> Outcome:
        try:
            said = msgspec.json.decode(answer.body, type=_BatchAnswer)
        except msgspec.MsgspecError:
            said = None
        if said is None or said.summary.received != sent:
            self._batches = False  # whatever took it did not take it for a batch
            return Outcome()
        failures = [failed for failed in said.failed_events if 0 <= failed.index < sent]
        again = [failed.index for failed in failures if failed.retriable]
        done = min(again, default=sent)
        refused = [Refusal(failed.index, 422, failed.reason) for failed in failures if failed.index < done]
        if not again:
            return Outcome(done, refused)
        reason = next(failed.reason for failed in failures if failed.index == done)
        return Outcome(done, refused, reason or "asked to be sent the rest again", answer.wait)

    def _count(self, answer: Answer) -> None:
        if not _blames_the_event(answer):
            self._blameless = 0 if answer.status in _NOT_NOW else self._blameless + 1
            self._hunting = self._hunting or self._blameless >= PATIENCE


def _blames_the_event(answer: Answer) -> bool:
    return 400 <= answer.status < 500 and answer.status not in _NOT_THE_EVENT


def _trouble(answer: Answer) -> Outcome:
    to = f" to {answer.location}" if answer.location else ""
    said = f"answered {answer.status}{to}: {answer.text[:300] or 'nothing'}"
    return Outcome(trouble=said, wait=answer.wait, shut=answer.status < 500 and answer.status not in _NOT_NOW)
