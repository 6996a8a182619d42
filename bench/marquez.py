"""What Marquez does, measured once on 2 cores with PostgreSQL 15, 8 connections: the peer in every table.

It was the head of its repository in March 2025. To measure a server of your own beside Headwater, in the same run
and with the same events, give its address: python -m bench --peer URL.
"""

from typing import NamedTuple


class Ingest(NamedTuple):
    """Events a second, and processor time each, in milliseconds: of the server and of its PostgreSQL."""

    rate: float
    server_ms: float
    database_ms: float

    @property
    def cpu_ms(self) -> float:
        return self.server_ms + self.database_ms


INGEST = {
    "small": Ingest(72, 18.3, 8.0),
    "medium": Ingest(10.3, 97, 77),
    "compatibility": Ingest(59, 21, 10.8),
}

START_SECONDS = 5.0  # the best of several; the worst was 12
MEMORY_MB = 1441 + 398
DISK_BYTES_AN_EVENT = 145e6 / 9900

# Layered graph of 1,000 jobs; the namespace had 3,565 jobs in all. Seconds.
JOBS_OF_NAMESPACE = 3565
LINEAGE_2 = 0.197  # 139 nodes
LINEAGE_20 = 7.9  # 2,042 nodes
COLUMNS_2 = 1.2
COLUMNS_20 = 2.0  # 4,420 nodes
COLUMN_FIELD_20 = 0.148
COLUMNS_DOWNSTREAM = 283.0  # not finished by then
JOB_LIST = 7.2
DATASET_LIST = 0.435
SEARCH = 0.026  # the best of several; the worst was 0.050
JOB_GET = 0.080
