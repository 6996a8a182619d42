"""Streams over a topic of orders, each to its end: the job's own code, and the same with steps left out."""

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from bench import topic
from headwater.pipeline import streaming, tables
from headwater.pipeline.decoding import PROBLEM, decode
from headwater.pipeline.iceberg_ingestion import Ingestion
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.schemas import Schemas
from headwater.pipeline.session import kafka_options
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.stopping import Stop
from headwater.pipeline.supplier_stats_stream import SCHEMA, statistics
from headwater.pipeline.topics import make_topics
from headwater.pipeline.transforms import framed

CANDIDATES = ("iceberg", "parquet", "read", "decode")


@dataclass(frozen=True)
class Pass:
    """One way over the whole topic."""

    rows: int
    seconds: float
    batches: int
    cpu: float

    @property
    def speed(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds

    @property
    def cpu_micros(self) -> float:
        """Processor time of a row, which a busy machine hardly changes."""
        return 1e6 * self.cpu / self.rows


@dataclass
class Runs:
    """A topic, a session, and the streams that are run over them."""

    spark: SparkSession
    settings: PipelineSettings
    directory: Path
    count: int

    def fill(self) -> None:
        """Make the topic."""
        topics = self.settings.topics
        make_topics(self.spark, self.settings, topics.orders, topics.dead_letters, topics.supplier_stats)
        registry = SchemaRegistry(self.settings.registry)
        self.schema_id = registry.register(f"{topics.orders}-value", json.dumps(topic.SCHEMA))
        self.stats_id = registry.register(f"{topics.supplier_stats}-value", SCHEMA)
        self.schemas = Schemas(self.spark, registry, f"{topics.orders}-value")
        self.schemas.refresh()
        topic.fill(self.spark, self.settings, self.count, self.schema_id)

    def over_the_topic(self, name: str) -> Pass:
        """Run one candidate, or supplier-stats, over the whole topic."""
        settings = self.own_checkpoint()
        jvm = psutil.Process(self.spark.sparkContext._gateway.proc.pid)  # type: ignore[union-attr]
        before = cpu_seconds(jvm)
        if name == "stats":
            query = self.stats(settings, once=True)
        else:
            columns = ("key", "value", "topic", "partition", "offset")
            frames = streaming.read_topic(self.spark, settings, settings.topics.orders).select(*columns)
            writer = frames.writeStream.foreachBatch(self.candidate(name))
            query = streaming.start(writer, "bench", settings, True, "0 seconds")
        query.awaitTermination()
        progress = [one for one in query.recentProgress if one["numInputRows"]]
        return Pass(self.count, sum(map(took, progress)), len(progress), cpu_seconds(jvm) - before)

    def candidate(self, name: str) -> Callable[[DataFrame, int], None]:
        """What is done with each micro-batch."""
        if name == "iceberg":
            catalog = replace(self.settings.catalog, namespace=f"bench_{uuid.uuid4().hex[:8]}")
            ingestion = Ingestion(self.settings, tables.make_orders(self.spark, catalog), self.schemas, Stop())
            self.table = ingestion.table
            return ingestion.take
        folder = f"file://{self.directory}/parquet-{uuid.uuid4().hex}"
        wanted = Ingestion(self.settings, self.table, self.schemas, Stop()).wanted(self.spark)

        def take(frames: DataFrame, batch: int) -> None:
            if name == "read":
                frames.write.format("noop").mode("append").save()
                return
            # Counted as the job counts, which also keeps the filter from decoding each record a second time.
            counted = decode(frames, wanted, self.schemas).observe("seen", F.count(PROBLEM).alias("problems"))
            orders = counted.where(F.col(PROBLEM).isNull()).drop(PROBLEM)
            if name == "parquet":
                orders.write.mode("append").parquet(folder)
            else:
                orders.write.format("noop").mode("append").save()

        return take

    def stats(self, settings: PipelineSettings, once: bool) -> StreamingQuery:
        """Start supplier-stats."""
        frames = streaming.read_topic(self.spark, settings, settings.topics.orders).select("value", "timestamp")
        results = framed(statistics(frames, self.schemas), self.stats_id, SCHEMA)
        options = {**kafka_options(settings), "topic": settings.topics.supplier_stats}
        sink = results.writeStream.format("kafka").options(**options).outputMode("append")
        return streaming.start(sink, "stats", settings, once, settings.stream.trigger)

    def own_checkpoint(self) -> PipelineSettings:
        """The settings, with a checkpoint that nobody has used."""
        place = f"file://{self.directory}/checkpoints-{uuid.uuid4().hex}"
        return replace(self.settings, spark=replace(self.settings.spark, checkpoints=place))

    def commit_seconds(self) -> float:
        """How long an append takes that has nothing to write."""
        nothing = self.spark.table(self.table).limit(0)
        times = []
        for _ in range(5):
            began = time.perf_counter()
            nothing.writeTo(self.table).append()
            times.append(time.perf_counter() - began)
        return median(times)


def took(progress: dict[str, Any]) -> float:
    """Seconds of a micro-batch."""
    return float(progress["durationMs"]["triggerExecution"]) / 1000


def cpu_seconds(process: psutil.Process) -> float:
    """Processor time of a process so far."""
    spent = process.cpu_times()
    return float(spent.user + spent.system)
