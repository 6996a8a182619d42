"""Names of datasets, the same from every engine, as openlineage.io/docs/spec/naming and the Spark agent have them."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct


class DatasetName(Struct, frozen=True, order=True):
    """The name of a dataset, and the namespace that it is unique in."""

    namespace: str
    name: str


KAFKA_PORT, HIVE_PORT, POSTGRES_PORT = 9092, 9083, 5432
# Of databases and the like, by the scheme of their namespaces.
PORTS = {
    "db2": 50000,
    "elasticsearch": 9200,
    "mongodb": 27017,
    "mssql": 1433,
    "mysql": 3306,
    "opensearch": 9200,
    "oracle": 1521,
    "postgres": POSTGRES_PORT,
    "redis": 6379,
    "redshift": 5439,
}
NO_ALIASES: Mapping[str, str] = {}


# -- topics ----------------------------------------------------------------------------------------


def kafka_topic(servers: str | Iterable[str], topic: str, aliases: Mapping[str, str] = NO_ALIASES) -> DatasetName:
    """A topic of the cluster that has these servers."""
    return DatasetName(kafka_namespace(servers, aliases), topic)


def kafka_namespace(servers: str | Iterable[str], aliases: Mapping[str, str] = NO_ALIASES) -> str:
    """A cluster by one of its servers: what an alias says of any of them, else the first in sorted order.

    `aliases` maps one spelling to another, such as {"localhost:9092": "kafka-1:19092"}.
    """
    listed = servers.split(",") if isinstance(servers, str) else servers
    hosts = sorted({_host(server, KAFKA_PORT) for server in listed if server.strip()})
    known = {_host(spelling, KAFKA_PORT): _host(name, KAFKA_PORT) for spelling, name in aliases.items()}
    settled = sorted(known[host] for host in hosts if host in known)
    return f"kafka://{next(iter([*settled, *hosts]), '')}"


# -- files -----------------------------------------------------------------------------------------

# Schemes that are another spelling of one store, and stores whose names have no slash in front.
SPELLINGS = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"}
OBJECT_STORES = {"s3", "gs", "wasbs"}


def location(uri: str) -> DatasetName:
    """Files, or a table, by the folder they are in: "s3a://warehouse/orders/" is orders in s3://warehouse."""
    scheme, authority, path = _split(uri)
    path = re.sub("/+", "/", path).rstrip("/")
    if scheme == "file":
        return DatasetName(f"file://{authority}" if authority else "file", path or "/")
    if scheme in OBJECT_STORES:
        return DatasetName(f"{scheme}://{authority}", path.lstrip("/") or "/")
    return DatasetName(f"{scheme}://{authority}" if authority else scheme, path or "/")


def _split(uri: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"(?:([A-Za-z][A-Za-z0-9+.-]+):)?(?://([^/]*))?(.*)", uri.strip(), re.DOTALL)
    scheme, authority, path = match.groups() if match else (None, None, uri)
    scheme = (scheme or "file").lower()
    return SPELLINGS.get(scheme, scheme), authority or "", path


# -- tables ----------------------------------------------------------------------------------------


def postgres_table(host: str, port: int | str | None, database: str, schema: str, table: str) -> DatasetName:
    """A table of PostgreSQL."""
    return server_table("postgres", host, port, database, schema, table)


def server_table(kind: str, host: str, port: int | str | None, *path: str) -> DatasetName:
    """A table, or what is like one, of a server: `path` is what it is in, such as database and schema, and its name."""
    server = _host(f"{host}:{port}" if port else host, PORTS.get(kind, 0))
    return DatasetName(f"{kind}://{server}", ".".join(each for each in path if each))


def jdbc_table(url: str, table: str) -> DatasetName:
    """A table by a JDBC address; one that names no schema is in the usual one. A query in brackets is its own name."""
    kind, server, database = jdbc_server(url)
    plain = table.translate(str.maketrans("", "", '"`[]'))
    if kind in SCHEMAS:
        schema, _, name = plain.rpartition(".")
        inside, _, schema = schema.rpartition(".")
        return server_table(kind, server or "localhost", None, inside or database, schema or SCHEMAS[kind], name)
    named = kind == "mysql" and "." in plain
    return server_table(kind, server, None, "" if named else database, plain)


def jdbc_server(url: str) -> tuple[str, str, str]:
    """The kind of database that a JDBC address is of, its first server, and the database; no user and no password."""
    scheme, _, rest = url.strip().removeprefix("jdbc:").partition(":")
    kind = JDBC_KINDS.get(scheme.lower(), scheme.lower() or "jdbc")
    if kind == "oracle":
        return kind, *_oracle(rest)
    match = re.match(r"(?:[a-z]+:)?(?://)?([^/?;]*)/?([^?;&]*)", rest)
    servers, database = match.groups() if match else ("", "")
    if kind == "mssql":
        named = re.search(r";\s*database(?:name)?\s*=\s*([^;]+)", rest, re.IGNORECASE)
        database = named[1].strip() if named else ""
    server = servers.rpartition("@")[2].split(",")[0]
    return kind, re.sub(r"\\[^:]*", "", server), database


SCHEMAS = {"mssql": "dbo", "postgres": "public", "redshift": "public"}
JDBC_KINDS = {"mariadb": "mysql", "postgresql": "postgres", "sqlserver": "mssql"}


def _oracle(rest: str) -> tuple[str, str]:
    """A server of Oracle's, as host:port and its service, in any of the forms that its driver takes."""
    place = rest.rpartition("@")[2]
    if place.startswith("("):
        found = {name.upper(): value for name, value in re.findall(r"\((\w+)\s*=\s*([^()]+?)\s*\)", place)}
        port = found.get("PORT", PORTS["oracle"])
        return f"{found.get('HOST', '')}:{port}", found.get("SERVICE_NAME", found.get("SID", ""))
    match = re.match(r"(?://)?([^/:?]*)(?::(\d+))?[:/]?([^?]*)", place)
    host, port, service = match.groups() if match else (place, "", "")
    return f"{host}:{port or PORTS['oracle']}", service


def bigquery_table(project: str, dataset: str, table: str) -> DatasetName:
    """A table of BigQuery."""
    return DatasetName("bigquery", ".".join(each for each in (project, dataset, table) if each))


def snowflake_table(account: str, database: str, schema: str, table: str) -> DatasetName:
    """A table of Snowflake, by its account or the address that the account has."""
    plain = account.strip().rpartition("://")[2].partition("/")[0].partition(":")[0].lower()
    return DatasetName(f"snowflake://{plain.removesuffix('.snowflakecomputing.com')}", f"{database}.{schema}.{table}")


def azure_blobs(account: str, container: str, path: str) -> DatasetName:
    """Files in a container of Azure Blob Storage."""
    return location(f"wasbs://{container}@{account}.blob.core.windows.net/{path}")


def azure_lake(account: str, container: str, path: str) -> DatasetName:
    """Files in a container of Azure Data Lake Storage."""
    return location(f"abfss://{container}@{account}.dfs.core.windows.net/{path}")


def catalog_namespace(properties: Mapping[str, str]) -> str:
    """Where a catalog's tables have the names it gives them; '' if its settings do not say.

    `properties` are those of a Spark catalog: type (hive, hadoop, rest, …), uri, warehouse.
    """
    kind = properties.get("type", properties.get("catalog-impl", "")).lower()
    uri, warehouse = properties.get("uri", ""), properties.get("warehouse", "")
    if kind.endswith(("hive", "hivecatalog")) and uri:
        return hive_namespace(uri)
    if kind.endswith(("rest", "restcatalog", "nessie", "nessiecatalog")) and uri:
        return uri.rstrip("/")
    if not warehouse:
        return ""
    scheme, authority, path = _split(warehouse)
    prefix = f"{scheme}:" if scheme == "file" and not authority else f"{scheme}://{authority}"
    return prefix + re.sub("/+", "/", path).rstrip("/")


def hive_namespace(uri: str) -> str:
    """A metastore by its address, or the first of several."""
    return f"hive://{_host(uri.split(',')[0], HIVE_PORT)}"


def _host(server: str, port: int) -> str:
    """A server as host:port, without the protocol and the user that some write in front."""
    plain = server.strip().rpartition("://")[2].rpartition("@")[2].rstrip("/")
    plain = plain if "${" in plain else plain.lower()  # what somebody else fills in stays as it is
    return plain if re.search(r":\d+$", plain) or not port else f"{plain}:{port}"
