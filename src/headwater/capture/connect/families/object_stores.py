"""Object stores of Confluent's and Aiven's connectors: a folder for each topic in S3, GCS and Azure."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from headwater.capture.connect.families.family import (
    Family,
    Locations,
    Origin,
    Sink,
    Source,
    Target,
    columns_of,
    folder,
)
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Column, Record
from headwater.openlineage.naming import DatasetName, azure_blobs, azure_lake, location

Store = Callable[[Config, str], DatasetName]


def s3(config: Config, path: str) -> DatasetName:
    """A folder in a bucket of S3."""
    return location(f"s3://{option(config, 's3.bucket.name', 'aws.s3.bucket.name', 'aws_s3_bucket')}/{path}")


def gcs(config: Config, path: str) -> DatasetName:
    """A folder in a bucket of Google's."""
    return location(f"gs://{option(config, 'gcs.bucket.name')}/{path}")


def blobs(config: Config, path: str) -> DatasetName:
    """A folder in a container of Azure's."""
    return azure_blobs(option(config, "azblob.account.name"), option(config, "azblob.container.name"), path)


def lake(config: Config, path: str) -> DatasetName:
    """A folder in a container of Azure's data lake."""
    prefix = "azure.datalake.gen2."
    return azure_lake(option(config, prefix + "account.name"), option(config, prefix + "container.name"), path)


# -- Confluent -------------------------------------------------------------------------------------


def confluent(title: str, store: Store) -> Sink:
    """Files are in the folder of topics, then in one for each topic."""

    def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
        path = f"{config.get('topics.dir', 'topics').strip('/')}/{record.topic}"
        return (Target(store(config, path), columns_of(record)),)

    return Sink(title, targets)


def confluent_source(title: str, store: Store) -> Source:
    """The folders that a sink of the same settings has written."""

    def origin_of(config: Config, topic: str) -> Origin | None:
        root = config.get("topics.dir", "topics").strip("/")
        return Origin(store(config, f"{root}/{topic}"), topic)

    return Source(title, origin_of=origin_of)


# -- Aiven -----------------------------------------------------------------------------------------


def aiven(title: str, store: Store) -> Sink:
    """Files are named by a template, whose folders before the first part that varies are the dataset."""

    def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
        prefix = option(config, "aws.s3.prefix", "aws.s3.prefix.template", "aws_s3_prefix", "file.name.prefix")
        form = option(config, "file.name.template", default="{{topic}}-{{partition}}-{{start_offset}}")
        path = (prefix + form).replace("{{topic}}", record.topic).replace("{{ topic }}", record.topic)
        return (Target(store(config, folder(path)), aiven_columns(config, record)),)

    return Sink(title, targets)


def aiven_columns(config: Config, record: Record) -> tuple[Column, ...]:
    """The value alone is the row; together with others it is one of the row's columns."""
    asked = listed(option(config, "format.output.fields", "output_fields", default="value"))
    if asked == ("value",):
        return columns_of(record)
    parts = {"key": record.key, "value": record.value}
    made = []
    for name in asked:
        part = parts.get(name)
        if part is None:
            made.append(Column(name, "long" if name == "offset" else "timestamp-millis" if name == "timestamp" else ""))
        else:
            made.append(replace(part, name=name, partial=""))
    return tuple(made)


def aiven_source(config: Config) -> tuple[Origin, ...]:
    """The folder before the first part of the template that varies feeds every topic that the settings name."""
    path = option(config, "aws.s3.prefix", "file.name.prefix") + option(config, "file.name.template")
    return tuple(Origin(s3(config, folder(path)), topic) for topic in listed(option(config, "topic", "topics")))


FAMILIES: dict[str, Family] = {
    "io.confluent.connect.azure.blob.AzureBlobStorageSinkConnector": confluent("Azure Blob sink", blobs),
    "io.confluent.connect.azure.datalake.gen2.AzureDataLakeGen2SinkConnector": confluent("Azure Data Lake sink", lake),
    "io.confluent.connect.gcs.GcsSinkConnector": confluent("GCS sink", gcs),
    "io.confluent.connect.gcs.GcsSourceConnector": confluent_source("GCS source", gcs),
    "io.confluent.connect.s3.S3SinkConnector": confluent("S3 sink", s3),
    "io.confluent.connect.s3.source.S3SourceConnector": confluent_source("S3 source", s3),
    "io.aiven.kafka.connect.gcs.GcsSinkConnector": aiven("Aiven GCS sink", gcs),
    "io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector": aiven("Aiven S3 sink", s3),
    "io.aiven.kafka.connect.s3.S3SinkConnector": aiven("Aiven S3 sink", s3),
    "io.aiven.kafka.connect.s3.source.S3SourceConnector": Source("Aiven S3 source", aiven_source),
}
