"""maintain: upkeep of the Iceberg tables that streams commit to: small files, old snapshots, orphans."""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta

from headwater.errors import HeadwaterError
from headwater.pipeline.command import job_parser, run_job
from headwater.pipeline.session import build_session
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.upkeep import YOUNGEST_ORPHAN, Figures, Policy, Upkeep, look_after

NAME = "maintain"
TABLES = ("orders", "bids", "supplier_stats")
UNITS = {"m": "minutes", "h": "hours", "d": "days"}


class NoSuchTable(HeadwaterError):
    """A table that is not there."""


def job(settings: PipelineSettings, given: argparse.Namespace) -> None:
    """Look after the tables named, or all of the pipeline's that exist, and print figures before and after."""
    policy = Policy(snapshots_for=given.keep, least_snapshots=given.keep_last, orphans_for=given.orphans)
    spark = build_session(settings, NAME)
    try:
        done = []
        for name in given.table or TABLES:
            if spark.catalog.tableExists(settings.catalog.table(name)):
                done.append(look_after(spark, settings.catalog, name, policy, datetime.now(UTC)))
            elif given.table:
                raise NoSuchTable(f"no table {settings.catalog.table(name)}; the pipeline has {', '.join(TABLES)}")
    finally:
        spark.stop()
    if given.json:
        print(json.dumps([asdict(one) for one in done]))
    else:
        print("\n".join(table_lines(done)))


def table_lines(done: Iterable[Upkeep]) -> Iterator[str]:
    """What was done, as a table of figures before and after."""
    for one in done:
        yield (
            f"{one.table}: {one.rewritten_files:,} files rewritten, "
            f"{one.expired_snapshots:,} snapshots expired, {one.orphans:,} orphans removed"
        )
        yield f"  {'':<22}{'before':>16}{'after':>16}"
        for item in fields(Figures):
            values = (getattr(one.before, item.name), getattr(one.after, item.name))
            yield f"  {item.metadata['help']:<22}" + "".join(f"{value:>16,}" for value in values)


def span(text: str) -> timedelta:
    """A length of time as it is written on the command line."""
    if not (match := re.fullmatch(r"(\d+)([mhd])", text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a length of time; expected one such as 30m, 12h or 3d")
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def orphan_span(text: str) -> timedelta:
    """A length of time after which a file that no snapshot names is surely not about to be committed."""
    if (given := span(text)) < YOUNGEST_ORPHAN:
        raise argparse.ArgumentTypeError(f"{text!r} is too short; a younger file may be part of a commit: expected 24h")
    return given


def at_least_one(text: str) -> int:
    """How many snapshots are kept in any case."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job from the command line."""
    parser = job_parser(NAME, __doc__)
    parser.add_argument("--table", action="append", metavar="NAME", help=f"one table; default: {', '.join(TABLES)}")
    parser.add_argument("--keep", type=span, default="24h", metavar="TIME", help="keep snapshots so long (%(default)s)")
    parser.add_argument(
        "--keep-last", type=at_least_one, default=20, metavar="N", help="keep so many however old (%(default)s)"
    )
    parser.add_argument(
        "--orphans", type=orphan_span, default="3d", metavar="TIME", help="remove orphans older than this (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return run_job(parser, job, argv)


if __name__ == "__main__":
    sys.exit(main())
