"""Small builders of OpenLineage events: a test says only what it is about.

Times are seconds after NOON, runs and datasets are short names, and every facet gets the two fields it needs.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from headwater.openlineage.events import SCHEMA_URL, Event, decode_event, format_time, parse_time

NOON = parse_time("2026-01-31T12:00:00Z")
PRODUCER = "https://example.com/tests"
JOBS, DATASETS = "etl", "db"  # the namespaces of names given without one

Name = str | tuple[str, str]  # a name in the namespace above, or (namespace, name)
Json = dict[str, Any]


def moment(at: float) -> int:
    """The instant `at` seconds after NOON, as it is stored."""
    return NOON + round(at * 1_000_000)


def run_id(run: int | str) -> str:
    """The UUID of run 1, 2, …; any text is taken as it is."""
    return str(uuid.UUID(int=run)) if isinstance(run, int) else run


def run_bytes(run: int) -> bytes:
    """The UUID of run 1, 2, … as it is stored."""
    return uuid.UUID(int=run).bytes


def facet(**content: Any) -> Json:
    """A facet with this content."""
    return {"_producer": PRODUCER, "_schemaURL": "https://example.com/facet.json", **content}


def lost(last_seen: float) -> Json:
    """The run facets of a server's note that a run was last heard of at that second."""
    said = facet(lastSeen=format_time(moment(last_seen)), reason="nothing was heard of it")
    return {"headwater_lost": said}


def lease(seconds: int) -> Json:
    """The run facets of a run that will be heard of again within so many seconds."""
    return {"headwater_lease": facet(seconds=seconds)}


# -- events ----------------------------------------------------------------------------------------


def run_event(
    kind: str,
    run: int | str = 1,
    job: Name = "load",
    *,
    inputs: Iterable[Name | Json] = (),
    outputs: Iterable[Name | Json] = (),
    at: float | str = 0,
    facets: Json | None = None,
    job_facets: Json | None = None,
) -> Event:
    """A RunEvent."""
    return event(
        eventType=kind,
        eventTime=at if isinstance(at, str) else format_time(moment(at)),
        run={"runId": run_id(run), "facets": facets or {}},
        job=_job(job, job_facets),
        inputs=[_dataset(item) for item in inputs],
        outputs=[_dataset(item) for item in outputs],
    )


def job_event(
    job: Name = "load",
    *,
    inputs: Iterable[Name | Json] = (),
    outputs: Iterable[Name | Json] = (),
    at: float = 0,
    facets: Json | None = None,
) -> Event:
    """A JobEvent: what a job is said to do, without a run."""
    return event(
        eventTime=format_time(moment(at)),
        job=_job(job, facets),
        inputs=[_dataset(item) for item in inputs],
        outputs=[_dataset(item) for item in outputs],
    )


def dataset_event(item: Name | Json, *, at: float = 0) -> Event:
    """A DatasetEvent: what a dataset says of itself."""
    return event(eventTime=format_time(moment(at)), dataset=_dataset(item))


def event(**content: Any) -> Event:
    """The event with this content, decoded as if it had been sent."""
    return decode_event(msgspec.json.encode({"producer": PRODUCER, "schemaURL": SCHEMA_URL, **content}))


# -- parts -----------------------------------------------------------------------------------------


def dataset(name: Name, *, input_facets: Json | None = None, output_facets: Json | None = None, **facets: Json) -> Json:
    """A dataset of an event, with its facets by name."""
    namespace, plain = name if isinstance(name, tuple) else (DATASETS, name)
    made: Json = {"namespace": namespace, "name": plain, "facets": facets}
    if input_facets is not None:
        made["inputFacets"] = input_facets
    if output_facets is not None:
        made["outputFacets"] = output_facets
    return made


def schema(**types: str) -> Json:
    """A schema facet: column name to type."""
    return facet(fields=[{"name": name, "type": kind} for name, kind in types.items()])


def symlinks(*names: Name, kind: str = "TABLE") -> Json:
    """A symlinks facet that gives a dataset these other names."""
    return facet(identifiers=[{**_reference(name), "type": kind} for name in names])


def lifecycle(change: str, previous: Name | None = None) -> Json:
    """A lifecycleStateChange facet."""
    more = {} if previous is None else {"previousIdentifier": _reference(previous)}
    return facet(lifecycleStateChange=change, **more)


def version(said: str | int) -> Json:
    """A version facet."""
    return facet(datasetVersion=said)


def columns(fields: Mapping[str, Sequence[Json | str]], dataset_wide: Sequence[Json | str] | None = None) -> Json:
    """A columnLineage facet: output column to its inputs, each "table.column" or an `input_field`."""
    made = {column: {"inputFields": [_field(item) for item in items]} for column, items in fields.items()}
    more = {} if dataset_wide is None else {"dataset": [_field(item) for item in dataset_wide]}
    return facet(fields=made, **more)


def input_field(path: str, *transformations: Json) -> Json:
    """An input of a column: "table.column", and how it is used."""
    table, _, column = path.rpartition(".")
    made: Json = {**_reference(table), "field": column}
    return {**made, "transformations": list(transformations)} if transformations else made


def source(item: Name, field: str | None = None, *, kind: str = "DATASET") -> Json:
    """A source in an explicit lineage facet."""
    named = {**_reference(item, DATASETS if kind == "DATASET" else JOBS), "type": kind}
    return named if field is None else {**named, "field": field}


def parent(run: int | str, job: Name, root: tuple[int | str, Name] | None = None) -> Json:
    """A parent facet; `root` is the run and the job at the top."""
    made = facet(run={"runId": run_id(run)}, job=_reference(job, JOBS))
    if root is not None:
        made["root"] = {"run": {"runId": run_id(root[0])}, "job": _reference(root[1], JOBS)}
    return made


def _reference(name: Name, namespace: str = DATASETS) -> Json:
    space, plain = name if isinstance(name, tuple) else (namespace, name)
    return {"namespace": space, "name": plain}


def _job(name: Name, facets: Json | None) -> Json:
    return {**_reference(name, JOBS), "facets": facets or {}}


def _dataset(item: Name | Json) -> Json:
    return item if isinstance(item, dict) else dataset(item)


def _field(item: Json | str) -> Json:
    return input_field(item) if isinstance(item, str) else item
