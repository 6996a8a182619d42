"""Names of datasets, the same from every engine, as openlineage.io/docs/spec/naming and the Spark agent have them."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct


class DatasetName(Struct, frozen=True, order=True):
    """The name of a dataset, and the namespace that it is unique in."""

    namespace: str
    name: str


KAFKA_PORT, HIVE_PORT, POSTGRES_PORT = 9092, 9083, 5432
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
    server = _host(f"{host}:{port or POSTGRES_PORT}", POSTGRES_PORT)
    return DatasetName(f"postgres://{server}", f"{database}.{schema}.{table}")


def jdbc_table(url: str, table: str) -> DatasetName:
    """A table by a JDBC address; one that names no schema is in public. A query in brackets is its own name."""
    match = re.match(r"(?:jdbc:)?([a-z0-9]+):(?://)?([^/?;]*)/?([^?;&]*)", url)
    scheme, server, database = match.groups() if match else ("jdbc", "", "")
    plain = table.replace('"', "").replace("`", "")
    if scheme in ("postgresql", "postgres"):
        schema, _, name = plain.rpartition(".")
        parts = _host(server or "localhost", POSTGRES_PORT).rpartition(":")
        return postgres_table(parts[0], parts[2], database, schema or "public", name)
    return DatasetName(f"{scheme}://{server}", f"{database}.{plain}" if database else plain)


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
    """A server as host:port, without the protocol some write in front."""
    plain = server.strip().rpartition("://")[2].rstrip("/").lower()
    return plain if re.search(r":\d+$", plain) else f"{plain}:{port}"
