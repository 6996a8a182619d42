"""The command line that all jobs share: --settings, and one clean line for an error a person can fix."""

import argparse
import logging
import sys
from collections.abc import Callable, Sequence

from pyspark.errors import PySparkException

from headwater.errors import HeadwaterError, SettingError
from headwater.pipeline.failures import JavaError, last_cause
from headwater.pipeline.settings import PipelineSettings, load_pipeline_settings

Job = Callable[[PipelineSettings, argparse.Namespace], None]


def job_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """A parser with what every job takes."""
    parser = argparse.ArgumentParser(prog=name, description=about)
    parser.add_argument("--settings", metavar="FILE", help="the pipeline's settings file; default: HEADWATER_PIPELINE")
    return parser


def stream_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """A parser with what every stream takes."""
    parser = job_parser(name, about)
    parser.add_argument("--once", action="store_true", help="work off what is there, then end")
    return parser


def run_job(parser: argparse.ArgumentParser, job: Job, argv: Sequence[str] | None) -> int:
    """Run a job; 0 if it ended well, 1 if not, 2 if the settings are wrong."""
    given = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    # py4j tells of every broken connection, also of those that end when a job does.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    try:
        job(load_pipeline_settings(given.settings), given)
    except HeadwaterError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2 if isinstance(error, SettingError) else 1
    except (PySparkException, JavaError) as error:
        logging.getLogger("headwater.pipeline").debug("the whole error", exc_info=True)
        print(f"{parser.prog}: Spark failed: {last_cause(error)}; the log above says more", file=sys.stderr)
        return 1
    return 0
