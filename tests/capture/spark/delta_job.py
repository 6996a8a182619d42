"""A program with streams between tables of Delta Lake: python -m tests.capture.spark.delta_job FOLDER JARS"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

import headwater.spark

SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
}


def main(folder: Path, jars: str) -> None:
    """Copy a table by its path and by its name, and merge it into another."""
    builder = SparkSession.builder.master("local[2]").appName("Delta Job").config(map=SETTINGS)
    spark = builder.config("spark.jars", jars).config("spark.sql.warehouse.dir", str(folder / "tables")).getOrCreate()
    headwater.spark.attach(spark)
    for table in ("orders", "copies", "latest"):
        spark.sql(f"CREATE TABLE {table} (order_id string, price double) USING delta")
    spark.sql("INSERT INTO orders VALUES ('a', 1.5), ('b', 2.5)")

    def start(frames: DataFrame, name: str) -> DataStreamWriter:
        writer = frames.writeStream.queryName(name).option("checkpointLocation", str(folder / f"{name}-checkpoint"))
        return writer.trigger(availableNow=True).format("delta")

    def merge(batch: DataFrame, number: int) -> None:
        batch.createOrReplaceTempView("news")
        batch.sparkSession.sql(
            """MERGE INTO latest l USING news n ON l.order_id = n.order_id
            WHEN MATCHED THEN UPDATE SET price = n.price WHEN NOT MATCHED THEN INSERT *"""
        )
        batch.write.format("delta").mode("append").saveAsTable("kept")

    twice = ("order_id", "price * 2 AS price")
    by_path = spark.readStream.format("delta").load(str(folder / "tables" / "orders")).selectExpr(*twice)
    start(by_path, "by_path").start(str(folder / "out")).awaitTermination()
    by_name = spark.readStream.table("orders")
    start(by_name.selectExpr(*twice), "by_name").toTable("copies").awaitTermination()
    start(by_name, "by_function").foreachBatch(merge).start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
