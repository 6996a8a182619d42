"""Elasticsearch's and OpenSearch's sinks: an index for each topic."""

from __future__ import annotations

from msgspec.structs import replace

from headwater.capture.connect.families.family import Family, Locations, Sink, Target, columns_of, mapping, open_name
from headwater.capture.connect.options import Config, flag, listed, option
from headwater.capture.connect.transforms.flow import Column, Record
from headwater.openlineage.naming import server_table


def family(title: str, kind: str) -> Sink:
    """A family by the engine that it writes to."""

    def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
        urls = listed(option(config, "connection.url"))
        index = index_of(config, record.topic)
        dataset = server_table(kind, urls[0] if urls else "", None, index)
        return (Target(dataset, [*identifier(config, record), *columns_of(record)], unknown=open_name(index)),)

    return Sink(title, targets)


def index_of(config: Config, topic: str) -> str:
    """The index, alias or data stream that a topic is mapped to; else its name in lower case."""
    known = mapping(option(config, "topic.to.external.resource.mapping", "topic.index.map"))
    if topic in known:
        return known[topic]
    if stream := option(config, "data.stream.type"):
        dataset = option(config, "data.stream.dataset", default="${topic}").replace("${topic}", topic)
        return f"{stream.lower()}-{dataset}-{option(config, 'data.stream.namespace', default='${topic}')}".replace(
            "${topic}", topic
        ).lower()
    return topic if "${" in topic else topic.lower()


def identifier(config: Config, record: Record) -> list[Column]:
    """A document's id is the record's key, unless keys are ignored."""
    topics = listed(option(config, "topic.key.ignore"))
    if flag(config, "key.ignore") or record.topic in topics or record.key.fields or not record.key.uses:
        return []
    return [replace(record.key, name="_id", type="string", partial="")]


ELASTICSEARCH = family("Elasticsearch sink", "elasticsearch")
FAMILIES: dict[str, Family] = {
    "io.aiven.connect.elasticsearch.ElasticsearchSinkConnector": ELASTICSEARCH,
    "io.aiven.kafka.connect.opensearch.OpensearchSinkConnector": family("OpenSearch sink", "opensearch"),
    "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector": ELASTICSEARCH,
}
