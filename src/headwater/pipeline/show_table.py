"""show-table: prints rows of one of the pipeline's Iceberg tables, and how many there are."""

import argparse
import sys
from collections.abc import Sequence

from headwater.errors import HeadwaterError
from headwater.pipeline.command import job_parser, run_job
from headwater.pipeline.session import build_session
from headwater.pipeline.settings import PipelineSettings

NAME = "show-table"
COUNT = 20


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Build the session, show the table."""
    spark = build_session(settings, NAME)
    try:
        table = settings.catalog.table(given.table)
        if not spark.catalog.tableExists(table):
            raise HeadwaterError(f"no table {table}; there is one once the job or connector that writes it has run")
        rows = spark.table(table)
        newest = "bid_time" if "bid_time" in rows.columns else rows.columns[0]
        rows.orderBy(newest, ascending=False).show(given.count, truncate=False)
        print(f"{rows.count():,} rows in {table}")
    finally:
        spark.stop()


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from the command line."""
    parser = job_parser(NAME, __doc__)
    parser.add_argument("table", help="such as orders, bids or supplier_stats")
    parser.add_argument("--count", type=int, default=COUNT, help="how many rows (%(default)s)")
    return run_job(parser, job, argv)


if __name__ == "__main__":
    sys.exit(main())
