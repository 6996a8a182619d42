"""The Spark session of a job, from the pipeline's settings: the same on one machine and on a cluster."""

import os
import sys
from collections.abc import Mapping

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from headwater.pipeline.settings import PipelineSettings

# Settings that only count before the driver's JVM starts. None is secret: they become arguments that `ps` shows.
LAUNCH = (
    "spark.master",
    "spark.jars",
    "spark.jars.packages",
    "spark.driver.memory",
    "spark.driver.extraClassPath",
    "spark.driver.extraJavaOptions",
)
# Spark's own pattern misses `access-key-id`, and the login line of a SASL client.
REDACTED = "(?i)secret|password|token|access[.-]?key|sasl[.]jaas[.]config"
# A damaged record can claim a text of two gigabytes; unless told otherwise, Avro allocates it before it looks.
LARGEST_TEXT = 16 * 1024 * 1024
AVRO_LIMITS = {f"org.apache.avro.limits.{kind}.maxLength": str(LARGEST_TEXT) for kind in ("string", "bytes")} | {
    "org.apache.avro.limits.collectionItems.maxLength": "1000000"
}
EXECUTOR_OPTIONS = "spark.executor.extraJavaOptions"


def build_session(settings: PipelineSettings, app_name: str) -> SparkSession:
    """Start, or under spark-submit join, the driver. What spark-submit was told wins over the settings file."""
    if submitted():
        SparkContext._ensure_initialized()
    else:
        launch(settings)
    told = dict(SparkConf().getAll())
    told.pop("spark.app.name", None)
    wanted = spark_conf(settings, told.get("spark.master")) | {"spark.app.name": app_name}
    assert SparkContext._jvm is not None
    for name, value in AVRO_LIMITS.items():
        SparkContext._jvm.java.lang.System.setProperty(name, value)
    conf = {**wanted, **told}
    conf[EXECUTOR_OPTIONS] = with_limits(conf.get(EXECUTOR_OPTIONS, ""))
    spark = SparkSession.builder.config(map={**conf}).getOrCreate()
    if "spark.sql.shuffle.partitions" not in {*told, *settings.spark.conf}:
        spark.conf.set("spark.sql.shuffle.partitions", shuffle_partitions(settings, spark))
    spark.sparkContext.setLogLevel(told.get("spark.log.level", "WARN"))
    # Kafka's clients warn of every setting that Spark gives them and they have no use for.
    log4j = SparkContext._jvm.org.apache.logging.log4j
    log4j.core.config.Configurator.setLevel("org.apache.kafka.clients.admin.AdminClientConfig", log4j.Level.ERROR)
    return spark


def launch(settings: PipelineSettings) -> None:
    """Start the driver's JVM; what it is launched with is visible in its arguments, so secrets follow once it is up."""
    os.environ.update(launch_environment(settings))
    conf = [(key, value) for key, value in spark_conf(settings).items() if key in LAUNCH]
    SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(conf))


def launch_environment(settings: PipelineSettings) -> dict[str, str]:
    """What the driver needs in its environment: on one machine it listens to nobody else, and all run one Python."""
    if not (settings.spark.master or "local").startswith("local"):
        return {}
    return {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def submitted() -> bool:
    """Whether spark-submit started this process, so that the JVM is up and has a master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def shuffle_partitions(settings: PipelineSettings, spark: SparkSession) -> int:
    """One task for each core unless set: a micro-batch with Spark's 200 spends its time on starting tasks."""
    return settings.spark.shuffle_partitions or max(2, spark.sparkContext.defaultParallelism)


def spark_conf(settings: PipelineSettings, master: str | None = None) -> dict[str, str]:
    """Every Spark setting that the pipeline's settings amount to, secrets included, on this master or their own."""
    spark = settings.spark
    master = master or spark.master or "local[*]"
    conf = {
        "spark.master": master,
        "spark.driver.memory": spark.driver_memory,
        "spark.redaction.regex": REDACTED,
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
        # Records that do not fit are found and put aside by the jobs; an exception would end the stream instead.
        "spark.sql.ansi.enabled": "false",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        # A metastore that frees the lock of a killed driver after seconds must see that a slow one is alive.
        "spark.hadoop.iceberg.hive.lock-heartbeat-interval-ms": "5000",
        "spark.hadoop.iceberg.hive.lock-check-max-wait-ms": "1000",
    }
    if master.startswith("local"):
        # Nothing outside this machine has business with the driver.
        conf |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false"}
    if spark.jars:
        conf["spark.jars"] = ",".join(spark.jars)
    if spark.event_log:
        conf |= {"spark.eventLog.enabled": "true", "spark.eventLog.dir": spark.event_log}
    if settings.lineage.url:
        conf |= {"spark.openlineage.transport.type": "http", "spark.openlineage.transport.url": settings.lineage.url}
        conf |= {"spark.openlineage.namespace": settings.lineage.namespace}
    return conf | catalog_conf(settings) | hadoop_conf(settings) | dict(spark.conf)


def with_limits(options: str) -> str:
    """Options of an executor's JVM, and Avro's limits with them."""
    return " ".join([options, *(f"-D{name}={value}" for name, value in AVRO_LIMITS.items())]).strip()


def catalog_conf(settings: PipelineSettings) -> dict[str, str]:
    """The Iceberg catalog; tables in S3 are read and written with Iceberg's own client."""
    catalog, s3 = settings.catalog, settings.s3
    properties = {"type": catalog.type, "warehouse": catalog.warehouse}
    if catalog.uri:
        properties["uri"] = catalog.uri
    if catalog.warehouse.startswith("s3"):
        properties |= {
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": s3.region,
            "s3.path-style-access": truth(s3.path_style),
            "s3.chunked-encoding-enabled": truth(s3.chunked_encoding),
        }
        if s3.endpoint:
            properties["s3.endpoint"] = s3.endpoint
        if s3.access_key:
            properties |= {"s3.access-key-id": s3.access_key, "s3.secret-access-key": s3.secret_key}
    prefix = f"spark.sql.catalog.{catalog.name}"
    named = {f"{prefix}.{name}": value for name, value in (properties | dict(catalog.options)).items()}
    return {prefix: "org.apache.iceberg.spark.SparkCatalog"} | named


def hadoop_conf(settings: PipelineSettings) -> dict[str, str]:
    """Hadoop's S3 client, for checkpoints and event logs in S3."""
    s3 = settings.s3
    prefix = "spark.hadoop.fs.s3a"
    conf = {
        f"{prefix}.endpoint.region": s3.region,
        f"{prefix}.path.style.access": truth(s3.path_style),
    }
    if s3.endpoint:
        conf |= {f"{prefix}.endpoint": s3.endpoint}
    if s3.access_key:
        conf |= {
            f"{prefix}.access.key": s3.access_key,
            f"{prefix}.secret.key": s3.secret_key,
            f"{prefix}.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        }
    return conf


def kafka_options(settings: PipelineSettings) -> Mapping[str, str]:
    """What every Kafka source and sink needs to find and enter the broker."""
    return {
        "kafka.bootstrap.servers": settings.kafka.bootstrap,
        **{f"kafka.{name}": value for name, value in settings.kafka.options.items()},
    }


def truth(value: bool) -> str:
    """A truth as Java reads it."""
    return "true" if value else "false"
