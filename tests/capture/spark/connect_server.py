"""A Spark Connect server until its input ends: python -m tests.capture.spark.connect_server PORT JAR FOLDER"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession


def main(port: str, jar: str, folder: str) -> None:
    """Serve, and say so."""
    settings: dict[str, bool | float | int | str | None] = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": port,
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": folder,
    }
    spark = SparkSession.builder.master("local[2]").appName("server").config(map=settings).getOrCreate()
    print("ready", flush=True)
    sys.stdin.read()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
