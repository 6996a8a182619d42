"""Debezium: a change of a row in a table, or of a document, is a record of the topic with the table's name."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from headwater.capture.connect.families.family import Family, Origin, Shape, Source, used, with_key
from headwater.capture.connect.options import Config, java_pattern, listed, option
from headwater.capture.connect.transforms.debezium import is_envelope, row_of
from headwater.capture.connect.transforms.flow import Column, Record, changed, mapped, unknown
from headwater.openlineage.naming import DatasetName, server_table

Name = Callable[[Config, str], DatasetName | None]


def prefix(config: Config) -> str:
    """What all the connector's topics begin with."""
    return option(config, "topic.prefix", "database.server.name", "mongodb.name")


def topic_of(config: Config, table: str) -> str:
    """The topic of a table, as Debezium names it: what Kafka does not allow in a name becomes a line."""
    joint = option(config, "topic.delimiter", default=".")
    return re.sub(r"[^a-zA-Z0-9._-]", "_", f"{prefix(config)}{joint}{table}")


def tables(config: Config) -> tuple[str, ...]:
    """The tables that the settings name one by one; a pattern names none."""
    listings = ("table.include.list", "table.whitelist", "collection.include.list", "collection.whitelist")
    plain = (each.replace("\\.", ".").replace('"', "") for each in listed(option(config, *listings)))
    return tuple(each for each in plain if re.fullmatch(r"[\w$-]+(\.[\w$-]+)+", each))


def as_listed(config: Config, table: str) -> str:
    """A table is called in its topic as it is in the list."""
    return table


def family(title: str, name: Name, called: Callable[[Config, str], str] = as_listed) -> Source:
    """A family of Debezium's, by how it names a table such as schema.table, and what the topic calls it."""

    def origins(config: Config) -> tuple[Origin, ...]:
        return tuple(Origin(name(config, table), topic_of(config, called(config, table))) for table in tables(config))

    def origin_of(config: Config, topic: str) -> Origin | None:
        joint = option(config, "topic.delimiter", default=".")
        head = prefix(config) + joint
        rest = topic.removeprefix(head).replace(joint, ".") if topic.startswith(head) else ""
        dataset = name(config, rest) if rest else None
        return Origin(dataset, topic) if dataset else None

    return Source(title, origins, origin_of, Shape(row, emit), other)


def row(record: Record) -> Column:
    """The row is in the envelope of the change; the key has columns of the table."""
    found = row_of(record.value)
    if found is not None:
        return with_key(replace(found, name=""), record)
    why = record.value.partial or "the topic's schema has no row in it"
    return with_key(unknown(why), record)


def emit(config: Config, origin: Origin, record: Record) -> Record:
    """The row before and after the change, and some of its columns as the key."""
    table = origin.dataset.name if origin.dataset else ""

    def part(field: Column) -> Column:
        if field.name not in ("before", "after"):
            return field
        inner = mapped(used(field), lambda column: _masked(config, table, column))
        return replace(inner, uses=())

    value = replace(record.value, fields=tuple(part(each) for each in record.value.fields))
    key = used(record.key) if record.key.fields else record.key
    return replace(record, key=key, value=value if is_envelope(value) else record.value)


def _masked(config: Config, table: str, column: Column) -> Column:
    """Debezium can hide a column before anybody sees it."""
    for key, value in config.items():
        if not key.startswith(("column.mask.", "column.truncate.")):
            continue
        full = f"{table}.{column.name}"
        for pattern in filter(None, map(java_pattern, listed(value))):
            # Patterns name the column with or without its database.
            if pattern.fullmatch(full) or pattern.fullmatch(full.partition(".")[2]):
                return changed(column, "masked by Debezium", masking=key.startswith("column.mask."))
    return column


def other(config: Config, topic: str) -> str:
    """What Debezium's topics are for that are of no table."""
    if topic.startswith(
        option(config, "topic.heartbeat.prefix", "heartbeat.topics.prefix", default="__debezium-heartbeat")
    ):
        return "heartbeats of the connector"
    if topic == prefix(config):
        return "changes of the tables' definitions"
    if topic == f"{prefix(config)}.{option(config, 'topic.transaction', default='transaction')}":
        return "beginnings and ends of transactions"
    return ""


# -- by database -----------------------------------------------------------------------------------


def postgres(config: Config, table: str) -> DatasetName | None:
    """schema.table of the connector's one database."""
    database = option(config, "database.dbname")
    return _table(config, "postgres", database, *table.split(".")) if table.count(".") == 1 else None


def mysql(config: Config, table: str) -> DatasetName | None:
    """database.table."""
    return _table(config, "mysql", *table.split(".")) if table.count(".") == 1 else None


def sql_server(config: Config, table: str) -> DatasetName | None:
    """database.schema.table, or schema.table where there is one database."""
    databases = listed(option(config, "database.names", "database.dbname"))
    parts = table.split(".")
    if len(parts) == 2 and len(databases) == 1:
        parts = [databases[0], *parts]
    return _table(config, "mssql", *parts) if len(parts) == 3 else None


def with_database(config: Config, table: str) -> str:
    """The database is part of the topic's name since one connector can have several."""
    databases = listed(option(config, "database.names"))
    return f"{databases[0]}.{table}" if table.count(".") == 1 and len(databases) == 1 else table


def oracle(config: Config, table: str) -> DatasetName | None:
    """schema.table, or database.schema.table, of the connector's database."""
    database = option(config, "database.pdb.name", "database.dbname")
    parts = table.split(".")
    return _table(config, "oracle", database, *parts[-2:]) if len(parts) in (2, 3) else None


def mongodb(config: Config, collection: str) -> DatasetName | None:
    """database.collection, whose own name may have dots in it."""
    address = option(config, "mongodb.connection.string", "mongodb.hosts")
    servers = address.rpartition("://")[2].rpartition("@")[2].partition("/")[0] if "://" in address else address
    first = listed(servers)[0].rpartition("/")[2] if listed(servers) else ""
    return server_table("mongodb", first, None, collection) if "." in collection else None


def _table(config: Config, kind: str, *path: str) -> DatasetName:
    host = option(config, "database.hostname")
    return server_table(kind, host, option(config, "database.port") if host else None, *path)


FAMILIES: dict[str, Family] = {
    "io.debezium.connector.mariadb.MariaDbConnector": family("Debezium MariaDB", mysql),
    "io.debezium.connector.mongodb.MongoDbConnector": family("Debezium MongoDB", mongodb),
    "io.debezium.connector.mysql.MySqlConnector": family("Debezium MySQL", mysql),
    "io.debezium.connector.oracle.OracleConnector": family("Debezium Oracle", oracle),
    "io.debezium.connector.postgresql.PostgresConnector": family("Debezium PostgreSQL", postgres),
    "io.debezium.connector.sqlserver.SqlServerConnector": family("Debezium SQL Server", sql_server, with_database),
}
