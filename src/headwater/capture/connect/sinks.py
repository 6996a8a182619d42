"""The lineage of sinks: from topics through transforms to the datasets behind them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from headwater.capture.connect.edges import ConnectorLineage, Side
from headwater.capture.connect.families.family import Sink, Target
from headwater.capture.connect.gathering import Asked, Gathered
from headwater.capture.connect.options import listed, option
from headwater.capture.connect.reference_smt import Reference, reference_of
from headwater.capture.connect.topic_columns import record_of
from headwater.capture.connect.transforms import chain_of, run
from headwater.openlineage.naming import DatasetName


def sink_lineage(asked: Asked, family: Sink) -> ConnectorLineage:
    """Each topic goes through the transforms to the datasets that the family makes of it."""
    chain, reference = chain_of(asked.config), reference_of(asked.config)
    named = listed(asked.config.get("topics", ""))
    topics = asked.topics or named
    gathered = Gathered()
    for topic in topics:
        gathered.input(asked.topic_side(topic))
        record = run(chain, record_of(topic, asked.known(topic)))
        if record is None:
            gathered.notes.append(f"records of the topic {topic} are left out by a filter")
            continue
        gathered.notes += record.notes
        found = _named(family.targets(asked.config, record, asked.locations), reference, topic, topics)
        if not found:
            gathered.notes.append(f"the settings send records of the topic {topic} nowhere")
        for target in found:
            # Without the topic's schema, what transforms add is not all that there is.
            fields = target.columns if asked.known(topic).value else ()
            gathered.add(target, fields, record, asked.topic(topic))
    if not topics:
        pattern = option(asked.config, "topics.regex")
        gathered.notes.append(f"no topic matches {pattern} yet" if pattern else "the settings name no topic")
    if queue := option(asked.config, "errors.deadletterqueue.topic.name"):
        gathered.output(Side(asked.topic(queue), unknown="it has the records that could not be written"))
    return gathered.lineage("sink")


def _named(found: Sequence[Target], reference: Reference | None, topic: str, topics: Sequence[str]) -> Sequence[Target]:
    """Targets by the name that the connector's lifecycle transform gives a topic's dataset, if it has one."""
    if not found or reference is None or not reference.namespace:
        return found
    name = DatasetName(reference.namespace.rstrip("/"), reference.dataset(topic, topics))
    if same := [target for target in found if target.dataset == name]:
        return same
    if len(found) > 1:
        # Which of several it is nobody says, and a wrong alias would make one of two tables.
        return [replace(found[0], dataset=name, symlinks=())]
    return [replace(found[0], dataset=name, symlinks=(found[0].dataset, *found[0].symlinks))]
