"""orders-s3-sink: the topic `orders` as JSON lines in the object store, a folder for each day, nothing lost."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from headwater.errors import SettingError
from headwater.pipeline import streaming
from headwater.pipeline.command import run_job, stream_parser
from headwater.pipeline.decoding import Wanted, decode
from headwater.pipeline.failures import JavaError, first_line
from headwater.pipeline.learning import with_every_schema
from headwater.pipeline.objects import Store, StoreError, put
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.schemas import Schemas
from headwater.pipeline.settings import S3, PipelineSettings
from headwater.pipeline.stopping import Stop
from headwater.pipeline.topics import make_topics
from headwater.pipeline.transforms import ARCHIVED, COORDINATES, archive_lines, archive_objects

NAME = "orders-s3-sink"


@dataclass
class Archive:
    """Writes one micro-batch after the other, as objects whose names do not depend on when they are written."""

    place: str
    open: Callable[[], Store]
    schemas: Schemas
    stop: Stop

    def take(self, frames: DataFrame, batch: int) -> None:
        """Write a micro-batch."""
        self.stop.hold(frames.sparkSession)
        with_every_schema(frames, self.schemas, lambda strict: self.write(frames, strict))

    def write(self, frames: DataFrame, strict: bool) -> None:
        """Write the objects of a micro-batch; none is written before every record has been read."""
        gained = self.schemas.gained(one.name for one in ARCHIVED)
        wanted = (*ARCHIVED, *[Wanted(one.name, one.dataType) for one in gained])
        decoded = decode(frames, wanted, self.schemas, (*COORDINATES, "value"), strict)
        archive_objects(archive_lines(decoded)).foreachPartition(Put(self.open(), self.place))


@dataclass(frozen=True)
class Put:
    """What an executor does with its objects."""

    store: Store
    place: str

    def __call__(self, objects: Iterable[Row]) -> None:
        """Write them one after the other."""
        bucket, prefix = bucket_and_prefix(self.place)
        for one in objects:
            put(self.store, bucket, prefix + one.key, one.body.encode())


def bucket_and_prefix(place: str) -> tuple[str, str]:
    """The two parts of a place such as s3://bucket/some/prefix; s3a:// means the same."""
    if not (match := re.fullmatch(r"s3[an]?://([^/]+)/?(.*?)/*", place)):
        raise SettingError(f"setting 's3.archive' is {place!r}; expected a place such as s3://fh-dev-bucket/orders")
    return match[1], f"{match[2]}/" if match[2] else ""


def open_store(spark: SparkSession, settings: S3) -> Store:
    """The store in the settings; without keys there, with those of the role that the driver has."""
    store = Store(
        endpoint=settings.endpoint,
        region=settings.region,
        access_key=settings.access_key,
        secret_key=settings.secret_key,
        path_style=settings.path_style,
    )
    if store.access_key:
        return store
    jvm: Any = spark.sparkContext._jvm
    try:
        found = jvm.software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider.create().resolveCredentials()
    except JavaError as error:
        raise StoreError(f"no s3.access_key in the settings, and no role: {first_line(error)}") from error
    token = found.sessionToken() if found.getClass().getSimpleName() == "AwsSessionCredentials" else ""
    return replace(store, access_key=found.accessKeyId(), secret_key=found.secretAccessKey(), session_token=token)


def archive(
    spark: SparkSession, settings: PipelineSettings, stop: Stop, once: bool, make: type[Archive] = Archive
) -> None:
    """Run the stream until it is stopped, or `once` over what is there."""
    bucket_and_prefix(settings.s3.archive)
    topic = settings.topics.orders
    make_topics(spark, settings, topic)
    schemas = Schemas(spark, SchemaRegistry(settings.registry), f"{topic}-value")
    schemas.refresh()
    sink = make(settings.s3.archive, lambda: open_store(spark, settings.s3), schemas, stop)
    frames = streaming.read_topic(spark, settings, topic).select("value", *COORDINATES)
    # Objects are put without Spark, which knows nothing of the place; lineage does by this option.
    writer = frames.writeStream.foreachBatch(sink.take).option("path", settings.s3.archive)
    streaming.run(
        lambda: streaming.start(writer, NAME, settings, once, settings.stream.archive_trigger),
        stop,
        settings.stream.stop_seconds,
    )


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Build the session and run the stream."""
    with streaming.session(settings, NAME) as (spark, stop):
        archive(spark, settings, stop, given.once)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job from the command line."""
    return run_job(stream_parser(NAME, __doc__), job, argv)


if __name__ == "__main__":
    sys.exit(main())
