"""Column lineage of a plan: which columns of its sources are in which columns of its sink, and how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.flow import Flow, Source
from headwater.capture.spark.plan.reading import Reading
from headwater.capture.spark.plan.tree import Plan
from headwater.capture.spark.plan.uses import FILTER, INDIRECT, Use, Uses, doubted, indirect, transformed
from headwater.capture.spark.plan.values import Value, element, noting, parts, within
from headwater.openlineage.naming import DatasetName

# Code that sees a hundred columns and gives a hundred makes ten thousand guesses; beyond, they are told of the dataset.
MOST_GUESSES = 10_000
DEEPEST = 8


class Sink(Struct, frozen=True):
    """How a sink takes columns: `record` is the one whose content is the record, or * for any that is encoded.

    `routes` are columns that say which dataset a row goes to, such as topic.
    """

    record: str = ""
    routes: tuple[str, ...] = ()


class Edge(Struct, frozen=True, order=True):
    """A column in, a column out, and how; without a target it touches every column, without a doubt it is certain."""

    source: DatasetName
    field: str
    target: str
    kind: str
    subtype: str
    masking: bool = False
    doubt: str = ""


class ColumnLineage(Struct, frozen=True):
    """Every edge of a plan, in order; the columns of the sink; and what stood in the way of more."""

    edges: tuple[Edge, ...] = ()
    columns: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()  # the datasets that the sink's route column names, where it names them
    problems: tuple[str, ...] = ()
    records: tuple[tuple[DatasetName, types.Type], ...] = ()  # what the records of a source were decoded to


class Batches(Struct, frozen=True):
    """The streaming query whose batches a plan inside foreachBatch reads."""

    plan: Plan
    sources: Sequence[Source] = ()


def column_edges(
    plan: Plan, sources: Sequence[Source], sink: Sink | None = None, batches: Batches | None = None
) -> ColumnLineage:
    """The column lineage of a plan, whose leaves are what `sources` says. It never fails: see its problems."""
    try:
        return _lineage(plan, sources, sink or Sink(), batches)
    except Exception as error:  # lineage must never cost a job more than its lineage
        return ColumnLineage(problems=(f"the plan was not understood: {type(error).__name__}: {error}",))


def _lineage(plan: Plan, sources: Sequence[Source], sink: Sink, batches: Batches | None) -> ColumnLineage:
    reading, problems = Reading(sources), {plan.problem}
    outer = Reading(batches.sources if batches else ())
    if batches:
        batch = _whole(outer, batches.plan)
        reading = Reading(sources, batch, outer.sources)
        problems.add(batches.plan.problem)
    flow = _whole(reading, plan)
    said = sorted(problems - {""})
    edges = _fewer(set(_edges(flow, sink, reading.sources, said[0] if said else "")))
    routes = {text for each in flow.columns if each.name in sink.routes for text in flow.value(each).texts or ()}
    unnamed = [f"nothing says what {kind} reads" for kind in dict.fromkeys(reading.unnamed)]
    return ColumnLineage(
        tuple(sorted(edges)),
        tuple(path for path, _ in _outputs(flow, sink)),
        tuple(sorted(routes)),
        (*said, *unnamed),
        tuple(_records(reading, outer)),
    )


def _whole(reading: Reading, plan: Plan) -> Flow:
    flow = reading.read(plan.root)
    return Flow(flow.columns, flow.values, everywhere=frozenset(reading.everywhere))


def _records(*readings: Reading) -> Iterator[tuple[DatasetName, types.Type]]:
    """The type of each dataset's records; where one source is several datasets, nobody knows whose it is."""
    for reading in readings:
        for number, fields in reading.records.items():
            if len(datasets := reading.sources[number].datasets) == 1:
                yield datasets[0], types.struct(list(fields.items()))


def _edges(flow: Flow, sink: Sink, sources: Sequence[Source], problem: str) -> Iterator[Edge]:
    everywhere = flow.everywhere
    for column in flow.columns:
        if column.name in sink.routes:
            everywhere |= indirect(flow.value(column).uses, FILTER)
    pairs: list[tuple[str, Uses]] = [("", everywhere), *((path, value.uses) for path, value in _outputs(flow, sink))]
    for path, uses in pairs:
        for use in doubted(uses, problem) if problem else uses:
            yield from _edge(use, path, sources)


def _edge(use: Use, path: str, sources: Sequence[Source]) -> Iterator[Edge]:
    source = sources[use.origin.source]
    several = ", ".join(dataset.name for dataset in source.datasets) if len(source.datasets) > 1 else ""
    doubt = use.doubt or (several and f"may feed: it is of one of {several}")
    for dataset in source.datasets:
        yield Edge(dataset, use.origin.path, path, use.kind, use.subtype, use.masking, doubt)


def _outputs(flow: Flow, sink: Sink) -> Iterator[tuple[str, Value]]:
    """The fields of the sink: columns and what is in them, and the fields of a record in place of its column."""
    for column in flow.columns:
        value = flow.value(column)
        if column.name in sink.routes:
            continue
        if value.record is not None and sink.record in (column.name, "*") and (fields := parts(value.record)):
            for name, field in fields:
                yield from _within(name, noting(field, value.also), 0)
        else:
            yield from _within(column.name, value, 0)


def _within(path: str, value: Value, depth: int) -> Iterator[tuple[str, Value]]:
    """A field, and the fields inside it; a struct that was put together is not the same as what is in it."""
    yield path, Value(transformed(value.uses)) if value.fields is not None else value
    while (value.element is not None or types.element(value.type) is not None) and depth < DEEPEST:
        value, depth = element(value), depth + 1
    if depth < DEEPEST:
        for name, field in parts(value):
            yield from _within(within(path, name), field, depth + 1)


def _fewer(edges: set[Edge]) -> set[Edge]:
    """Without guesses at what is certain anyway, and with few enough of them."""
    edges = {edge for edge in edges if not edge.doubt or structs.replace(edge, doubt="") not in edges}
    guesses = {edge for edge in edges if edge.target and edge.doubt and edge.kind == INDIRECT}
    if len(guesses) <= MOST_GUESSES:
        return edges
    return (edges - guesses) | {structs.replace(guess, target="") for guess in guesses}
