"""The run of a streaming query: what happened to the query goes in, the run as it is then and its events come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, structs

from headwater.capture.ending import Ending
from headwater.capture.run_events import RunOf, error_facets, facet, job_type_facet
from headwater.capture.spark.described import Dataset, Datasets, dataset_facts, dataset_name
from headwater.capture.spark.progress import Totals, progress_facet

EVERY = timedelta(seconds=60)  # at which a run that goes on unchanged is reported
JOB_FACETS = {"jobType": job_type_facet("QUERY", "STREAMING", "SPARK")}

Event = dict[str, Any]


class StreamRun(Struct, frozen=True):
    """One start of a streaming query, and what was said of it."""

    run: RunOf
    facets: Mapping[str, Any] = {}  # of every event, such as the parent
    datasets: Datasets = Datasets()
    progress: Mapping[str, Any] = {}
    totals: Totals = Totals()
    spoken: datetime | None = None
    ended: bool = False

    @property
    def going(self) -> bool:
        """Whether it has started and not ended."""
        return self.spoken is not None and not self.ended


Step = tuple[StreamRun, list[Event]]


def start(run: StreamRun, datasets: Datasets, at: datetime, facets: Mapping[str, Any]) -> Step:
    """The query exists; `facets` are of this event alone."""
    if run.spoken is not None:
        return run, []
    now = structs.replace(run, datasets=datasets, spoken=at)
    inputs, outputs = map(_facts, (datasets.inputs, datasets.outputs))
    return now, [run.run.event("START", {**run.facets, **facets}, JOB_FACETS, inputs, outputs, lambda: at)]


def describe(run: StreamRun, datasets: Datasets, at: datetime) -> Step:
    """More is known of what it reads and writes; an event only if that is new."""
    known = run.datasets.plus(datasets)
    if not run.going or known == run.datasets:
        return run, []
    now = structs.replace(run, datasets=known, spoken=at)
    # All of it, because column lineage that is told again takes the place of what was told before.
    return now, [_running(now, at, _facts(known.inputs), _facts(known.outputs, _written(now)))]


def advance(run: StreamRun, progress: Mapping[str, Any], at: datetime) -> Step:
    """A micro-batch is done."""
    now = structs.replace(run, progress=progress, totals=run.totals.plus(progress))
    return tick(now, at)


def tick(run: StreamRun, at: datetime) -> Step:
    """Time has passed."""
    if not run.going or run.spoken is None or at - run.spoken < EVERY:
        return run, []
    return speak(run, at)


def speak(run: StreamRun, at: datetime) -> Step:
    """Say that it goes on, because somebody has given it up."""
    if not run.going:
        return run, []
    now = structs.replace(run, spoken=at)
    return now, [_running(now, at, _names(run.datasets.inputs), _names(run.datasets.outputs, _written(run)))]


def end(run: StreamRun, ending: Ending, at: datetime) -> Step:
    """It is over; nothing is said after that."""
    if not run.going:
        return run, []
    now = structs.replace(run, ended=True, spoken=at)
    facets = {**run.facets, **_progress(run), **error_facets(ending, language(ending.stack))}
    names = _names(run.datasets.inputs), _names(run.datasets.outputs, _written(run))
    return now, [run.run.event(ending.kind, facets, JOB_FACETS, *names, lambda: at)]


def language(stack: str) -> str:
    """Whose stack it is."""
    return "PYTHON" if "Traceback (most recent call last)" in stack else "JAVA"


def _running(run: StreamRun, at: datetime, inputs: list[Event], outputs: list[Event]) -> Event:
    return run.run.event("RUNNING", {**run.facets, **_progress(run)}, JOB_FACETS, inputs, outputs, lambda: at)


def _progress(run: StreamRun) -> dict[str, Any]:
    return progress_facet(run.progress, run.totals) if run.progress else {}


def _written(run: StreamRun) -> dict[str, Any]:
    """How much the run has written so far, as far as its sink counts."""
    if run.totals.written is None:
        return {}
    return {"outputStatistics": facet("1-0-2/OutputStatisticsOutputDatasetFacet", rowCount=run.totals.written)}


def _facts(datasets: Sequence[Dataset], output_facets: Mapping[str, Any] | None = None) -> list[Event]:
    more = {"outputFacets": dict(output_facets)} if output_facets else {}
    return [{**dataset_facts(each), **more} for each in datasets]


def _names(datasets: Sequence[Dataset], output_facets: Mapping[str, Any] | None = None) -> list[Event]:
    return [dataset_name(each, output_facets) for each in datasets]
