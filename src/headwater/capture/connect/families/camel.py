"""Camel's connectors: where they read and write is an address such as aws2-s3://bucket?keyName=orders/…."""

from __future__ import annotations

import re
from urllib.parse import unquote

from headwater.capture.connect.families.family import (
    Family,
    Locations,
    Origin,
    Sink,
    Source,
    Target,
    columns_of,
    filled,
    folder,
)
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.transforms.flow import Record
from headwater.openlineage.naming import DatasetName, location

STORES = {
    "aws-s3": "s3",
    "aws2-s3": "s3",
    "google-storage": "gs",
    "hdfs": "hdfs",
    "file": "file",
}
# The settings of a connector that is made for one of Camel's components, by the component's place.
BUCKET = ("path.bucketNameOrArn", "path.bucketName", "bucketNameOrArn", "bucketName")


def place(address: str, topic: str) -> tuple[DatasetName, str]:
    """The dataset behind an address, and why it is not fully known."""
    scheme, _, rest = address.partition(":")
    path, _, query = rest.lstrip("/").partition("?")
    asked: dict[str, str] = dict(re.findall(r"([A-Za-z.]+)=([^&]*)", query))
    bucket = path.removeprefix("arn:aws:s3:::").strip("/")
    if scheme in ("file", "hdfs"):
        name = location(f"{scheme}:{rest.partition('?')[0]}")
    elif scheme in STORES:
        key = unquote(option(asked, "keyName", "objectName", "prefix"))
        name = location(f"{STORES[scheme]}://{bucket}/{folder(filled(key, topic))}")
    else:
        # Only the component's own part is told: options have passwords in them.
        plain = path.rpartition("@")[2]
        return DatasetName(f"camel:{scheme}", plain or "/"), f"it is what Camel's component {scheme} calls {plain!r}"
    return name, "" if name.name != "/" else "nothing but its bucket is in the settings"


def address_of(config: Config, side: str) -> str:
    """The connector's address, or one that is put together from the settings of a component's own connector."""
    if url := option(config, f"camel.{side}.url"):
        return url
    kamelet = next((key for key in config if re.match(rf"camel\.kamelet\.[\w-]+-{side}\.", key)), "")
    before = kamelet.rpartition(".")[0] + "." if kamelet else f"camel.{side}."
    bucket = option(config, *(before + each for each in BUCKET))
    kind = config.get("connector.class", "").lower()
    scheme = "google-storage" if "google" in kind else "aws2-s3" if "s3" in kind else "unknown"
    if not bucket:
        return f"{scheme}://"
    key = option(config, before + "keyName", before + "endpoint.keyName", before + "endpoint.prefix", before + "prefix")
    return f"{scheme}://{bucket}?keyName={key}"


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """Records go to one address, whatever their topic."""
    dataset, unknown = place(address_of(config, "sink"), record.topic)
    return (Target(dataset, columns_of(record), unknown=unknown),)


def origins(config: Config) -> tuple[Origin, ...]:
    """Records come from one address."""
    dataset, unknown = place(address_of(config, "source"), "")
    return tuple(Origin(dataset, topic, unknown=unknown) for topic in listed(option(config, "topics", "topic")))


SINK, SOURCE = Sink("Camel sink", targets), Source("Camel source", origins)
CAMEL = "org.apache.camel.kafkaconnector."
FAMILIES: dict[str, Family] = {
    CAMEL + "CamelSinkConnector": SINK,
    CAMEL + "CamelSourceConnector": SOURCE,
    CAMEL + "aws2s3.CamelAws2s3SinkConnector": SINK,
    CAMEL + "aws2s3.CamelAws2s3SourceConnector": SOURCE,
    CAMEL + "awss3sink.CamelAwss3sinkSinkConnector": SINK,
    CAMEL + "awss3source.CamelAwss3sourceSourceConnector": SOURCE,
    CAMEL + "googlestorage.CamelGooglestorageSinkConnector": SINK,
    CAMEL + "googlestorage.CamelGooglestorageSourceConnector": SOURCE,
}
