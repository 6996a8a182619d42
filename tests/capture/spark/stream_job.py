"""A program with a stream, for tests that end it: python -m tests.capture.spark.stream_job HOW FOLDER"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

import headwater.spark
from headwater.stack.java import find_java


def main(how: str, folder: Path) -> None:
    """Start a stream, say so once it has done a batch, and end it in the way that was asked for."""
    os.environ["JAVA_HOME"] = str(find_java(os.environ).parent.parent)
    builder = SparkSession.builder.master("local[1]").appName("Stream Job").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "512m").config("spark.sql.shuffle.partitions", "1")
    spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    headwater.spark.attach(spark)
    rates = spark.readStream.format("rate").option("rowsPerSecond", 10).load()
    if how == "broken":
        rates = rates.selectExpr("raise_error('the price is missing') AS x")
    writer = rates.writeStream.format("noop").queryName("endless").option("checkpointLocation", str(folder / "c"))
    query = (writer.trigger(availableNow=True) if how == "finite" else writer).start()
    while query.lastProgress is None and query.isActive and how != "broken":
        time.sleep(0.05)
    print(query.runId, flush=True)
    if how == "session":
        spark.stop()
    elif how == "stop":
        query.stop()
    elif how == "leave":
        return
    elif how == "raise":
        raise RuntimeError("the program has a fault")
    else:
        query.awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
