"""What a streaming query reads and writes, as datasets of its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, structs

from headwater.capture.run_events import facet
from headwater.capture.spark.datasets import Identity
from headwater.capture.spark.plan import (
    Batches,
    ColumnLineage,
    Edge,
    Source,
    column_edges,
    column_lineage_facet,
    read_plan,
    types,
)
from headwater.openlineage.events import PRODUCER
from headwater.openlineage.naming import DatasetName

UNNAMED = "headwater_unnamed"
UNNAMED_URL = f"{PRODUCER}/blob/main/docs/streams.md#names"


class Leaf(Struct, frozen=True):
    """A leaf of a plan: the ids of its columns there, what it reads, and its type as Spark writes it in JSON."""

    columns: tuple[int, ...]
    identity: Identity
    type: types.Type = None

    def source(self) -> Source:
        return self.identity.source(self.columns)


class Seen(Struct, frozen=True):
    """A plan that writes, as it was seen in the JVM; without a `sink` it hands its rows to a function."""

    plan: str
    leaves: tuple[Leaf, ...] = ()
    sink: Identity | None = None
    type: types.Type = None


class Dataset(Struct, frozen=True):
    """A dataset and what is known of it; `edges` are of an output."""

    name: DatasetName
    symlinks: tuple[DatasetName, ...] = ()
    unnamed: str = ""
    fields: tuple[tuple[str, types.Type], ...] = ()
    edges: frozenset[Edge] = frozenset()


class Datasets(Struct, frozen=True):
    """The inputs and outputs of a run."""

    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()

    def plus(self, other: Datasets) -> Datasets:
        """Both; of a dataset that is in both, the edges together and what else the other says."""
        return Datasets(_together(self.inputs, other.inputs), _together(self.outputs, other.outputs))


# -- reading ---------------------------------------------------------------------------------------


def named(seen: Seen) -> Datasets:
    """What has a name as soon as the query exists; a pattern of topics and the like may still get one."""
    inputs = [each for leaf in seen.leaves for each in _datasets(leaf.identity) if not _may_change(leaf.identity)]
    sink = seen.sink
    return Datasets(_together(inputs, ()), () if sink is None or _may_change(sink) else tuple(_datasets(sink)))


def described(seen: Seen, around: Seen | None = None) -> Datasets:
    """Everything that the plan tells; `around` is the query whose batches a plan inside foreachBatch reads."""
    batches = Batches(read_plan(around.plan), [leaf.source() for leaf in around.leaves]) if around else None
    sink = seen.sink.sink() if seen.sink else None
    lineage = column_edges(read_plan(seen.plan), [leaf.source() for leaf in seen.leaves], sink, batches)
    leaves = (*seen.leaves, *(around.leaves if around else ()))
    waiting = {name for leaf in leaves if _may_change(leaf.identity) for name in leaf.identity.names}
    lineage = structs.replace(lineage, edges=tuple(edge for edge in lineage.edges if edge.source not in waiting))
    inputs = [
        structs.replace(each, fields=_input_fields(leaf, lineage))
        for leaf in leaves
        for each in _datasets(leaf.identity)
        if each.name not in waiting
    ]
    outputs = [_output(each, seen, lineage) for each in _sinks(seen, lineage)]
    # A table that is only read to be written anew, as MERGE does, is no input of its own.
    own = {each.name for each in outputs} - {edge.source for edge in lineage.edges if edge.kind == "DIRECT"}
    return Datasets(_together((each for each in inputs if each.name not in own), ()), _together(outputs, ()))


def _datasets(identity: Identity) -> Iterable[Dataset]:
    return (Dataset(name, identity.symlinks, identity.unnamed) for name in identity.names)


def _may_change(identity: Identity) -> bool:
    """A topic that nobody has named yet: by a pattern, or by the rows themselves."""
    return bool(identity.unnamed and identity.later)


def _sinks(seen: Seen, lineage: ColumnLineage) -> Iterable[Dataset]:
    """Where rows go; the topics that their route column names are in the plan."""
    if seen.sink is None:
        return ()
    if seen.sink.unnamed and seen.sink.later and lineage.routes:
        return [Dataset(DatasetName(seen.sink.later, topic)) for topic in lineage.routes]
    return _datasets(seen.sink)


def _output(dataset: Dataset, seen: Seen, lineage: ColumnLineage) -> Dataset:
    own = types.parts(seen.type)
    # The columns of a topic or of lines of text are those of its record, which only the plan knows.
    record = seen.sink is not None and bool(seen.sink.record)
    names = [path for path in lineage.columns if "." not in path]
    fields = tuple((name, None) for name in names) if record or not own else tuple(own)
    return structs.replace(dataset, fields=fields, edges=frozenset(lineage.edges))


def _input_fields(leaf: Leaf, lineage: ColumnLineage) -> tuple[tuple[str, types.Type], ...]:
    """The fields of a source; of records only what they are decoded to, because key and value say nothing of them."""
    if not leaf.identity.record:
        return tuple(types.parts(leaf.type))
    records = dict(lineage.records)
    return tuple(types.parts(records.get(leaf.identity.names[0]))) if len(leaf.identity.names) == 1 else ()


def _together(some: Iterable[Dataset], more: Iterable[Dataset]) -> tuple[Dataset, ...]:
    found: dict[DatasetName, Dataset] = {}
    for each in (*some, *more):
        before = found.get(each.name)
        found[each.name] = (
            each
            if before is None
            else structs.replace(
                each,
                symlinks=each.symlinks or before.symlinks,
                fields=each.fields or before.fields,
                edges=before.edges | each.edges,
            )
        )
    return tuple(found.values())


# -- telling ---------------------------------------------------------------------------------------


def dataset_facts(dataset: Dataset) -> dict[str, Any]:
    """A dataset with its facets, ready for JSON."""
    facets: dict[str, Any] = {}
    if dataset.fields:
        facets["schema"] = facet("1-2-0/SchemaDatasetFacet", fields=[_field(*each) for each in dataset.fields])
    if dataset.symlinks:
        names = [{"namespace": one.namespace, "name": one.name, "type": "TABLE"} for one in dataset.symlinks]
        facets["symlinks"] = facet("1-0-1/SymlinksDatasetFacet", identifiers=names)
    if dataset.unnamed:
        facets[UNNAMED] = {"_producer": PRODUCER, "_schemaURL": UNNAMED_URL, "reason": dataset.unnamed}
    if lineage := column_lineage_facet(ColumnLineage(tuple(sorted(dataset.edges)))):
        facets["columnLineage"] = lineage
    return {"namespace": dataset.name.namespace, "name": dataset.name.name, "facets": facets}


def dataset_name(dataset: Dataset, output_facets: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A dataset by its name alone, with what a run has to say of its writes."""
    facts: dict[str, Any] = {"namespace": dataset.name.namespace, "name": dataset.name.name}
    return {**facts, "outputFacets": dict(output_facets)} if output_facets else facts


def _field(name: str, type: types.Type) -> dict[str, Any]:
    told: dict[str, Any] = {"name": name}
    if words := type_text(type):
        told["type"] = words
    inner = type
    while (element := types.element(inner)) is not None:
        inner = element
    if fields := types.parts(inner):
        told["fields"] = [_field(*each) for each in fields]
    return told


def type_text(type: types.Type) -> str:
    """A type in Spark's words: string, array<struct>; what is inside a struct is told by its fields."""
    if isinstance(type, str):
        return type
    if not isinstance(type, Mapping):
        return ""
    if type.get("type") == "map":
        return f"map<{type_text(type.get('keyType'))},{type_text(type.get('valueType'))}>"
    if (element := types.element(type)) is not None:
        return f"array<{type_text(element)}>"
    return str(type.get("type") or "")
