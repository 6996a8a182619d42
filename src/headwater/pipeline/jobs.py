"""The jobs of the pipeline: what each is called, and where it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from headwater.errors import HeadwaterError


@dataclass(frozen=True)
class Job:
    """One job: a file that spark-submit runs."""

    name: str
    file: str
    kind: Literal["stream", "batch"]
    about: str

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(__file__).with_name(self.file)


JOBS: Mapping[str, Job] = {
    job.name: job
    for job in (
        Job("iceberg-ingestion", "iceberg_ingestion.py", "stream", "topic orders → table orders, exactly once"),
        Job("supplier-stats", "supplier_stats_stream.py", "stream", "topic orders → totals each 5 s → topic"),
        Job("orders-s3-sink", "orders_s3_sink.py", "stream", "topic orders → JSON lines in the object store"),
        Job("supplier_stats", "supplier_stats.py", "batch", "a day of table orders → hourly totals"),
        Job("maintain", "maintain.py", "batch", "compaction, expiry and cleaning of the tables"),
    )
}


class UnknownJob(HeadwaterError):
    """A job that the pipeline does not have."""


def find_job(name: str) -> Job:
    """The job of that name."""
    if name not in JOBS:
        raise UnknownJob(f"no job {name!r}; the pipeline has {', '.join(JOBS)}")
    return JOBS[name]
