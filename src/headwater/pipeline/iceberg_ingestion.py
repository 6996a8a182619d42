"""iceberg-ingestion: the topic `orders` into the Iceberg table `orders`, exactly once."""

import argparse
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from headwater.pipeline import streaming, tables
from headwater.pipeline.command import run_job, stream_parser
from headwater.pipeline.decoding import PROBLEM, Wanted, decode
from headwater.pipeline.learning import learn, with_every_schema
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.schemas import Schemas
from headwater.pipeline.session import kafka_options
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.stopping import Stop
from headwater.pipeline.topics import make_topics
from headwater.pipeline.transforms import dead_letters

NAME = "iceberg-ingestion"
REQUIRED = ("order_id", "bid_time")
log = logging.getLogger("headwater.pipeline")


@dataclass
class Ingestion:
    """Takes one micro-batch after the other into the table."""

    settings: PipelineSettings
    table: str
    schemas: Schemas
    stop: Stop
    rows: int = 0
    letters: int = 0
    # A stream's first micro-batch since it started may have been committed before it was killed.
    _checked: set[str] = field(default_factory=set)

    def take(self, frames: DataFrame, batch: int) -> None:
        """Append the orders of a micro-batch to the table, and send what cannot be read to the dead letters."""
        spark = frames.sparkSession
        self.stop.hold(spark)
        query = str(spark.sparkContext.getLocalProperty("sql.streaming.queryId"))
        run = str(spark.sparkContext.getLocalProperty("sql.streaming.runId"))
        if run not in self._checked and tables.committed(spark, self.table, query, batch):
            log.info("batch %d was committed before the last stop; only its dead letters are sent again", batch)
            learn(frames, self.schemas)
            problems = self.set_aside(frames).count()
        else:
            problems = self.append(frames, query, batch)
        self._checked.add(run)
        if problems:
            self.bury(frames, problems)

    def append(self, frames: DataFrame, query: str, batch: int) -> int:
        """Append what can be read in one commit that names the micro-batch; how many records cannot."""
        return with_every_schema(frames, self.schemas, lambda strict: self._append(frames, query, batch, strict))

    def _append(self, frames: DataFrame, query: str, batch: int, strict: bool) -> int:
        seen = Observation()
        decoded = decode(frames, self.wanted(frames.sparkSession), self.schemas, strict=strict)
        counts = (F.count("*").alias("records"), F.count(PROBLEM).alias("problems"))
        orders = decoded.observe(seen, *counts).where(F.col(PROBLEM).isNull()).drop(PROBLEM)
        writer = orders.writeTo(self.table)
        for name, value in ((tables.QUERY_PROPERTY, query), (tables.BATCH_PROPERTY, str(batch))):
            writer = writer.option(f"snapshot-property.{name}", value)
        writer.append()
        records, problems = int(seen.get["records"]), int(seen.get["problems"])
        self.rows += records - problems
        return problems

    def bury(self, frames: DataFrame, count: int) -> None:
        """Send the records of a micro-batch that cannot be read to the dead-letter topic, with the reason."""
        topic = self.settings.topics.dead_letters
        letters = dead_letters(self.set_aside(frames), NAME)
        letters.write.format("kafka").options(**kafka_options(self.settings), topic=topic).save()
        self.letters += count
        log.warning("%d records could not be read and are in the topic %s, each with its reason", count, topic)

    def set_aside(self, frames: DataFrame) -> DataFrame:
        """The records of a micro-batch that cannot be read."""
        kept = ("key", "value", "topic", "partition", "offset")
        decoded = decode(frames, self.wanted(frames.sparkSession), self.schemas, kept, strict=False)
        return decoded.where(F.col(PROBLEM).isNotNull())

    def wanted(self, spark: SparkSession) -> list[Wanted]:
        """The columns of the table, which first gains what the schemas have gained."""
        columns = spark.table(self.table).schema
        if gained := tables.add_columns(spark, self.table, self.schemas.gained(columns.names)):
            log.info("the schema has gained %s, and so has %s", ", ".join(gained), self.table)
            columns = spark.table(self.table).schema
        return [Wanted(one.name, one.dataType, one.name in REQUIRED) for one in columns.fields]


def ingest(
    spark: SparkSession, settings: PipelineSettings, stop: Stop, once: bool, make: type[Ingestion] = Ingestion
) -> Ingestion:
    """Run the stream until it is stopped, or `once` over what is there."""
    topic = settings.topics.orders
    make_topics(spark, settings, topic, settings.topics.dead_letters)
    table = tables.make_orders(spark, settings.catalog)
    schemas = Schemas(spark, SchemaRegistry(settings.registry), f"{topic}-value")
    schemas.refresh()
    ingestion = make(settings, table, schemas, stop)
    frames = streaming.read_topic(spark, settings, topic).select("key", "value", "topic", "partition", "offset")
    writer = frames.writeStream.foreachBatch(ingestion.take)
    streaming.run(
        lambda: streaming.start(writer, NAME, settings, once, settings.stream.trigger),
        stop,
        settings.stream.stop_seconds,
    )
    return ingestion


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Build the session, run the stream, say what was done."""
    with streaming.session(settings, NAME) as (spark, stop):
        done = ingest(spark, settings, stop, given.once)
        log.info("%s: %d orders taken in, %d dead letters", NAME, done.rows, done.letters)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job from the command line."""
    return run_job(stream_parser(NAME, __doc__), job, argv)


if __name__ == "__main__":
    sys.exit(main())
