"""What the pipeline's jobs are told about the lab: the settings file that the lab writes for them."""

from pathlib import Path
from urllib.parse import quote, urlsplit

from headwater.pipeline.settings import (
    S3,
    Catalog,
    Connect,
    Kafka,
    Lineage,
    PipelineSettings,
    Registry,
    Shop,
    Spark,
    write_settings,
)
from headwater.stack.jars.folders import JOB_JARS
from headwater.stack.lab import Lab

PIPELINE_FILE = "pipeline.toml"
ARCHIVE = "s3://fh-dev-bucket/orders"
WAREHOUSE = "s3://warehouse"


def hand_over(lab: Lab) -> Path:
    """Write the settings of the pipeline, as the lab is now, to the file that its jobs read."""
    file = lab.home / PIPELINE_FILE
    write_settings(file, pipeline_settings(lab))
    return file


def pipeline_settings(lab: Lab) -> PipelineSettings:
    """The settings of the pipeline: where each service is, be it the lab's or the user's own, and how to enter it."""
    known, settings = lab.credentials, lab.settings
    return PipelineSettings(
        kafka=Kafka(bootstrap=lab.address("kafka")),
        registry=Registry(url=lab.address("registry"), username=known.registry_user, password=known.registry_password),
        catalog=Catalog(uri=lab.address("metastore"), warehouse=WAREHOUSE),
        s3=S3(
            endpoint=lab.address("object-store"),
            access_key=known.s3_access_key,
            secret_key=known.s3_secret_key,
            archive=ARCHIVE,
        ),
        spark=Spark(
            master=settings.spark_master,
            checkpoints=file_url(lab.data("checkpoints")),
            event_log=file_url(lab.data("spark-events")),
            jars=() if is_local(lab) else job_jars(lab),
            driver_memory=settings.spark_driver_memory,
            conf={
                **(class_path(lab) if is_local(lab) else {}),
                # Spark's own setting, made for one kind of cluster: where lineage finds the page of a job that is over.
                "spark.yarn.historyServer.address": lab.address("history"),
                **settings.spark_conf,
            },
        ),
        shop=Shop(url=shop_url(lab)),
        connect=Connect(url=lab.address("connect")),
        lineage=Lineage(url=lab.address("lineage")),
    )


def file_url(folder: Path) -> str:
    """A folder as Hadoop names it: unlike in a URL, a space is a space."""
    return f"file://{folder}"


def is_local(lab: Lab) -> bool:
    """Whether jobs run on this machine alone."""
    return lab.settings.spark_master.startswith("local")


def class_path(lab: Lab) -> dict[str, str]:
    """The property that gives a job on this machine its jars where they are: as spark.jars each job would copy them."""
    return {"spark.driver.extraClassPath": str(lab.jar_folder(JOB_JARS) / "*")}


def job_jars(lab: Lab) -> tuple[str, ...]:
    """The jars that a job elsewhere must be sent."""
    return tuple(str(jar) for jar in sorted(lab.jar_folder(JOB_JARS).iterdir()))


def shop_url(lab: Lab) -> str:
    """The shop's database, with its password."""
    parts = urlsplit(lab.address("postgres"))
    host = parts.netloc.rpartition("@")[2]
    user, password = quote(lab.credentials.shop_user, safe=""), quote(lab.credentials.shop_password, safe="")
    return parts._replace(netloc=f"{user}:{password}@{host}").geturl()
