"""A watcher over a worker's API, whose looks and clocks the test decides, and the events that it sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headwater.capture.connect.cluster import parse_clusters
from headwater.capture.connect.details import Sources
from headwater.capture.connect.journal import Place
from headwater.capture.connect.watcher import Watcher
from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.capture.leases import Leases
from tests.capture.backends import Told, told

Json = dict[str, Any]


class Watching:
    """A watcher, its clock, and what arrived at the backend."""

    def __init__(self, url: str, folder: Path, backend: Told, sources: Sources) -> None:
        self.now = 1_000_000.0
        self._backend, self._folder = backend, folder
        self._emitter = Emitter(Destination(backend.url), folder / "outbox")
        self.leases = Leases(None, lambda: False, 30)
        [cluster] = parse_clusters([url])
        place = Place(self._emitter, self.leases, folder / "connect")
        self.watcher = Watcher(cluster, place, "fh-local", sources, clock=lambda: self.now, monotonic=lambda: self.now)

    def look(self, after: float = 5.0) -> list[Json]:
        """Let time pass and look once; the events that were sent by it."""
        before = len(self._events())
        self.now += after
        self.watcher.poll()
        assert self._emitter.flush(20)
        return self._events()[before:]

    def close(self) -> None:
        """End, as an agent that is stopped."""
        self.watcher.close()
        self._emitter.close(0)

    def _events(self) -> list[Json]:
        return [json.loads(body) for request in self._backend.accepted for body in request.events]


@contextmanager
def watching(url: str, folder: Path, sources: Sources = Sources()) -> Iterator[Watching]:  # noqa: B008, frozen
    """A watcher that remembers what it knows in a folder."""
    with told() as backend:
        made = Watching(url, folder, backend, sources)
        try:
            yield made
        finally:
            made.close()


def types(events: list[Json]) -> list[str]:
    """The types of events."""
    return [event["eventType"] for event in events]


def facet(event: Json, name: str = "headwater_connector") -> Json:
    """A facet of an event's run."""
    found: Json = event["run"]["facets"][name]
    return found
