"""The services that the pipeline is measured on, and what is read from them afterwards."""

import io
import json
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastavro
import psutil
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import SparkSession
from rich.console import Console

from bench.client import BenchError
from headwater.capture.connect.files import Connector
from headwater.capture.connect.worker import Worker
from headwater.pipeline.connectors.files import load, placeholders, secrets
from headwater.pipeline.settings import SETTINGS_VARIABLE, PipelineSettings, Topics, read_settings
from headwater.pipeline.supplier_stats_stream import SCHEMA
from headwater.stack.handover import pipeline_settings
from headwater.stack.lab import open_lab
from headwater.stack.services import SERVICES
from headwater.stack.supervisor.board import Board
from headwater.stack.supervisor.stopping import down
from headwater.stack.supervisor.up import up

PATIENCE_SECONDS = 600.0


@contextmanager
def lab_settings(home: Path) -> Iterator[PipelineSettings]:
    """The lab that HEADWATER_PIPELINE names, or one of this run's own."""
    if running := os.environ.get(SETTINGS_VARIABLE):
        yield read_settings(Path(running))
        return
    lab = open_lab(os.environ, home.parent, home=home)
    board = Board(Console(quiet=True))
    try:
        needed = ("registry", "object-store", "connect", "metastore")
        yield pipeline_settings(up(lab, SERVICES, needed, board, more_jars=["spark"]).lab)
    finally:
        down(lab, SERVICES, (), board)


def new_corner(settings: PipelineSettings, folder: Path) -> PipelineSettings:
    """Topics and checkpoints that nobody else uses."""
    name = f"bench-{uuid.uuid4().hex[:8]}"
    return replace(
        settings,
        topics=Topics(orders=f"{name}-orders", supplier_stats=f"{name}-stats", dead_letters=f"{name}-dead"),
        spark=replace(settings.spark, checkpoints=f"file://{folder}/checkpoints"),
    )


def connector_seconds(spark: SparkSession, settings: PipelineSettings, count: int) -> tuple[float, float]:
    """How long the Iceberg sink connector takes for the topic, and the worker's processor time for it."""
    described = load("orders-iceberg-sink", placeholders(settings))
    name = f"bench-{uuid.uuid4().hex[:8]}"
    table = f"{settings.catalog.namespace}.{name.replace('-', '_')}"
    changes = {"topics": settings.topics.orders, "iceberg.tables": table, "iceberg.control.topic": f"{name}-control"}
    process = worker_process(settings)
    with Worker(settings.connect.url, secrets(settings)) as worker:
        before, began = process.cpu_times(), time.monotonic()
        worker.apply(Connector(name, {**described.config, **changes}))
        try:
            while (found := rows(spark, f"{settings.catalog.name}.{table}")) < count:
                worker.check(name)
                if time.monotonic() - began > PATIENCE_SECONDS:
                    raise BenchError(f"the connector has committed {found:,} of {count:,} rows in {PATIENCE_SECONDS} s")
                time.sleep(0.5)
            seconds, after = time.monotonic() - began, process.cpu_times()
        finally:
            worker.delete(name)
    return seconds, after.user + after.system - before.user - before.system


def worker_process(settings: PipelineSettings) -> psutil.Process:
    """The Connect worker, found by the port it listens on."""
    port = int(settings.connect.url.rpartition(":")[2])
    for found in psutil.net_connections("tcp"):
        if found.status == psutil.CONN_LISTEN and found.laddr.port == port and found.pid:
            return psutil.Process(found.pid)
    raise BenchError(f"nobody listens at {settings.connect.url}")


def rows(spark: SparkSession, table: str) -> int:
    """How many rows the table's current snapshot has, by its summary; 0 if there is no such table yet."""
    if not spark.catalog.tableExists(table):
        return 0
    spark.catalog.refreshTable(table)
    newest = spark.sql(f"SELECT summary['total-records'] FROM {table}.snapshots ORDER BY committed_at DESC").first()
    return int(newest[0]) if newest else 0


def window_delays(settings: PipelineSettings, patience: float = 10.0) -> list[float]:
    """For each total on the result topic, the seconds from when its window could be closed to when it was said."""
    name = settings.topics.supplier_stats
    consumer = Consumer(
        {
            "bootstrap.servers": settings.kafka.bootstrap,
            "group.id": uuid.uuid4().hex,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    schema = fastavro.parse_schema(json.loads(SCHEMA))
    try:
        partitions = consumer.list_topics(name, timeout=10).topics[name].partitions
        consumer.assign([TopicPartition(name, one, 0) for one in partitions])
        delays, left = [], set(partitions)
        while left:
            message = consumer.poll(10)
            if message is None:
                raise BenchError(f"no answer from Kafka about the topic {name}")
            if message.error():
                left.discard(message.partition())
                continue
            row: Any = fastavro.schemaless_reader(io.BytesIO((message.value() or b"")[5:]), schema, None)
            delays.append(message.timestamp()[1] / 1000 - row["window_end"].timestamp() - patience)
    finally:
        consumer.close()
    # Windows that were worked off before the steady orders began are older than any that could be timely.
    return [delay for delay in delays if delay < 60]
