"""How every stream of the pipeline reads, runs, reports and ends."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from headwater.pipeline.decoding import unknown_schema
from headwater.pipeline.lineage import attach_lineage
from headwater.pipeline.session import build_session, kafka_options
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.stopping import Stop, leave

log = logging.getLogger("headwater.pipeline")


@contextmanager
def session(settings: PipelineSettings, name: str) -> Iterator[tuple[SparkSession, Stop]]:
    """The session of a stream, and the signals that end it."""
    stop = Stop()
    stop.listen()
    spark = build_session(settings, name)
    try:
        # The query has the job's name; what else happens in the application is apart from it.
        attach_lineage(spark, settings, f"{name.replace('-', '_')}_stream")
        stop.listen_in(spark)
        yield spark, stop
    finally:
        spark.stop()


def read_topic(spark: SparkSession, settings: PipelineSettings, topic: str) -> DataFrame:
    """The records of a topic as a stream, so many at a time; offsets that Kafka has lost end it with an error."""
    options = {
        # The source connector writes in transactions; one that was cut off must not be seen.
        "kafka.isolation.level": "read_committed",
        **kafka_options(settings),
        "subscribe": topic,
        "startingOffsets": settings.stream.starting_offsets,
        "maxOffsetsPerTrigger": str(settings.stream.max_offsets),
    }
    if settings.stream.min_partitions:
        options["minPartitions"] = str(settings.stream.min_partitions)
    return spark.readStream.format("kafka").options(**options).load()


def start(writer: DataStreamWriter, name: str, settings: PipelineSettings, once: bool, trigger: str) -> StreamingQuery:
    """Start a query under its name, from its checkpoint."""
    named = writer.queryName(name).option("checkpointLocation", f"{settings.spark.checkpoints.rstrip('/')}/{name}")
    return (named.trigger(availableNow=True) if once else named.trigger(processingTime=trigger)).start()


def run(
    begin: Callable[[], StreamingQuery],
    stop: Stop,
    stop_seconds: float,
    met: Callable[[int], None] | None = None,
    due: Callable[[], bool] = lambda: False,
) -> None:
    """Run a query until it ends or a stop is asked for.

    A query that met a schema it does not know is begun again from its checkpoint, once `met` has learned about it;
    so is one that is `due` for a new beginning.
    """
    while True:
        query = begin()
        try:
            if follow(query, stop, stop_seconds, due):
                return
        except StreamingQueryException as error:
            if met is None or (schema_id := unknown_schema(error)) is None:
                raise
            log.info("met schema id %d for the first time", schema_id)
            met(schema_id)
        finally:
            if query.isActive:
                query.stop()


def follow(query: StreamingQuery, stop: Stop, stop_seconds: float, due: Callable[[], bool]) -> bool:
    """Report each micro-batch of a query until it ends or must; False if it is to begin again."""
    report = Report(query.name or "stream")
    ended = True
    while not query.awaitTermination(timeout=1):
        report.tell(query)
        if stop.asked or due():
            ended = stop.asked
            leave(query, stop, stop_seconds)
    report.tell(query)
    return ended


@dataclass
class Report:
    """Tells of each micro-batch once."""

    name: str
    told: int | None = None

    def tell(self, query: StreamingQuery) -> None:
        """Log what has been done since the last time."""
        latest = query.lastProgress
        if latest is None or latest["batchId"] == self.told:
            return
        for progress in query.recentProgress:
            if (self.told is None or progress["batchId"] > self.told) and progress["numInputRows"]:
                self.told = progress["batchId"]
                log.info("%s batch %d: %s", self.name, progress["batchId"], summary(progress))


def summary(progress: Mapping[str, Any]) -> str:
    """What one micro-batch did: records, time, and whatever was left out."""
    took = progress["durationMs"].get("triggerExecution", 0) / 1000
    parts = [f"{records(progress):,} records in {took:.2f} s"]
    late = sum(state.get("numRowsDroppedByWatermark", 0) for state in progress.get("stateOperators", ()))
    if late:
        parts.append(f"{late:,} too late")
    observed = (progress.get("observedMetrics") or {}).values()
    if skipped := sum(metrics.get("problems", 0) for metrics in observed):
        parts.append(f"{skipped:,} skipped")
    return ", ".join(parts)


def records(progress: Mapping[str, Any]) -> int:
    """How many records a micro-batch had: Spark counts one again each time it is read, and offsets have gaps."""
    return int(min(progress["numInputRows"], sum(map(moved, progress["sources"]))))


def moved(source: Mapping[str, Any]) -> int:
    """By how many offsets a source moved on."""
    start, end = source.get("startOffset") or {}, source.get("endOffset") or {}
    return sum(
        offset - (start.get(topic) or {}).get(partition, 0)
        for topic, offsets in end.items()
        for partition, offset in offsets.items()
    )
