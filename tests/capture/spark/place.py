"""Where a test's queries read and write."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro
from pyspark.sql.streaming.query import StreamingQuery

BROKER = "127.0.0.1:1"  # nobody answers there: a query has its plan before it asks the broker anything
AVRO = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "fields": [{"name": "order_id", "type": "string"}, {"name": "price", "type": "double"}],
    }
)
# A query that waits for a broker can only be stopped once it gives up waiting.
IMPATIENT = {"kafka.request.timeout.ms": "500", "kafka.default.api.timeout.ms": "1000"}
KAFKA = {"kafka.bootstrap.servers": BROKER, "subscribe": "orders", **IMPATIENT}


@dataclass(frozen=True)
class Place:
    """A session, and a folder and names of this test alone."""

    spark: SparkSession
    folder: Path
    name: str

    @property
    def table(self) -> str:
        return f"local_ib.{self.name}.orders"

    def rates(self, rows: int = 100) -> DataFrame:
        return self.spark.readStream.format("rate").option("rowsPerSecond", rows).load()

    def files(self, count: int = 1) -> DataFrame:
        drop = self.folder / "drop"
        drop.mkdir(exist_ok=True)
        for number in range(count):
            (drop / f"{number}.json").write_text(f'{{"order_id": "{number}", "price": {number}.5}}\n')
        reader = self.spark.readStream.schema("order_id string, price double").option("maxFilesPerTrigger", 1)
        return reader.json(str(drop))

    def topic(self, **options: str) -> DataFrame:
        record = from_avro(F.expr("substring(value, 6)"), AVRO).alias("record")
        reader = self.spark.readStream.format("kafka").options(**{**KAFKA, **options})
        return reader.load().select(record).select("record.*")

    def make_table(self, columns: str = "order_id string, price double") -> str:
        self.spark.sql(f"CREATE TABLE {self.table} ({columns}) USING iceberg")
        return self.table

    def start(self, writer: Any, **trigger: Any) -> StreamingQuery:
        named = writer.queryName(self.name).option("checkpointLocation", str(self.folder / "checkpoint"))
        started: StreamingQuery = named.trigger(**(trigger or {"processingTime": "1 second"})).start()
        return started
