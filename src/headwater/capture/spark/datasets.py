"""What a source or a sink of Spark is called, from its format and options; what has no name of its own is marked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec import Struct

from headwater.capture.spark.plan import Sink, Source
from headwater.openlineage.naming import (
    NO_ALIASES,
    DatasetName,
    catalog_namespace,
    jdbc_table,
    kafka_namespace,
    kafka_topic,
    location,
)


class Identity(Struct, frozen=True):
    """The datasets behind a source or a sink. `unnamed` says why it has no name that others would know it by.

    `later` is the namespace of names that are not known yet: of topics that match a pattern, or that rows name.
    """

    names: tuple[DatasetName, ...]
    symlinks: tuple[DatasetName, ...] = ()
    record: str = ""
    routes: tuple[str, ...] = ()
    unnamed: str = ""
    later: str = ""

    def source(self, columns: Collection[int]) -> Source:
        """As a source of a plan, by the ids of its columns there."""
        return Source(self.names, frozenset(columns), record=self.record)

    def sink(self) -> Sink:
        """As the sink of a plan."""
        return Sink(self.record, self.routes)


class Asked(Struct, frozen=True):
    """A source or a sink as the program asked for it; `owner` is the query, which names what has no other name.

    `topics` are those that were met, for a source that asks for a pattern and a sink whose rows name theirs.
    """

    format: str
    options: Mapping[str, str]
    owner: str
    aliases: Mapping[str, str] = NO_ALIASES
    topics: tuple[str, ...] = ()

    def option(self, name: str) -> str:
        """An option, however its name is written: Spark does not mind upper case."""
        return next((value for key, value in self.options.items() if key.lower() == name.lower()), "")

    @property
    def kind(self) -> str:
        return self.format.rpartition(".")[2].lower()


def source_identity(asked: Asked) -> Identity:
    """What a source reads."""
    return SOURCES.get(asked.kind, other)(asked)


def sink_identity(asked: Asked) -> Identity:
    """What a sink writes."""
    return SINKS.get(asked.kind, other)(asked)


def table_identity(
    place: str, catalog: str = "", table: str = "", properties: Mapping[str, str] = NO_ALIASES
) -> Identity:
    """A table by where it is; the names that its catalog has for it are symlinks.

    `table` is its name inside the catalog, such as db.orders; `properties` are the catalog's settings.
    """
    namespace = catalog_namespace(properties)
    names = [name for name in (table, f"{catalog}.{table}" if catalog else "") if table and name]
    return Identity((location(place),), tuple(DatasetName(namespace, name) for name in names if namespace))


# -- rules, by format ------------------------------------------------------------------------------


def kafka_source(asked: Asked) -> Identity:
    """The topics that are subscribed to or assigned; of a pattern, those that were met."""
    pattern = asked.option("subscribePattern")
    topics = asked.topics if pattern and asked.topics else _topics(asked)
    why = "" if topics else f"no topic that matches {pattern or 'the options'} was met yet"
    names = [
        kafka_topic(asked.option("kafka.bootstrap.servers"), topic, asked.aliases) for topic in topics or [pattern]
    ]
    later = kafka_namespace(asked.option("kafka.bootstrap.servers"), asked.aliases) if why else ""
    return Identity(tuple(names), record="value", unnamed=why, later=later)


def kafka_sink(asked: Asked) -> Identity:
    """The topic in the options, else those that the rows name."""
    topics = [asked.option("topic")] if asked.option("topic") else asked.topics
    if topics:
        return Identity(_cluster(asked, topics), record="value", routes=("topic",))
    marked = unnamed(asked, "each row names the topic it goes to")
    later = kafka_namespace(asked.option("kafka.bootstrap.servers"), asked.aliases)
    return Identity(marked.names, record="value", routes=("topic",), unnamed=marked.unnamed, later=later)


def files(asked: Asked) -> Identity:
    """Files by the folder they are in."""
    paths = [path for path in (asked.option("path"), *_listed(asked.option("paths"))) if path]
    if not paths:
        return unnamed(asked, "no path is among its options")
    return Identity(tuple(dict.fromkeys(location(folder(path)) for path in paths)))


def lines_read(asked: Asked) -> Identity:
    """Files of text: a line, which Spark calls value, may be a record."""
    found = files(asked)
    return Identity(found.names, record="value", unnamed=found.unnamed)


def lines_written(asked: Asked) -> Identity:
    """Files of text: a line may be a record, whatever its column is called."""
    found = files(asked)
    return Identity(found.names, record="*", unnamed=found.unnamed)


def jdbc(asked: Asked) -> Identity:
    """A table of a database."""
    table = asked.option("dbtable") or asked.option("query")
    return Identity((jdbc_table(asked.option("url"), table),)) if table else unnamed(asked, "it has no table")


def socket(asked: Asked) -> Identity:
    """Lines from a server."""
    server = f"{asked.option('host')}:{asked.option('port')}"
    return Identity((DatasetName("spark:socket", server),), record="value", unnamed="lines from a socket")


def function(asked: Asked) -> Identity:
    """A function that is given batches: where it writes is known if the query's options have a path."""
    return files(asked) if asked.option("path") else unnamed(asked, "batches are handed to a function")


def unnamed(asked: Asked, why: str) -> Identity:
    """A node of its own for each query: two of them are never the same thing."""
    return Identity((DatasetName(f"spark:{asked.kind}", asked.owner),), unnamed=why)


def other(asked: Asked) -> Identity:
    """A format that we do not know: a path among its options is as good a name as any."""
    return files(asked) if asked.option("path") else unnamed(asked, f"the format {asked.format} is not known")


def folder(path: str) -> str:
    """The folder that a path with wildcards or partitions is about."""
    parts = path.split("/")
    wild = next((n for n, part in enumerate(parts) if n and re.search(r"[*?\[{]|^[^/=]+=[^/]*$", part)), len(parts))
    return "/".join(parts[:wild]) or "/"


def _cluster(asked: Asked, topics: Iterable[str]) -> tuple[DatasetName, ...]:
    servers = asked.option("kafka.bootstrap.servers")
    return tuple(kafka_topic(servers, topic, asked.aliases) for topic in topics)


def _topics(asked: Asked) -> list[str]:
    if assigned := asked.option("assign"):
        try:
            return sorted(json.loads(assigned))
        except ValueError:
            return []
    return _listed(asked.option("subscribe"))


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _because(why: str) -> Callable[[Asked], Identity]:
    return lambda asked: unnamed(asked, why)


FILES: dict[str, Callable[[Asked], Identity]] = dict.fromkeys(
    ("avro", "binaryfile", "csv", "delta", "iceberg", "json", "orc", "parquet", "xml"), files
)
SOURCES: dict[str, Callable[[Asked], Identity]] = {
    **FILES,
    "jdbc": jdbc,
    "kafka": kafka_source,
    "memory": _because("rows in the driver's memory"),
    "rate": _because("rows that Spark generates"),
    "rate-micro-batch": _because("rows that Spark generates"),
    "socket": socket,
    "text": lines_read,
}
SINKS: dict[str, Callable[[Asked], Identity]] = {
    **FILES,
    "console": _because("rows are printed"),
    "foreach": _because("rows are handed to a function"),
    "foreachbatch": function,
    "jdbc": jdbc,
    "kafka": kafka_sink,
    "memory": _because("rows in the driver's memory"),
    "noop": _because("rows are thrown away"),
    "text": lines_written,
}
