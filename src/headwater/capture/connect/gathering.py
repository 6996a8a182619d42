"""What is asked about a connector, and what has been found of it so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.edges import ColumnEdge, ConnectorLineage, Kind, Side
from headwater.capture.connect.families.family import Locations, Target
from headwater.capture.connect.options import Config
from headwater.capture.connect.schemas.converters import converter
from headwater.capture.connect.schemas.record import TopicSchemas
from headwater.capture.connect.topic_columns import columns, record_of
from headwater.capture.connect.transforms.flow import Column, Record, Use, to_field, walk
from headwater.openlineage.naming import DatasetName


class Asked(Struct, frozen=True):
    """A connector that is asked about: its settings, its topics and what is known of them."""

    config: Config
    topics: tuple[str, ...]
    schemas: Mapping[str, TopicSchemas]
    namespace: str
    locations: Locations

    def known(self, topic: str) -> TopicSchemas:
        """What is known of a topic: by its schemas, else by converters that need none."""
        found = self.schemas.get(topic, TopicSchemas())
        key = found.key or converter(self.config, {}, "key").schema
        value = found.value or converter(self.config, {}, "value").schema
        return TopicSchemas(key, value, found.problem)

    def topic(self, name: str) -> DatasetName:
        """A topic as a dataset."""
        return DatasetName(self.namespace, name)

    def topic_side(self, name: str, unknown: str = "") -> Side:
        """A topic with its columns."""
        known = self.known(name)
        record = record_of(name, known)
        fields = tuple(to_field(each) for each in columns(record.key, record.value))
        why = "" if known.value else record.value.partial
        return Side(self.topic(name), fields, (), unknown or why, known.value.version if known.value else "")


class Gathered:
    """What has been found of a connector so far."""

    def __init__(self) -> None:
        self.inputs: dict[DatasetName, Side] = {}
        self.outputs: dict[DatasetName, Side] = {}
        self.edges: list[ColumnEdge] = []
        self.notes: list[str] = []

    def input(self, side: Side) -> None:
        """One more input; a dataset that comes again has the columns of both times."""
        self.inputs[side.dataset] = _joined(self.inputs.get(side.dataset), side)

    def output(self, side: Side) -> None:
        """One more output; a dataset that comes again has the columns of both times."""
        self.outputs[side.dataset] = _joined(self.outputs.get(side.dataset), side)

    def add(self, target: Target, known: Sequence[Column], record: Record, topic: DatasetName) -> None:
        """What a sink writes of one topic; the columns that are known are its schema."""
        fields = tuple(to_field(each) for each in known)
        self.output(Side(target.dataset, fields, target.symlinks, target.unknown or record.value.partial))
        self.edges += column_edges(target.dataset, target.columns, (*record.whole, *target.whole), topic)

    def lineage(self, kind: Kind) -> ConnectorLineage:
        """All of it, each thing once."""
        certain = {edge for edge in self.edges if not edge.possible}
        edges = {edge for edge in self.edges if not edge.possible or replace(edge, possible="") not in certain}
        inputs, outputs = (tuple(map(_told, sides.values())) for sides in (self.inputs, self.outputs))
        notes = tuple(dict.fromkeys(note for note in self.notes if note))
        return ConnectorLineage(kind, inputs, outputs, tuple(sorted(edges)), notes)


# What a worker asks a provider for, such as ${env:HOST}; what a record tells has no colon.
FILLED_IN = re.compile(r"\$\{\w+:[^{}]*\}")


def _told(side: Side) -> Side:
    """A side whose name has a placeholder in it says that only the worker can fill it in."""
    found = FILLED_IN.search(f"{side.dataset.namespace} {side.dataset.name}")
    if found is None or side.unknown:
        return side
    return replace(side, unknown=f"only the worker knows what is in the place of {found[0]}")


def _joined(known: Side | None, side: Side) -> Side:
    if known is None:
        return side
    fields = {field.name: field for field in (*known.fields, *side.fields)}
    return replace(known, fields=tuple(fields.values()), unknown=known.unknown or side.unknown)


def column_edges(
    output: DatasetName, made: Sequence[Column], whole: Sequence[Use], origin: DatasetName
) -> list[ColumnEdge]:
    found = [(path, use) for path, column in walk(made) for use in column.uses]
    found += [("", use) for use in whole]
    return [
        ColumnEdge(output, path, origin, use.path, use.kind, use.subtype, use.description, use.masking, use.doubt)
        for path, use in found
        if use.path
    ]
