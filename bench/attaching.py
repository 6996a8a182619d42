"""A program that attaches lineage to the session that it has just made: `python -m bench.attaching URL OUTBOX`."""

import os
import sys
import time

from pyspark.sql import SparkSession

from headwater.capture.place import DIRECTORY_VARIABLE
from headwater.spark import attach
from headwater.stack.java import find_java


def main(url: str, outbox: str) -> None:
    """Print how many seconds attach has taken."""
    os.environ |= {
        "JAVA_HOME": str(find_java(os.environ).parent.parent),
        "OPENLINEAGE_URL": url,
        DIRECTORY_VARIABLE: outbox,
    }
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    began = time.perf_counter()
    attach(spark)
    print(time.perf_counter() - began)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
