"""The fold against a model of it: a few lines that say what runs and edges follow from a set of events."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings

from headwater.openlineage.events import Event, parse_time, run_uuid
from headwater.store.database import Database
from tests.assertions import observable
from tests.store.folding import empty, fold_batches
from tests.store.worlds import History, histories

ENDS = {"FAIL": "FAILED", "ABORT": "ABORTED", "COMPLETE": "COMPLETED"}


def modelled_runs(events: list[Event]) -> dict[str, Any]:
    """Each run as (state, start, end, job, what it named), by its UUID."""
    by_run = defaultdict(list)
    for event in events:
        if event.run is not None:
            by_run[run_uuid(event.run.runId).hex()].append(event)
    return {run: _modelled_run(said) for run, said in by_run.items()}


def _modelled_run(events: list[Event]) -> Any:
    ends = [(event.time, list(ENDS).index(event.type)) for event in events if event.type in ENDS]
    if ends:
        end, state = min(ends)[0], list(ENDS.values())[min(ends)[1]]
    else:
        end, state = None, "RUNNING" if any(event.type in ("START", "RUNNING") for event in events) else "NEW"
        if notes := [seen for event in events if (seen := _last_seen(event)) is not None]:
            state = "LOST" if max(notes) == max(map(_time, events)) else "RUNNING"
    newest = max((_time(event), _job(event)) for event in events)
    return state, min(map(_time, events)), end, newest[1], _named(events)


def _last_seen(event: Event) -> int | None:
    """Of a note that a run is lost: the time it is about."""
    facet = event.run.facets.get("headwater_lost") if event.run and event.run.facets else None
    return None if facet is None else parse_time(msgspec.json.decode(facet)["lastSeen"])


def _time(event: Event) -> int:
    seen = _last_seen(event)
    return event.time if seen is None else seen


def _job(event: Event) -> tuple[str, str]:
    assert event.job is not None
    return event.job.namespace, event.job.name


def _named(events: list[Event]) -> frozenset[Any]:
    return frozenset(
        (side, (dataset.namespace, dataset.name))
        for event in events
        for side, datasets in (("input", event.inputs), ("output", event.outputs))
        for dataset in datasets
    )


def modelled_edges(events: list[Event]) -> set[Any]:
    """Of each job the newest run, or declaration, that named a dataset."""
    claims = defaultdict(list)
    for run, (_, start, _, job, named) in modelled_runs(events).items():
        claims[job].append((start, bytes.fromhex(run), named))
    for event in events:
        if event.type == "JOB":
            claims[_job(event)].append((event.time, event.hash, _named([event])))
    newest = {job: max((claim for claim in said if claim[2]), default=None) for job, said in claims.items()}
    return {(job, *edge) for job, claim in newest.items() if claim for edge in claim[2]}


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(histories(simple=True, most=10))
def test_runs_and_edges_are_what_the_model_says(sqlite: Database, history: History) -> None:
    empty(sqlite)
    for batches in history.arrival.starts:
        fold_batches(sqlite, batches)
    picture = observable(sqlite)
    runs = {
        run: (
            found["state"],
            found["started"],
            found["ended"],
            found["job"],
            frozenset(edge[:2] for edge in found["io"]),
        )
        for run, found in picture["runs"].items()
        if not found["declared"] and found["started"] is not None
    }
    assert runs == modelled_runs(history.world)
    assert picture["edges"] == modelled_edges(history.world)
    assert sorted(msgspec.json.decode(body)["eventTime"] for body in picture["events"]) == sorted(
        {event.body: msgspec.json.decode(event.body)["eventTime"] for event in history.world}.values()
    )
