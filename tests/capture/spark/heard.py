"""A session that is captured, and a backend that has heard what was said of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from pyspark.sql import SparkSession

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.capture.spark.agent import start_application
from headwater.capture.spark.attach import Capture
from headwater.capture.spark.settings import SparkSettings
from headwater.capture.spark.streams import Names, Streams
from tests.capture.backends import Told, told, wait_for

NAMESPACE = "tests"
Event = dict[str, Any]


@dataclass(frozen=True)
class Heard:
    """What a backend has heard."""

    backend: Told
    capture: Capture

    def all(self) -> list[Event]:
        """Every event of a streaming query, in order."""
        bodies = [body for request in list(self.backend.accepted) for body in request.events]
        events = [msgspec.json.decode(body, type=dict[str, Any]) for body in bodies]
        return [event for event in events if event["job"]["facets"]["jobType"]["jobType"] == "QUERY"]

    def events(self, job: str) -> list[Event]:
        """The events of a job."""
        return [event for event in self.all() if event["job"]["name"] == job]

    def kinds(self, job: str) -> list[str]:
        """The types of a job's events."""
        return [event["eventType"] for event in self.events(job)]

    def wait(self, job: str, kind: str) -> Event:
        """The first event of this type; the test fails if it does not come."""
        wait_for(lambda: kind in self.kinds(job))
        return next(event for event in self.events(job) if event["eventType"] == kind)

    def columns(self, job: str) -> list[str]:
        """What is told of a job's columns last, as text."""
        wait_for(lambda: any("columnLineage" in facets_of(out) for e in self.events(job) for out in e["outputs"]))
        event = [e for e in self.events(job) if any("columnLineage" in facets_of(out) for out in e["outputs"])][-1]
        return sorted(line for output in event["outputs"] for line in lines(output))


@contextmanager
def captured(spark: SparkSession, folder: Path) -> Iterator[Heard]:
    """Capture the streams of a session, without the agent, until the block ends."""
    with told() as backend:
        emitter = Emitter(Destination(backend.url), folder / "outbox")
        application = start_application(spark, emitter, SparkSettings(NAMESPACE, "tests"))
        names = Names(NAMESPACE, "tests", {})
        capture = Capture(emitter, application, Streams(spark, emitter, names, application.parent_facet()))
        capture.watch(spark)
        try:
            yield Heard(backend, capture)
        finally:
            capture.close()


def facets_of(dataset: Event) -> dict[str, Any]:
    """The facets of a dataset in an event."""
    found: dict[str, Any] = dataset.get("facets") or {}
    return found


def names(datasets: list[Event]) -> list[str]:
    """Datasets as text."""
    return sorted(f"{each['namespace']} {each['name']}" for each in datasets)


def lines(output: Event) -> Iterator[str]:
    """The columns that feed an output, as text."""
    lineage = facets_of(output).get("columnLineage", {"fields": {}})
    last = output["name"].rpartition("/")[2]
    for field, fed in lineage["fields"].items():
        for source in fed["inputFields"]:
            yield f"{source['name'].rpartition('/')[2]}.{source['field']} -> {last}.{field}"
