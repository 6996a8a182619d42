"""The sender: one thread that brings what is in the outbox to the backend, in order, for as long as it takes."""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from headwater.capture.delivery import Delivery, Outcome
from headwater.capture.notes import note_rejected
from headwater.capture.outbox import Outbox, Source
from headwater.capture.records import Record

log = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
HURRIED_WAIT = 0.25  # between attempts while someone waits for the end
ROUND_SECONDS = 1.0  # of sending, before what is due otherwise is looked at again
SAID_REFUSALS = 5  # in the log; more are counted, and all are set aside


def backoff(failures: int, chance: Callable[[], float] = random.random) -> float:
    """Seconds to wait after so many failures in a row: twice as long each time, spread so that senders part."""
    longest: float = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(failures - 1, 10))
    return longest * (0.5 + chance() / 2)


def _some(records: Sequence[Record], after: int) -> list[bytes]:
    """Three of the later events: the next, which may be as bad as the one before it, one far off, and the last."""
    places = (after, (after + len(records)) // 2, len(records) - 1)
    return [records[place].body for place in places if after <= place < len(records)]


class Sender:
    """Owns the outbox from `start` to `stop`; without a delivery it only keeps events safe."""

    def __init__(self, outbox: Outbox, delivery: Delivery | None) -> None:
        self._outbox, self._delivery = outbox, delivery
        # A SimpleQueue may be put to from a signal handler; an Event or a Condition may not.
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ringing = self._stopping = False
        self._thread = threading.Thread(target=self._run, name="headwater-sender", daemon=True)
        self._said, self._lost_it, self._useless = "", False, 0
        self._hurry = self._own_only = False
        self.sent = self.rejected = self.failures = 0

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is something to send."""
        if not self._ringing:
            self._ringing = True
            self._bell.put(None)

    def drain(self, deadline: float, *, patient: bool = True, everything: bool = False) -> bool:
        """Wait until this process's events are settled, or all there are for its backend; True if they are.

        Not patient, it gives up when it is of no use to try again soon.
        """
        self._hurry, self._own_only, self._useless = True, not everything, 0
        self._bell.put(None)
        while not (done := self._is_settled(everything)) and self._thread.is_alive() and time.monotonic() < deadline:
            if not patient and self._useless > 1:
                break
            time.sleep(0.005)
        self._hurry = self._own_only = False
        return done

    def _is_settled(self, everything: bool) -> bool:
        outbox = self._outbox
        return outbox.scanned and not outbox.waiting if everything else not outbox.own_waiting

    def stop(self, deadline: float) -> None:
        """End the thread, which lets go of the outbox; one that hangs in a request is not waited for."""
        self._stopping = True
        self._bell.put(None)
        if self._thread.is_alive():
            self._thread.join(min(max(0.1, deadline - time.monotonic()), LONGEST_WAIT))

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._round()
            except Exception as error:  # a fault of ours must not end the delivery
                self._stumbled(error)
        try:
            if self._delivery:
                self._delivery.close()
            self._outbox.close()
        except Exception:
            log.exception("the lineage outbox could not be closed")

    def _round(self) -> None:
        due = self._outbox.keep(time.monotonic())
        found = self._outbox.peek(own_only=self._own_only) if self._delivery else None
        if found is None or self._delivery is None:
            self._rest(due)
            return
        outcome, settled = self._deliver(self._delivery, *found)
        if outcome.trouble:
            self._failed(outcome)
            self._wait_to_try_again(outcome.wait)
        elif settled:
            self._recovered()

    def _deliver(self, delivery: Delivery, source: Source, records: list[Record]) -> tuple[Outcome, int]:
        outcome, at, end = Outcome(), 0, time.monotonic() + ROUND_SECONDS
        while at < len(records) and not outcome.trouble and not self._stopping and time.monotonic() < end:
            several = records[at : at + delivery.most]
            outcome = delivery.send([record.body for record in several], _some(records, at + len(several)))
            self._settle(source, records[at : at + outcome.done], outcome)
            at += outcome.done
        return outcome, at

    def _settle(self, source: Source, records: Sequence[Record], outcome: Outcome) -> None:
        for refusal in outcome.refused:
            self.rejected += 1
            if self.rejected <= SAID_REFUSALS:
                log.warning("a lineage event was refused with %d and set aside: %s", refusal.status, refusal.answer)
            body, address = records[refusal.place].body, self._outbox.address or ""
            with suppress(OSError):
                note_rejected(self._outbox.root, address, refusal.status, refusal.answer, body)
        if records:
            self._outbox.settle(source, records)
            self.sent += len(records) - len(outcome.refused)

    # -- trouble -----------------------------------------------------------------------------------

    def _failed(self, outcome: Outcome) -> None:
        self.failures += 1
        self._useless = self._useless + 1 if outcome.unreachable or outcome.shut else 0
        self._lost_it = self._lost_it or outcome.unreachable
        # The same trouble is said once, though its words, such as a port or a time, may change.
        kind = "unreachable" if outcome.unreachable else outcome.trouble[:12]
        if kind != self._said:
            self._said = kind
            log.warning(
                "lineage events wait in %s: %s %s; they are sent when that changes",
                self._outbox.root,
                self._outbox.address,
                outcome.trouble,
            )

    def _stumbled(self, error: Exception) -> None:
        self.failures += 1
        if self._said != "fault":
            self._said = "fault"
            log.error("lineage delivery failed and goes on later: please report this", exc_info=error)
        self._pause(time.monotonic() + backoff(self.failures))

    def _recovered(self) -> None:
        if self.failures:
            log.info("lineage events reach %s again", self._outbox.address)
        if self._lost_it and self._delivery:
            self._delivery.reconsider()  # another backend may be there by now
        self._lost_it, self._said = False, ""
        self.failures = self._useless = 0

    def _wait_to_try_again(self, asked: float | None) -> None:
        now = time.monotonic()
        end, hurried_end = now + (asked or backoff(self.failures)), now + HURRIED_WAIT
        while not self._stopping and now < end and not (self._hurry and not asked and now >= hurried_end):
            due = now + self._outbox.keep(now)
            self._pause(min(due, end, now + HURRIED_WAIT if self._hurry else end))
            now = time.monotonic()

    def _pause(self, end: float) -> None:
        """Wait, unless someone wants the end; new events are no reason to try sooner."""
        self._ringing = True
        with suppress(queue.Empty):
            self._bell.get(timeout=max(0.01, end - time.monotonic()))
        self._ringing = False

    def _rest(self, seconds: float) -> None:
        """Wait for something to do."""
        with suppress(queue.Empty):
            self._bell.get(timeout=seconds)
        self._ringing = False
