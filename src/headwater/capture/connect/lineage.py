"""What a connector reads and writes, column by column, from its settings and its topics' schemas. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from headwater.capture.connect.dataset_facets import datasets_of
from headwater.capture.connect.edges import ColumnEdge, ConnectorLineage, Kind, Side
from headwater.capture.connect.families import family_of
from headwater.capture.connect.families.family import NOWHERE, Locations, Sink
from headwater.capture.connect.gathering import Asked
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.redaction import redact_text, secrets_of
from headwater.capture.connect.reference_smt import reference_of
from headwater.capture.connect.schemas import parse_schema
from headwater.capture.connect.schemas.converters import Converter, converter
from headwater.capture.connect.schemas.record import BadSchema, Field, RecordSchema, TopicSchemas
from headwater.capture.connect.schemas.subjects import subject_pattern, subjects
from headwater.capture.connect.sinks import sink_lineage
from headwater.capture.connect.sources import source_lineage
from headwater.capture.connect.transforms import chain_of, topic_after

__all__ = [
    "BadSchema",
    "ColumnEdge",
    "ConnectorLineage",
    "Converter",
    "Field",
    "RecordSchema",
    "Side",
    "TopicSchemas",
    "Wanted",
    "converter",
    "datasets_of",
    "lineage_of",
    "parse_schema",
    "subject_pattern",
    "subjects",
    "topics_wanted",
]


class Wanted(Struct, frozen=True):
    """Topics that a connector's own settings name: one by one, or by a pattern that the whole name matches."""

    topics: tuple[str, ...] = ()
    pattern: str = ""


def topics_wanted(config: Config, kind: str = "") -> Wanted:
    """The topics of a connector by its settings alone: what a sink reads, what a source writes to."""
    family = family_of(config, kind)
    if isinstance(family, Sink):
        return Wanted(listed(config.get("topics", "")), option(config, "topics.regex"))
    chain, reference = chain_of(config), reference_of(config)
    after = (topic_after(chain, origin.topic) for origin in family.origins(config) if origin.topic)
    found = tuple(dict.fromkeys(topic for topic in after if topic and "${" not in topic))
    return Wanted(found or (reference.topics if reference else ()))


def lineage_of(
    config: Config,
    topics: Sequence[str],
    schemas: Mapping[str, TopicSchemas],
    kafka_namespace: str,
    locations: Locations = NOWHERE,
    kind: Literal["source", "sink", ""] = "",
) -> ConnectorLineage:
    """The lineage of a connector that has these topics. It never fails: see the notes.

    `locations` are those of tables, such as db.orders, that the settings do not tell; `kind` is what the worker says.
    """
    asked = Asked(config, tuple(dict.fromkeys(topics)), schemas, kafka_namespace, locations)
    try:
        family = family_of(config, kind)
        return sink_lineage(asked, family) if isinstance(family, Sink) else source_lineage(asked, family)
    except Exception as error:  # lineage must never cost the agent more than the lineage of one connector
        said = redact_text(f"{type(error).__name__}: {error}", secrets_of(config))
        note = f"the connector's settings were not understood: {said}"
        sides = tuple(Side(asked.topic(topic), unknown=note) for topic in asked.topics)
        known: Kind = kind or "unknown"
        return ConnectorLineage(known, sides if kind == "sink" else (), () if kind == "sink" else sides, notes=(note,))
