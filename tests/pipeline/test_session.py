import re
import subprocess
from dataclasses import replace

from pyspark.sql import SparkSession

from headwater.pipeline.session import LAUNCH, REDACTED, spark_conf
from headwater.pipeline.settings import S3, Catalog, Kafka, Lineage, PipelineSettings, Registry, Spark

SETTINGS = PipelineSettings(
    kafka=Kafka(bootstrap="broker:9092"),
    registry=Registry(url="http://registry", password="hush"),
    catalog=Catalog(uri="thrift://metastore:9083", warehouse="s3://warehouse"),
    s3=S3(endpoint="http://store:9000", access_key="hush-key", secret_key="hush-secret"),
    spark=Spark(master="spark://master:7077", checkpoints="hdfs:///c", conf={"spark.sql.session.timeZone": "CET"}),
)


def test_tables_in_s3_go_through_icebergs_own_client_without_chunked_uploads() -> None:
    conf = spark_conf(SETTINGS)
    catalog = "spark.sql.catalog.demo_ib"
    assert conf[f"{catalog}.io-impl"] == "org.apache.iceberg.aws.s3.S3FileIO"
    assert conf[f"{catalog}.s3.chunked-encoding-enabled"] == "false"
    assert conf[f"{catalog}.uri"] == "thrift://metastore:9083"


def test_whatever_is_secret_is_redacted_and_no_argument_of_a_process() -> None:
    secrets = {key for key, value in spark_conf(SETTINGS).items() if "hush" in value}
    assert len(secrets) == 4
    assert all(re.search(REDACTED, key) for key in secrets)
    assert not secrets & set(LAUNCH)


def test_without_keys_the_machines_own_role_is_used() -> None:
    conf = spark_conf(replace(SETTINGS, s3=S3()))
    assert not [key for key in conf if "access" in key and "key" in key]


def test_a_further_setting_wins_over_ours() -> None:
    assert spark_conf(SETTINGS)["spark.sql.session.timeZone"] == "CET"


def test_a_session_knows_where_its_lineage_goes_if_the_settings_do() -> None:
    reported = spark_conf(replace(SETTINGS, lineage=Lineage(url="http://lineage:5000")))
    assert reported["spark.openlineage.transport.url"] == "http://lineage:5000"
    assert reported["spark.openlineage.namespace"] == "fh-local"
    assert not [key for key in spark_conf(SETTINGS) if "openlineage" in key]


def test_a_driver_on_one_machine_listens_to_nobody_else() -> None:
    local = spark_conf(replace(SETTINGS, spark=replace(SETTINGS.spark, master="local[2]")))
    assert local["spark.driver.bindAddress"] == "127.0.0.1"
    assert "spark.driver.bindAddress" not in spark_conf(SETTINGS)


def test_a_master_given_to_spark_submit_is_the_one_that_counts() -> None:
    local = replace(SETTINGS, spark=replace(SETTINGS.spark, master="local[2]"))
    assert "spark.driver.host" not in spark_conf(local, "yarn")


def test_the_session_has_few_shuffle_partitions_and_a_limit_for_damaged_records(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    assert spark._jvm is not None
    limit = spark._jvm.java.lang.System.getProperty("org.apache.avro.limits.string.maxLength")
    assert int(limit) < 2**26


def test_no_setting_of_the_session_is_in_the_arguments_of_its_processes(spark: SparkSession) -> None:
    shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "spark.hadoop.fs.s3a" not in shown
