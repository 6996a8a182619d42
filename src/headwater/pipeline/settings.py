"""Where the pipeline's services are and how its jobs run: one TOML file, the same for a laptop and a cluster."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import SettingError
from headwater.pipeline.settings_file import read_toml, setting, write_toml

SETTINGS_VARIABLE = "HEADWATER_PIPELINE"


@dataclass(frozen=True, kw_only=True)
class Kafka:
    """The broker."""

    bootstrap: str = setting("brokers, as host:port,host:port")
    options: Mapping[str, str] = setting("further client settings, such as security.protocol", dict, secret=True)


@dataclass(frozen=True, kw_only=True)
class Topics:
    """What the topics are called; the schema of each is registered as <topic>-value."""

    orders: str = setting("orders, which every stream reads", "orders")
    supplier_stats: str = setting("totals of supplier-stats", "supplier-stats")
    dead_letters: str = setting("records that iceberg-ingestion cannot read", "orders-dead-letters")


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The schema registry, with the Confluent API."""

    url: str = setting("base address of the API, such as http://127.0.0.1:8081/apis/ccompat/v7")
    username: str = setting("for basic authentication; empty means none", "")
    password: str = setting("for basic authentication", "", secret=True)


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """The Iceberg catalog."""

    name: str = setting("what Spark calls the catalog", "demo_ib")
    type: str = setting("hive, hadoop, rest or glue", "hive")
    uri: str = setting("address of the metastore or REST server; empty for hadoop and glue", "")
    warehouse: str = setting("root of the tables, such as s3://warehouse")
    namespace: str = setting("where the tables are", "default")
    options: Mapping[str, str] = setting("further properties of the catalog", dict, secret=True)

    def table(self, name: str) -> str:
        """The full name of a table of the pipeline."""
        return f"{self.name}.{self.namespace}.{name}"


@dataclass(frozen=True, kw_only=True)
class S3:
    """The object store, for Iceberg's own client and for Hadoop's."""

    endpoint: str = setting("address of a store that is not AWS; empty for AWS", "")
    region: str = setting("region", "us-east-1")
    access_key: str = setting("access key; empty takes the machine's own role", "", secret=True)
    secret_key: str = setting("secret key", "", secret=True)
    archive: str = setting("where orders-s3-sink writes, as s3://bucket/prefix", "")
    path_style: bool = setting("bucket in the path, not in the host name", True)
    chunked_encoding: bool = setting("aws-chunked uploads; rclone stores their framing as data, so off is safe", False)


@dataclass(frozen=True, kw_only=True)
class Spark:
    """The engine."""

    master: str = setting("local[2], spark://host:7077, yarn, k8s://…; empty takes spark-submit's --master", "")
    checkpoints: str = setting("root of the streams' checkpoints, on storage that outlives the driver")
    event_log: str = setting("where to write event logs for the History Server; empty writes none", "")
    jars: tuple[str, ...] = setting("jars for driver and executors; not needed with --packages", ())
    driver_memory: str = setting("memory of the driver", "1g")
    shuffle_partitions: int = setting("tasks of a shuffle; 0 takes one for each core, at least 2", 0)
    conf: Mapping[str, str] = setting("any further Spark setting", dict, secret=True)


@dataclass(frozen=True, kw_only=True)
class Stream:
    """How the streaming jobs pace themselves."""

    trigger: str = setting("time from one micro-batch to the next", "2 seconds")
    archive_trigger: str = setting("the same for orders-s3-sink: longer means larger objects", "10 seconds")
    max_offsets: int = setting("most records of one micro-batch", 200_000)
    min_partitions: int = setting("least tasks that read a topic; 0 takes one for each of its partitions", 0)
    starting_offsets: str = setting("earliest or latest: where a stream without a checkpoint begins", "earliest")
    stop_seconds: int = setting("longest wait for a micro-batch to end on SIGTERM", 60)


@dataclass(frozen=True, kw_only=True)
class Shop:
    """The database in which orders begin."""

    url: str = setting("postgresql://user:password@host:port/name", "", secret=True)


@dataclass(frozen=True, kw_only=True)
class Connect:
    """The Kafka Connect worker."""

    url: str = setting("base address of its REST API", "")


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """Where lineage is sent."""

    url: str = setting("base address of the server; empty sends none", "")
    namespace: str = setting("namespace of the jobs", "fh-local")


@dataclass(frozen=True, kw_only=True)
class PipelineSettings:
    """The whole file; each field is one of its tables."""

    kafka: Kafka
    registry: Registry
    catalog: Catalog
    spark: Spark
    topics: Topics = field(default_factory=Topics)
    s3: S3 = field(default_factory=S3)
    stream: Stream = field(default_factory=Stream)
    shop: Shop = field(default_factory=Shop)
    connect: Connect = field(default_factory=Connect)
    lineage: Lineage = field(default_factory=Lineage)


def load_pipeline_settings(given: str | None, env: Mapping[str, str] = os.environ) -> PipelineSettings:
    """Read the settings file that --settings or HEADWATER_PIPELINE names."""
    if not (named := given or env.get(SETTINGS_VARIABLE)):
        raise SettingError(f"no settings file; give one with --settings FILE or {SETTINGS_VARIABLE}")
    return read_settings(Path(named).expanduser(), env)


def read_settings(path: Path, env: Mapping[str, str] = os.environ) -> PipelineSettings:
    """Read a settings file; a value that is wholly ${NAME} comes from the environment."""
    return read_toml(PipelineSettings, path, env)


def write_settings(path: Path, settings: PipelineSettings) -> None:
    """Write a settings file that only its owner can read, in one step; what is at its default is left out."""
    write_toml(path, settings)
