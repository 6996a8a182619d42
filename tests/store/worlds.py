"""Hypothesis strategies for small worlds of events: few names, runs and times, so that they collide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from headwater.openlineage.events import SCHEMA_URL, Event
from tests.events import (
    NOON,
    PRODUCER,
    Json,
    Name,
    columns,
    dataset,
    dataset_event,
    facet,
    input_field,
    job_event,
    lifecycle,
    lost,
    parent,
    run_event,
    schema,
    source,
    symlinks,
    version,
)

KINDS = ["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", "START", "COMPLETE", "JOB", "DATASET"]
EPOCH = -NOON // 1_000_000
SECONDS = st.sampled_from([0, 1, 2, 3, EPOCH, EPOCH - 1])  # a sender without a clock says 1970 or 0001
RUNS: st.SearchStrategy[int | str] = st.sampled_from([1, 2, 3, "nightly #1"])
JOBS: st.SearchStrategy[Name] = st.sampled_from(["a", "b", ("other", "a")])
TABLES: st.SearchStrategy[Name] = st.sampled_from(["x", "y", "z", ("lake", "x"), ("lake", "y")])
COLUMN_NAMES = st.sampled_from(["id", "price"])

TRANSFORMATIONS = st.sampled_from(
    [
        {"type": "DIRECT", "subtype": "IDENTITY"},
        {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum(price)", "masking": True},
        {"type": "INDIRECT", "subtype": "FILTER"},
    ]
)
INPUT_FIELDS = st.builds(
    lambda table, column, transformations: {
        **input_field(f"t.{column}", *transformations),
        **_reference(table),
    },
    TABLES,
    COLUMN_NAMES,
    st.lists(TRANSFORMATIONS, max_size=2),
)


def _reference(name: Name) -> Json:
    made = dataset(name)
    return {"namespace": made["namespace"], "name": made["name"]}


SCHEMAS = st.sampled_from(
    [
        schema(id="int"),
        schema(id="int", price="float"),
        schema(price="float", id="int"),
        facet(fields=[{"name": "id", "type": "int", "description": "the key"}]),
        facet(fields=[]),
        facet(_deleted=True),
    ]
)
COLUMN_LINEAGE = st.one_of(
    st.builds(
        columns,
        st.dictionaries(COLUMN_NAMES, st.lists(INPUT_FIELDS, max_size=2), max_size=2),
        st.none() | st.lists(INPUT_FIELDS, max_size=1),
    ),
    st.just(facet(_deleted=True)),
)
SOURCES = st.lists(
    st.one_of(
        st.builds(source, TABLES, st.none() | COLUMN_NAMES),
        st.builds(lambda job: source(job, kind="JOB"), JOBS),
        st.just({"type": "JOB"}),
    ),
    max_size=2,
)
FIELD_SOURCES = st.dictionaries(COLUMN_NAMES, SOURCES.map(lambda made: {"inputs": made}), max_size=1)
DATASET_LINEAGE = st.one_of(
    SOURCES.map(lambda made: facet(inputs=made)),
    FIELD_SOURCES.map(lambda made: facet(fields=made)),
    st.just(facet(_deleted=True)),
)
LINEAGE_ENTRIES = st.one_of(
    st.builds(
        lambda table, inputs, fields: {**_reference(table), "type": "DATASET", "inputs": inputs, "fields": fields},
        TABLES,
        SOURCES,
        FIELD_SOURCES,
    ),
    st.builds(lambda job, inputs: {**source(job, kind="JOB"), "inputs": inputs}, JOBS, SOURCES),
    st.builds(lambda inputs: {"type": "JOB", "inputs": inputs}, SOURCES),
)
JOB_LINEAGE = st.lists(LINEAGE_ENTRIES, min_size=1, max_size=2).map(lambda made: facet(entries=made))
LIFECYCLES = st.one_of(
    st.sampled_from(["CREATE", "ALTER", "DROP", "OVERWRITE", "TRUNCATE", "RENAME"]).map(lifecycle),
    st.builds(lambda old: lifecycle("RENAME", old), TABLES),
)
SYMLINKS = st.builds(
    lambda names, kind: symlinks(*names, kind=kind),
    st.lists(TABLES, min_size=1, max_size=2),
    st.sampled_from(["TABLE", "LOCATION"]),
)
VERSIONS = st.one_of(st.sampled_from(["1", "2"]).map(version), st.just(version(7)))
DATA_SOURCES = st.builds(
    lambda name, uri: facet(name=name, uri=uri),
    st.sampled_from(["warehouse", "lake"]),
    st.sampled_from(["postgresql://one", "s3://two", "jdbc:mysql://three"]),
)
NOTES = st.one_of(
    st.sampled_from(["early", "late"]).map(lambda said: facet(description=said)),
    st.just(facet(_deleted=True)),
    st.just({"broken": True}),
)
DATASET_FACETS: Any = st.fixed_dictionaries(
    {},
    optional={
        "schema": SCHEMAS,
        "symlinks": SYMLINKS,
        "lifecycleStateChange": LIFECYCLES,
        "version": VERSIONS,
        "columnLineage": COLUMN_LINEAGE,
        "lineage": DATASET_LINEAGE,
        "dataSource": DATA_SOURCES,
        "documentation": NOTES,
    },
)
STATISTICS = st.none() | st.integers(1, 2).map(lambda rows: {"statistics": facet(rowCount=rows)})
PARENTS = st.none() | st.builds(parent, RUNS, JOBS, st.none() | st.tuples(RUNS, JOBS))


@st.composite
def dataset_parts(draw: st.DrawFn, simple: bool) -> Json:
    """A dataset of an event, plain more often than not."""
    name = draw(TABLES)
    if simple or draw(st.booleans()):
        return dataset(name)
    return dataset(name, input_facets=draw(STATISTICS), output_facets=draw(STATISTICS), **draw(DATASET_FACETS))


@st.composite
def events(draw: st.DrawFn, simple: bool = False) -> Event:
    """One event of any kind; a simple one has no facet that means anything."""
    at = draw(SECONDS)
    kind = draw(st.sampled_from(KINDS))
    if kind == "DATASET":
        return dataset_event(draw(dataset_parts(simple)), at=at)
    inputs = draw(st.lists(dataset_parts(simple), max_size=2))
    outputs = draw(st.lists(dataset_parts(simple), max_size=2))
    job_facets: Json = {}
    if not simple:
        job_facets = draw(st.fixed_dictionaries({}, optional={"lineage": JOB_LINEAGE, "documentation": NOTES}))
    job = draw(JOBS)
    if kind == "JOB":
        return job_event(job, inputs=inputs, outputs=outputs, at=at, facets=job_facets)
    known = draw(PARENTS)
    facets: Json = {} if known is None else {"parent": known}
    if kind == "OTHER" and draw(st.booleans()):
        facets |= lost(draw(SECONDS))
    return run_event(
        kind,
        draw(RUNS),
        job,
        inputs=inputs,
        outputs=outputs,
        at=at,
        facets=facets,
        job_facets=job_facets,
    )


class Arrival(NamedTuple):
    """A way in which a set of events may arrive: restarts of the server, each of batches, each of events."""

    starts: list[list[list[Event]]]


class History(NamedTuple):
    """A set of events, and one way in which they may arrive."""

    world: list[Event]
    arrival: Arrival

    def __repr__(self) -> str:
        lines = [f"{index}: {_shown(event)}" for index, event in enumerate(self.world)]
        order = [[[self.world.index(event) for event in batch] for batch in start] for start in self.arrival.starts]
        return "\n".join([*lines, f"arrive as {order}"])


def _shown(event: Event) -> str:
    text = event.body.decode()
    for noise in (f'"producer":"{PRODUCER}","schemaURL":"{SCHEMA_URL}",', '"facets":{}', *_FACET_NOISE):
        text = text.replace(noise, "")
    return text


_FACET_NOISE = [f'"{key}":"{value}"' for key, value in facet().items()]


def cut(items: Sequence[Any], sizes: Sequence[int]) -> list[list[Any]]:
    """Split `items` into parts of these sizes, over and over."""
    parts, position, turn = [], 0, 0
    while position < len(items):
        size = sizes[turn % len(sizes)]
        parts.append(list(items[position : position + size]))
        position += size
        turn += 1
    return parts


SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@st.composite
def histories(draw: st.DrawFn, simple: bool = False, most: int = 6) -> History:
    """A few events, and an arrival of them in any order, with repeats, batches and restarts."""
    world = draw(st.lists(events(simple), min_size=2, max_size=most))
    repeats = draw(st.lists(st.sampled_from(world), max_size=2))
    order = draw(st.permutations([*world, *repeats]))
    return History(world, Arrival(cut(cut(order, draw(SIZES)), draw(SIZES))))
