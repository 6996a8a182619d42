"""supplier_stats: one day of the table `orders` into totals a supplier for each hour, in the table `supplier_stats`."""

import argparse
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from headwater.errors import HeadwaterError
from headwater.pipeline import tables
from headwater.pipeline.command import job_parser, run_job
from headwater.pipeline.lineage import attach_lineage
from headwater.pipeline.session import build_session
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.transforms import of_day, supplier_hours

NAME = "supplier_stats"
log = logging.getLogger("headwater.pipeline")


class NoOrders(HeadwaterError):
    """There is no table to read."""


def summarise(spark: SparkSession, settings: PipelineSettings, day: date) -> int:
    """Replace the day's rows of the target with what the orders say now; how many orders that were.

    A day without orders ends up without rows; other days stay as they are.
    """
    orders = settings.catalog.table("orders")
    if not spark.catalog.tableExists(orders):
        raise NoOrders(f"no table {orders}; run iceberg-ingestion first")
    target = tables.make_supplier_stats(spark, settings.catalog)
    hours = supplier_hours(of_day(spark.table(orders), day))
    # By the day and not by the partitions that come: those of an empty day would stay.
    hours.writeTo(target).overwrite(F.col("bid_date") == F.lit(day))
    counted = spark.table(target).where(F.col("bid_date") == F.lit(day)).agg(F.sum("total_count")).first()
    return int(counted[0] or 0) if counted else 0


def day_of(text: str) -> date:
    """A day as it is written on the command line."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; expected one such as 2026-01-31") from None


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Build the session, make the totals of each day, say how many orders are in them."""
    days = given.date or [datetime.now(UTC).date()]
    spark = build_session(settings, NAME)
    try:
        attach_lineage(spark, settings, NAME)
        for day in days:
            count = summarise(spark, settings, day)
            log.info("%s: %s has %s", NAME, day, f"{count:,} orders" if count else "no orders")
    finally:
        spark.stop()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job from the command line."""
    parser = job_parser(NAME, __doc__)
    about = "a day to summarise (UTC), as often as needed; default: today"
    parser.add_argument("--date", type=day_of, action="append", metavar="YYYY-MM-DD", help=about)
    return run_job(parser, job, argv)


if __name__ == "__main__":
    sys.exit(main())
