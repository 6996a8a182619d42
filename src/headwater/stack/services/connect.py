"""Kafka Connect: one distributed worker with the Debezium source, the S3 sink, the Iceberg sink and an Avro converter.

Each plug-in has a folder and a class loader of its own. The worker finds what is in it by the manifests that Java's
service loader reads; searching all classes for plug-ins, which is the default, takes several times as long.
"""

import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.stack.files import write_private
from headwater.stack.jars.sets import pyspark_jars
from headwater.stack.java import jvm
from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.addresses import endpoint
from headwater.stack.services.kafka import class_path
from headwater.stack.services.log4j import log4j
from headwater.stack.services.probes import http_problem
from headwater.stack.services.properties import properties

PLUGINS = ("debezium", "s3-sink", "iceberg-sink", "avro-converter")

# The Iceberg sink's client of the metastore, from pyspark's own jars: the part of a file's name before its version.
FROM_PYSPARK = {
    "iceberg-sink": (
        "commons-lang",
        "guava",
        "hadoop-client-api",
        "hadoop-client-runtime",
        "hive-common",
        "hive-metastore",
        "hive-serde",
        "hive-shims-common",
        # Decimals, dates, lists and maps in a table.
        "hive-storage-api",
        "jakarta.servlet-api",
        "libfb303",
        "libthrift",
    ),
}

# The manifests that these plug-ins do not have, by the interface that the worker looks for.
MANIFESTS = {
    "s3-sink": {
        "org.apache.kafka.connect.sink.SinkConnector": "org.apache.camel.kafkaconnector.CamelSinkConnector",
        "org.apache.kafka.connect.transforms.Transformation": (
            "org.apache.camel.kafkaconnector.transforms.SchemaAndStructToJsonTransform"
        ),
    },
    "avro-converter": {
        "org.apache.kafka.connect.storage.Converter": "io.apicurio.registry.utils.converter.AvroConverter",
    },
}

# A worker at INFO would log what it was configured with, several times, and every request.
LOG_LEVELS = {
    "org.apache.kafka.connect.cli.AbstractConnectCli": "info",
    # It warns of two settings that say the same.
    "io.apicurio.registry.serde": "error",
}


def secrets(lab: Lab) -> dict[str, str]:
    """What a connector's configuration can refer to as ${env:NAME}, so that it holds no secret itself."""
    return {
        "REGISTRY_USER": lab.credentials.registry_user,
        "REGISTRY_PASSWORD": lab.credentials.registry_password,
        "SHOP_PASSWORD": lab.credentials.shop_password,
        "S3_ACCESS_KEY": lab.credentials.s3_access_key,
        "S3_SECRET_KEY": lab.credentials.s3_secret_key,
    }


def worker_properties(lab: Lab) -> Mapping[str, str]:
    """The worker's settings."""
    topics = {f"{kind}.storage.topic": f"_connect_{kind}s" for kind in ("config", "offset")}
    return {
        "bootstrap.servers": lab.address("kafka"),
        "group.id": "headwater-connect",
        "listeners": f"http://{endpoint(lab.host, lab.ports['connect'])}",
        "rest.advertised.host.name": lab.client_host,
        **topics,
        "status.storage.topic": "_connect_status",
        "offset.storage.partitions": "1",
        "status.storage.partitions": "1",
        # As many replicas as the broker thinks right, which may be the person's own.
        "config.storage.replication.factor": "-1",
        "offset.storage.replication.factor": "-1",
        "status.storage.replication.factor": "-1",
        "offset.flush.interval.ms": "2000",
        # A worker that was killed is missed after six seconds, and its work is taken up at once: no other will come.
        "session.timeout.ms": "6000",
        "heartbeat.interval.ms": "2000",
        "scheduled.rebalance.max.delay.ms": "0",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "connector.client.config.override.policy": "All",
        # What a source writes and how far it has read are one transaction, and no sink sees half of one.
        "exactly.once.source.support": "enabled",
        "consumer.isolation.level": "read_committed",
        "plugin.path": str(plugins(lab)),
        "plugin.discovery": "service_load",
        "config.providers": "env",
        "config.providers.env.class": "org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        "config.providers.env.param.allowlist.pattern": "|".join(secrets(lab)),
    }


def plugins(lab: Lab) -> Path:
    """The folder of the plug-ins' folders."""
    return lab.config("connect") / "plugins"


def prepare(lab: Lab) -> None:
    """Write the settings and lay out the plug-ins."""
    config = lab.config("connect")
    write_private(config / "worker.properties", properties(worker_properties(lab)))
    write_private(config / "log4j2.properties", log4j(LOG_LEVELS))
    shutil.rmtree(plugins(lab), ignore_errors=True)
    for name in PLUGINS:
        folder = plugins(lab) / name
        folder.mkdir(parents=True)
        for jar in [*lab.jar_folder(name).iterdir(), *map(pyspark_jar, FROM_PYSPARK.get(name, ()))]:
            (folder / jar.name).symlink_to(jar.resolve())
        if name in MANIFESTS:
            write_manifests(folder / "manifests.jar", MANIFESTS[name])


def pyspark_jar(name: str) -> Path:
    """The jar of this name, of whatever version, that pyspark brings."""
    for jar in pyspark_jars().glob(f"{name}-[0-9]*.jar"):
        return jar
    raise HeadwaterError(f"pyspark has no {name} among its jars, which Connect needs; the lab is made for pyspark 3.5")


def write_manifests(jar: Path, manifests: Mapping[str, str]) -> None:
    """A jar that names, for each interface, the class that implements it."""
    with zipfile.ZipFile(jar, "w") as archive:
        for interface, implementation in manifests.items():
            archive.writestr(f"META-INF/services/{interface}", f"{implementation}\n")


def command(lab: Lab) -> Command:
    """The worker, with the secrets in its environment."""
    config = lab.config("connect")
    argv = jvm(
        lab.java,
        "org.apache.kafka.connect.cli.ConnectDistributed",
        str(config / "worker.properties"),
        heap="768m",
        class_path=[class_path(lab)],
        options=(f"-Dlog4j2.configurationFile={config / 'log4j2.properties'}",),
    )
    return Command(argv=argv, env=secrets(lab))


def problem(lab: Lab) -> str | None:
    """None when the worker has joined its group, which it must before it lists connectors."""
    return http_problem(f"{lab.address('connect')}/connectors")


CONNECT = Service(
    name="connect",
    title="Kafka Connect 4.3.1",
    needs=("kafka",),
    jars=("kafka", *PLUGINS),
    prepare=prepare,
    command=command,
    problem=problem,
    address=lambda lab: lab.address("connect"),
)
