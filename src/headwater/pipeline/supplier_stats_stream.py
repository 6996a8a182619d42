"""supplier-stats: the topic `orders` into totals a supplier for each 5 seconds, on the topic `supplier-stats`."""

import argparse
import json
import logging
import sys
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from headwater.pipeline import streaming
from headwater.pipeline.command import run_job, stream_parser
from headwater.pipeline.decoding import PROBLEM, decode
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.schemas import Schemas
from headwater.pipeline.session import kafka_options
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.stopping import Stop
from headwater.pipeline.topics import make_topics
from headwater.pipeline.transforms import BID_TIME, ORDER_ID, PRICE, SUPPLIER, framed, supplier_windows, well_timed

NAME = "supplier-stats"
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
TOTAL = {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}
SCHEMA = json.dumps(
    {
        "type": "record",
        "name": "SupplierStats",
        "namespace": "headwater.shop",
        "fields": [
            {"name": "window_start", "type": MILLIS},
            {"name": "window_end", "type": MILLIS},
            {"name": "supplier", "type": ["null", "string"], "default": None},
            {"name": "total_price", "type": ["null", TOTAL], "default": None},
            {"name": "count", "type": "long"},
        ],
    }
)
# So many ids that are in no registry are noise: from then on such records are skipped without a question.
MOST_MISSING = 20
log = logging.getLogger("headwater.pipeline")


def statistics(frames: DataFrame, schemas: Schemas, strict: bool = True) -> DataFrame:
    """The totals of the records on the topic; what cannot be read is counted and skipped."""
    wanted = (ORDER_ID, BID_TIME, PRICE, SUPPLIER)
    decoded = well_timed(decode(frames, wanted, schemas, keep=["timestamp"], strict=strict))
    counts = (F.count("*").alias("records"), F.count(PROBLEM).alias("problems"))
    return supplier_windows(decoded.observe("orders", *counts).where(F.col(PROBLEM).isNull()))


def aggregate(spark: SparkSession, settings: PipelineSettings, stop: Stop, once: bool) -> None:
    """Run the stream until it is stopped, or `once` over what is there."""
    topic, result = settings.topics.orders, settings.topics.supplier_stats
    make_topics(spark, settings, topic, result)
    registry = SchemaRegistry(settings.registry)
    schema_id = registry.register(f"{result}-value", SCHEMA)
    schemas = Schemas(spark, registry, f"{topic}-value")
    schemas.refresh()

    def strict() -> bool:
        return len(schemas.unusable) < MOST_MISSING

    def begin() -> StreamingQuery:
        schemas.forget_the_missing()
        frames = streaming.read_topic(spark, settings, topic).select("value", "timestamp")
        results = framed(statistics(frames, schemas, strict()), schema_id, SCHEMA)
        sink = results.writeStream.format("kafka").options(**kafka_options(settings), topic=result).outputMode("append")
        return streaming.start(sink, NAME, settings, once, settings.stream.trigger)

    def met(new: int) -> None:
        schemas.refresh()
        schemas.learn([new])

    streaming.run(
        begin,
        stop,
        settings.stream.stop_seconds,
        met,
        # Once no question is asked any more, new schemas would go unseen for ever.
        due=lambda: not strict() and schemas.forgets_now,
    )


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Build the session and run the stream."""
    with streaming.session(settings, NAME) as (spark, stop):
        aggregate(spark, settings, stop, given.once)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job from the command line."""
    return run_job(stream_parser(NAME, __doc__), job, argv)


if __name__ == "__main__":
    sys.exit(main())
