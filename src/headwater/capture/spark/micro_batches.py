"""The agent's events about micro-batches, which are kept back: a stream is one run, and is reported as that."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]

# What Spark calls every job of a micro-batch, whatever the function given to foreachBatch does.
_OF_A_STREAM = re.compile(r"\bid = [0-9a-f-]{36}\s+runId = [0-9a-f-]{36}\s+batch = ")
# A sink of its own: nothing else can happen inside such a micro-batch.
_CLOSED = "write_to_data_source_v2"
ENDS = frozenset({"COMPLETE", "FAIL", "ABORT"})
MOST_REMEMBERED = 10_000


class MicroBatches:
    """Sifts the agent's events, in the order in which they come.

    What a function given to foreachBatch does looks like any other write until the agent names the Spark job that
    does it. So while a stream runs, the first events of other runs wait for that name. `streaming` says whether one
    does; it is asked because the agent leaves out a micro-batch whose source or sink it does not understand.
    """

    def __init__(self, streaming: Callable[[], bool] = lambda: False) -> None:
        self._streaming = streaming
        self._open: set[str] = set()
        self._waiting: dict[str, tuple[frozenset[str], list[Event]]] = {}
        self._settled: OrderedDict[str, bool] = OrderedDict()  # whether a run's events are sent

    def __call__(self, event: Event) -> list[Event]:
        """The events that can be sent now."""
        run_id, ended = event["run"]["runId"], event.get("eventType") in ENDS
        if is_micro_batch(event):
            (self._open.discard if ended or event["job"]["name"].endswith(f".{_CLOSED}") else self._open.add)(run_id)
            return []
        if run_id in self._settled:
            return [event] if self._settled[run_id] else []
        around, waiting = self._waiting.pop(run_id, (frozenset(self._open), []))
        waiting.append(event)
        if (streaming := in_a_stream(event)) is None:
            # What is inside a micro-batch ends before it does.
            if not ended and (around & self._open or self._streaming()):
                self._waiting[run_id] = around, waiting
                return []
            streaming = bool(around & self._open)
        self._settle(run_id, not streaming)
        return [] if streaming else waiting

    def _settle(self, run_id: str, sent: bool) -> None:
        self._settled[run_id] = sent
        if len(self._settled) > MOST_REMEMBERED:
            self._settled.popitem(last=False)


def is_micro_batch(event: Event) -> bool:
    """Whether an event says itself that it is about a micro-batch."""
    kind = (event["job"].get("facets") or {}).get("jobType") or {}
    return bool(kind.get("processingType") == "STREAMING")


def in_a_stream(event: Event) -> bool | None:
    """Whether the Spark job that an event is about belongs to a stream; None if it is about none."""
    details = (event["run"].get("facets") or {}).get("spark_jobDetails")
    return None if details is None else bool(_OF_A_STREAM.search(str(details.get("jobDescription", ""))))
