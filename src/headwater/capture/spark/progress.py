"""What a micro-batch did: Spark's own report as a facet of the run, and what adds up over the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headwater.openlineage.events import PRODUCER, parse_time

PROGRESS = "headwater_streamProgress"
FACET_URL = f"{PRODUCER}/blob/main/docs/streams.md#progress"
UNKNOWN_ROWS = -1  # what Spark says of a sink that does not count


class Totals(Struct, frozen=True):
    """What a run has done so far; `written` is None where its sink does not count rows."""

    batches: int = 0
    read: int = 0
    written: int | None = None

    def plus(self, progress: Mapping[str, Any]) -> Totals:
        """These, and one more micro-batch."""
        rows = (progress.get("sink") or {}).get("numOutputRows", UNKNOWN_ROWS)
        written = self.written if rows is None or rows < 0 else (self.written or 0) + rows
        return Totals(self.batches + 1, self.read + int(progress.get("numInputRows") or 0), written)


def read_progress(text: str) -> dict[str, Any]:
    """The report inside the event of a listener; empty if it is not what we know."""
    try:
        found = msgspec.json.decode(text, type=dict[str, Any]).get("progress")
    except msgspec.MsgspecError:
        return {}
    return found if isinstance(found, dict) else {}


def progress_facet(progress: Mapping[str, Any], totals: Totals) -> dict[str, Any]:
    """The facet, ready for JSON; what Spark did not say is left out."""
    durations = progress.get("durationMs") or {}
    states = [each for each in progress.get("stateOperators") or () if isinstance(each, Mapping)]
    watermark = (progress.get("eventTime") or {}).get("watermark")
    figures = {
        "batchId": progress.get("batchId"),
        "at": progress.get("timestamp"),
        "inputRows": progress.get("numInputRows"),
        "inputRowsPerSecond": progress.get("inputRowsPerSecond"),
        "processedRowsPerSecond": progress.get("processedRowsPerSecond"),
        "batchMillis": durations.get("triggerExecution", progress.get("batchDuration")),
        "batchParts": {name: ms for name, ms in durations.items() if name != "triggerExecution"},
        "watermark": watermark,
        "watermarkDelayMillis": _delay(progress.get("timestamp"), watermark),
        "stateRows": _sum(states, "numRowsTotal"),
        "stateBytes": _sum(states, "memoryUsedBytes"),
        "rowsDroppedByWatermark": _sum(states, "numRowsDroppedByWatermark"),
        "sources": [_source(each) for each in progress.get("sources") or () if isinstance(each, Mapping)],
        "total": {"batches": totals.batches, "inputRows": totals.read},
    }
    said = {name: value for name, value in figures.items() if value not in (None, {})}
    return {PROGRESS: {"_producer": PRODUCER, "_schemaURL": FACET_URL, **said}}


def topics_met(progress: Mapping[str, Any]) -> tuple[str, ...]:
    """The topics in the offsets of Kafka sources."""
    ends = (each.get("endOffset") for each in progress.get("sources") or () if "Kafka" in str(each.get("description")))
    return tuple(sorted({topic for end in ends if isinstance(end, Mapping) for topic in end}))


def _source(source: Mapping[str, Any]) -> dict[str, Any]:
    said = {
        "description": source.get("description"),
        "inputRows": source.get("numInputRows"),
        "startOffset": source.get("startOffset"),
        "endOffset": source.get("endOffset"),
        "latestOffset": source.get("latestOffset"),
        "lag": _lag(source.get("latestOffset"), source.get("endOffset")),
    }
    return {name: value for name, value in said.items() if value is not None}


def _lag(latest: Any, end: Any) -> int | None:
    """Records that are there and not read yet, over all partitions; None for a source that has no such offsets."""
    if not isinstance(latest, Mapping) or not isinstance(end, Mapping):
        return None
    try:
        return sum(
            max(0, int(offset) - int((end.get(topic) or {}).get(partition, 0)))
            for topic, offsets in latest.items()
            for partition, offset in offsets.items()
        )
    except (AttributeError, TypeError, ValueError):
        return None


def _delay(at: Any, watermark: Any) -> int | None:
    """How far the watermark is behind the clock; a watermark of 1970 is none yet."""
    try:
        then = parse_time(watermark)
        return (parse_time(at) - then) // 1000 if then > 0 else None
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def _sum(states: Sequence[Mapping[str, Any]], name: str) -> int | None:
    found = [each[name] for each in states if isinstance(each.get(name), int)]
    return sum(found) if found else None
