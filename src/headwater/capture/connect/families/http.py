"""HTTP: an address that is asked, or that records are sent to."""

from __future__ import annotations

from headwater.capture.connect.families.family import (
    Family,
    Locations,
    Origin,
    Sink,
    Source,
    Target,
    columns_of,
    filled,
)
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Record
from headwater.openlineage.naming import DatasetName

URLS = ("http.api.url", "http.url", "http.api.base.url", "http.request.url", "url", "connect.http.endpoint")


def address(url: str) -> DatasetName:
    """A server and a path on it; who asks, and what for, is not part of the name."""
    scheme, _, rest = url.partition("://")
    server, _, path = rest.partition("/")
    return DatasetName(f"{scheme}://{server.rpartition('@')[2]}", "/" + path.partition("?")[0])


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """The address, which may have the topic or fields of the record in it."""
    dataset = address(filled(option(config, *URLS), record.topic))
    why = "its path has fields of the record in it" if "${" in dataset.name or "{{" in dataset.name else ""
    return (Target(dataset, columns_of(record), unknown=why),)


def origins(config: Config) -> tuple[Origin, ...]:
    """The address, for every topic that the settings name."""
    topics = listed(option(config, "kafka.topic", "topic.name.pattern", "topics", "topic"))
    return tuple(Origin(address(option(config, *URLS)), topic) for topic in topics)


SINK, SOURCE = Sink("HTTP sink", targets), Source("HTTP source", origins)
FAMILIES: dict[str, Family] = {
    "com.github.castorm.kafka.connect.http.HttpSourceConnector": SOURCE,
    "io.aiven.kafka.connect.http.HttpSinkConnector": SINK,
    "io.confluent.connect.http.HttpSinkConnector": SINK,
    "io.confluent.connect.http.HttpSourceConnector": SOURCE,
    "io.lenses.streamreactor.connect.http.sink.HttpSinkConnector": SINK,
}
