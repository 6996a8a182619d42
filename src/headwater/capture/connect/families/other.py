"""A connector that nothing is known of: its topics, and one node for the other side that says so."""

from __future__ import annotations

from headwater.capture.connect.families.family import Family, Locations, Origin, Sink, Source, Target, columns_of
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Record, doubted, struct
from headwater.openlineage.naming import DatasetName


def other_side(config: Config) -> tuple[DatasetName, str]:
    """A name of its own for what is not known: two connectors never share it."""
    kind = config.get("connector.class", "").strip()
    short = kind.rpartition(".")[2] or "unknown"
    why = f"nothing is known of the connector class {kind}: only its topics are certain"
    return DatasetName(f"connect:{short}", config.get("name", "") or short), why


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """Records end somewhere, perhaps with the same fields."""
    dataset, why = other_side(config)
    columns = doubted(struct(columns_of(record)), why).fields
    return (Target(dataset, columns, unknown=why),)


def origins(config: Config) -> tuple[Origin, ...]:
    """Topics that are named the way most connectors name theirs."""
    dataset, why = other_side(config)
    topics = listed(option(config, "kafka.topic", "topic", "topics"))
    return tuple(Origin(dataset, topic, unknown=why, possible=why) for topic in topics)


def origin_of(config: Config, topic: str) -> Origin | None:
    """Any topic that it writes to."""
    dataset, why = other_side(config)
    return Origin(dataset, topic, unknown=why, possible=why)


SINK, SOURCE = Sink("unknown sink", targets), Source("unknown source", origins, origin_of)


def unknown_family(config: Config, kind: str) -> Family:
    """Sink or source: by what the worker says, else by its settings, as only sinks say which topics they read."""
    if kind in ("source", "sink"):
        return SINK if kind == "sink" else SOURCE
    name = config.get("connector.class", "").rpartition(".")[2].lower()
    if "source" in name and "sink" not in name:
        return SOURCE
    return SINK if "sink" in name or option(config, "topics", "topics.regex") else SOURCE
