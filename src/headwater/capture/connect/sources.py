"""The lineage of sources: from the datasets behind them through transforms to topics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from headwater.capture.connect.edges import ConnectorLineage, Side
from headwater.capture.connect.families.family import Origin, Source
from headwater.capture.connect.gathering import Asked, Gathered, column_edges
from headwater.capture.connect.topic_columns import columns, record_of
from headwater.capture.connect.transforms import before, chain_of, may_have_others, run, topic_after, topics_before
from headwater.capture.connect.transforms.chain import Transform
from headwater.capture.connect.transforms.flow import doubted, to_field, unused, walk
from headwater.capture.connect.transforms.topics import OPEN


def source_lineage(asked: Asked, family: Source) -> ConnectorLineage:
    """Each topic is followed back through the transforms to where its records come from, then forward again."""
    chain = chain_of(asked.config)
    known = [origin for origin in family.origins(asked.config) if origin.topic]
    gathered = Gathered()
    expected = {origin.topic: topic_after(chain, origin.topic) for origin in known}
    waiting = [topic for topic in expected.values() if topic and not _any_matches(topic, asked.topics)]
    for topic in dict.fromkeys([*asked.topics, *(each for each in waiting if "${" not in each)]):
        found = [origin for origin in known if _matches(expected[origin.topic], topic)]
        if not found:
            found = list(_origins_of(asked, family, chain, topic))
        purpose = "" if found else family.other(asked.config, topic)
        side = asked.topic_side(topic, "" if topic in asked.topics else "no record has come to it yet")
        made = [origin.fields for origin in found if origin.fields and not side.fields]
        gathered.output(replace(side, fields=made[0]) if made else side)
        if purpose:
            gathered.notes.append(f"the topic {topic} has {purpose}")
        elif not found:
            gathered.notes.append(f"nothing in the settings says where the records of the topic {topic} come from")
        for origin in found:
            gathered.notes += _flow(asked, family, chain, origin, topic, gathered)
    for origin in known:
        if origin.dataset and not expected[origin.topic]:
            gathered.notes.append(f"records of {origin.dataset.name} are left out by a filter")
        if origin.dataset and origin.dataset not in gathered.inputs:
            gathered.input(Side(origin.dataset, (), origin.symlinks, origin.unknown or "no record has come yet"))
    return gathered.lineage("source")


def _origins_of(asked: Asked, family: Source, chain: Sequence[Transform], topic: str) -> Iterator[Origin]:
    """The origin that a topic's name before the transforms tells of."""
    for earlier in topics_before(chain, topic) or [topic]:
        if (origin := family.origin_of(asked.config, earlier)) and not family.other(asked.config, earlier):
            yield replace(origin, unknown=origin.unknown or may_have_others(chain, topic))
            return


def _flow(
    asked: Asked, family: Source, chain: Sequence[Transform], origin: Origin, topic: str, gathered: Gathered
) -> Sequence[str]:
    """Add an origin and its columns in a topic; what is told about it."""
    if origin.dataset is None:
        return ()
    actual = record_of(topic, asked.known(topic))
    bare = replace(actual, key=unused(actual.key), value=unused(actual.value))
    earlier = before(chain, origin.topic, bare)
    row = family.shape.row(earlier)
    # What may be otherwise is no schema of the dataset.
    fields = () if origin.possible else tuple(to_field(each) for each in row.fields)
    gathered.input(Side(origin.dataset, fields, origin.symlinks, origin.unknown or row.partial))
    if origin.opaque:
        return earlier.notes
    emitted = family.shape.emit(asked.config, origin, earlier)
    final = run(chain, replace(emitted, topic=origin.topic))
    if final is None:
        return (*earlier.notes, f"records of {origin.dataset.name} are left out by a filter")
    there = {path for path, _ in walk(columns(actual.key, actual.value))}
    made = columns(final.key, final.value)
    if origin.possible:
        made = tuple(doubted(each, origin.possible) for each in made)
    edges = column_edges(asked.topic(topic), made, final.whole, origin.dataset)
    gathered.edges += [edge for edge in edges if not edge.column or edge.column in there]
    return (*earlier.notes, *final.notes)


def _matches(form: str, topic: str) -> bool:
    """Whether a topic is what a form with ${…} in it stands for."""
    if "${" not in form:
        return form == topic
    pattern = ".+".join(re.escape(part) for part in OPEN.split(form))
    return re.fullmatch(pattern, topic, re.DOTALL) is not None


def _any_matches(form: str, topics: Iterable[str]) -> bool:
    return any(_matches(form, topic) for topic in topics)
