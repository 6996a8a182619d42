"""Numbered events. This module imports little, so that processes which tests start begin at once."""

from pathlib import Path
from typing import Any

import msgspec

from headwater.capture.outbox import Outbox
from headwater.capture.place import DEFAULT_LIMIT
from headwater.capture.records import rank_of

HERE, THERE = "http://here/api/v1/lineage", "http://there/api/v1/lineage"


def event(number: int, kind: str = "RUNNING", *, size: int = 0) -> dict[str, Any]:
    """An event unlike any other."""
    return {
        "eventType": kind,
        "eventTime": f"2026-01-31T12:{number // 60_000 % 60:02d}:{number // 1000 % 60:02d}.{number % 1000:03d}Z",
        "producer": "https://example.com/tests",
        "run": {"runId": "01234567-89ab-7def-8123-456789abcdef"},
        "job": {"namespace": "tests", "name": f"job-{number}", "facets": {"pad": {"x": "x" * size}} if size else {}},
    }


def number(body: bytes) -> int:
    """The number that an event was made with."""
    name: str = msgspec.json.decode(body)["job"]["name"]
    return int(name.removeprefix("job-"))


def add(outbox: Outbox, *numbers: int, kind: str = "RUNNING", size: int = 0) -> None:
    """Add events to an outbox."""
    for each in numbers:
        body = msgspec.json.encode(event(each, kind, size=size))
        assert outbox.add(rank_of(body), body)


def take(outbox: Outbox, most: int = 1_000_000) -> list[int]:
    """The numbers of the events that an outbox gives, each settled, so many at most."""
    found: list[int] = []
    while len(found) < most and (next := outbox.peek()):
        source, records = next[0], next[1][: most - len(found)]
        outbox.settle(source, records)
        found += [number(record.body) for record in records]
    return found


def reopened(root: Path, address: str = HERE, limit: int = DEFAULT_LIMIT) -> Outbox:
    """An outbox as the next process finds it, with what it adopts at its start."""
    outbox = Outbox(root, address, limit)
    outbox.keep(0)
    return outbox
