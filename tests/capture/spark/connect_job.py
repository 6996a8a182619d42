"""A program of a Spark Connect client: python -m tests.capture.spark.connect_job PORT FOLDER"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import headwater.spark


def main(port: str, folder: Path) -> None:
    """Write files and tables, fail once, and run a stream to its end."""
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    headwater.spark.attach(spark, name="connect_job")
    orders = spark.read.json(str(folder / "orders"))
    orders.groupBy("supplier").sum("price").write.parquet(str(folder / "totals"))
    orders.write.saveAsTable("copies")
    spark.sql("INSERT INTO copies SELECT price * 2, supplier FROM copies")
    try:
        orders.write.parquet(str(folder / "totals"))  # which is there
    except Exception as error:
        print(type(error).__name__)
    stream = spark.readStream.schema("supplier string, price double").json(str(folder / "orders"))
    writer = stream.writeStream.queryName("ingest").option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).format("parquet").start(str(folder / "ingested")).awaitTermination()
    broken = stream.selectExpr("raise_error('the price is missing') AS price").writeStream.queryName("broken")
    try:
        broken.format("noop").trigger(availableNow=True).start().awaitTermination()
    except Exception as error:
        print(type(error).__name__)
    stream.writeStream.queryName("endless").format("noop").start().stop()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
