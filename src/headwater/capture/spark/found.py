"""What a leaf or a sink of a plan in the JVM is: a format with its options, or a table in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from headwater.capture.spark.datasets import Asked, Identity, sink_identity, source_identity, table_identity
from headwater.capture.spark.jvm import field, kind, listed, mapped, opened, told

# What names a dataset; everything else, secrets above all, is left where it is.
NEEDED = (
    "kafka.bootstrap.servers",
    "subscribe",
    "subscribepattern",
    "assign",
    "topic",
    "path",
    "paths",
    "host",
    "port",
    "url",
    "dbtable",
    "query",
)
FUNCTION = "foreachbatch"
CATALOG_PROPERTIES = ("type", "catalog-impl", "uri", "warehouse")
SINK_FORMATS = {
    "ConsoleTable": "console",
    "DeltaSink": "delta",
    "ForeachWriterTable": "foreach",
    "KafkaTable": "kafka",
    "MemorySink": "memory",
    "MemoryTable": "memory",
    "NoopTable": "noop",
}


class Asking(Struct, frozen=True):
    """A format and the options that name what it is about."""

    format: str
    options: Mapping[str, str]


class Table(Struct, frozen=True):
    """A table by its place, and by the names that its catalog has for it."""

    place: str
    catalog: str = ""
    name: str = ""
    properties: Mapping[str, str] = {}


Found = Asking | Table


class Owner(Struct, frozen=True):
    """The job that asks, and how it spells clusters; `topics` are those that its sources have met."""

    name: str
    aliases: Mapping[str, str]
    topics: tuple[str, ...] = ()


def source_of(found: Found, owner: Owner) -> Identity:
    """What a source is called."""
    return _identity(found, owner, source_identity)


def sink_of(found: Found, owner: Owner) -> Identity:
    """What a sink is called."""
    return _identity(found, owner, sink_identity)


def _identity(found: Found, owner: Owner, ask: Callable[[Asked], Identity]) -> Identity:
    if isinstance(found, Table):
        return table_identity(found.place, found.catalog, found.name, found.properties)
    # Topics are met by sources alone: where rows go is not known from where they come from.
    topics = owner.topics if ask is source_identity else ()
    return ask(Asked(found.format, found.options, owner.name, owner.aliases, topics))


# -- leaves ----------------------------------------------------------------------------------------


def leaf_found(leaf: Any, session: Any) -> Found | None:
    """What a leaf reads; None for rows that come from no dataset."""
    rule = LEAVES.get(kind(leaf))
    return rule(leaf, session) if rule else None


def _stream(leaf: Any, session: Any) -> Found | None:
    found = table_found(leaf.table(), opened(leaf.catalog()), opened(leaf.identifier()), session)
    return found or Asking(leaf.sourceName(), needed(dict(leaf.extraOptions().asCaseSensitiveMap())))


def _stream_of_files(leaf: Any, session: Any) -> Found | None:
    source = leaf.dataSource()
    if (table := opened(source.catalogTable())) is not None:
        return catalog_table(table, session)
    return Asking(source.className(), needed(mapped(source.options())))


def _table(leaf: Any, session: Any) -> Found | None:
    table = leaf.table()
    found = table_found(table, opened(leaf.catalog()), opened(leaf.identifier()), session)
    return found or Asking(kind(table), needed(dict(leaf.options().asCaseSensitiveMap())))


def _relation(leaf: Any, session: Any) -> Found | None:
    if (table := opened(leaf.catalogTable())) is not None:
        return catalog_table(table, session)
    relation = leaf.relation()
    if kind(relation) == "HadoopFsRelation":
        paths = ",".join(path.toString() for path in listed(relation.location().rootPaths()))
        return Asking(relation.fileFormat().toString().lower(), {"paths": paths})
    if kind(relation) == "JDBCRelation":
        options = relation.jdbcOptions()
        return Asking("jdbc", {"url": options.url(), "dbtable": options.tableOrQuery()})
    return Asking(kind(relation), {})


def _hive(leaf: Any, session: Any) -> Found | None:
    return catalog_table(leaf.tableMeta(), session)


LEAVES: dict[str, Callable[[Any, Any], Found | None]] = {
    "StreamingRelationV2": _stream,
    "StreamingRelation": _stream_of_files,
    "DataSourceV2Relation": _table,
    "DataSourceV2ScanRelation": lambda leaf, session: _table(leaf.relation(), session),
    "LogicalRelation": _relation,
    "HiveTableRelation": _hive,
}


# -- tables ----------------------------------------------------------------------------------------


def table_found(table: Any, catalog: Any, identifier: Any, session: Any) -> Found | None:
    """A table of the newer kind that lies somewhere; None for one that is only a way to a source or a sink."""
    table = bare_table(table)
    place, name = "", table.name()
    if table.getClass().getName().startswith("org.apache.iceberg."):
        place = table.table().location()
    elif kind(table) == "V1Table":
        return catalog_table(table.v1Table(), session)
    else:
        place = table.properties().get("location") or ""
    if not place:
        return None
    if catalog is not None and identifier is not None:
        return Table(place, catalog.name(), identifier.toString(), catalog_properties(session, catalog.name()))
    # Without a catalog at hand, its name may still be the first part of the table's.
    first, _, rest = name.partition(".")
    properties = catalog_properties(session, first) if rest else {}
    return Table(place, first, rest, properties) if properties else Table(place)


def bare_table(table: Any) -> Any:
    """A table without what MERGE, UPDATE and DELETE put around it, which on Spark 4.1 has no schema."""
    return table.table() if kind(table) == "RowLevelOperationTable" else table


def catalog_table(table: Any, session: Any) -> Found:
    """A table of the session's own catalog."""
    name = table.identifier().unquotedString().removeprefix("spark_catalog.")
    return Table(table.location().toString(), "spark_catalog", name, catalog_properties(session, "spark_catalog"))


def catalog_properties(session: Any, catalog: str) -> dict[str, str]:
    """The settings of a catalog that say where its names hold."""
    conf = session.conf()
    found = {name: conf.get(f"spark.sql.catalog.{catalog}.{name}", "") for name in CATALOG_PROPERTIES}
    if catalog == "spark_catalog" and not found["uri"]:
        uris = conf.get("spark.hadoop.hive.metastore.uris", "")
        found |= {"type": "hive", "uri": uris} if uris else {}
    return {name: value for name, value in found.items() if value}


# -- sinks -----------------------------------------------------------------------------------------


def function_found(root: Any, sink: Any) -> Asking | None:
    """The function that a started query hands its batches to, if it does; its options may name what it writes."""
    if kind(sink) != "ForeachBatchSink":
        return None
    options = told(root, "writeOptions")
    return Asking(FUNCTION, needed(mapped(options)) if options is not None else {})


def stream_sink_found(root: Any, sink: Any, session: Any) -> Found:
    """Where a started query writes, by the root of its plan and its sink."""
    rules = {"WriteToMicroBatchDataSource": _table_sink, "WriteToMicroBatchDataSourceV1": _older_sink}
    if root is not None and (rule := rules.get(kind(root))) is not None:
        return rule(root, sink, session)
    return table_found(sink, None, None, session) or Asking(SINK_FORMATS.get(kind(sink), kind(sink)), {})


def _table_sink(root: Any, sink: Any, session: Any) -> Found:
    relation = opened(root.relation())
    catalog, identifier = (opened(relation.catalog()), opened(relation.identifier())) if relation else (None, None)
    found = table_found(sink, catalog, identifier, session) if kind(sink) not in SINK_FORMATS else None
    return found or Asking(SINK_FORMATS.get(kind(sink), kind(sink)), needed(mapped(root.writeOptions())))


def _older_sink(root: Any, sink: Any, session: Any) -> Found:
    if (table := opened(root.catalogTable())) is not None:
        return catalog_table(table, session)
    if kind(sink) == "FileStreamSink":
        return Asking(field(sink, "fileFormat").toString().lower(), {"path": field(sink, "path")})
    return Asking(SINK_FORMATS.get(kind(sink), kind(sink)), needed(mapped(root.writeOptions())))


def needed(options: Mapping[str, str]) -> dict[str, str]:
    """The options that name something."""
    return {name: value for name, value in options.items() if name.lower() in NEEDED}
