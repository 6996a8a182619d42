"""What the agent knows of a cluster's runs, in a file: an agent that starts again goes on with the same runs."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
from msgspec import Struct

from headwater.capture.connect.cluster import Cluster
from headwater.capture.connect.life_cycle import Run
from headwater.errors import HeadwaterError
from headwater.settings import hide_password


class Remembered(Struct, frozen=True):
    """A cluster's runs by connector, and the Kafka cluster that they belong to."""

    kafka_cluster_id: str = ""
    runs: dict[str, Run] = {}


class AlreadyWatched(HeadwaterError):
    """Another agent watches this cluster, and two would report each run twice."""


class Memory(AbstractContextManager["Memory"]):
    """The file of one cluster, held by one agent at a time."""

    def __init__(self, directory: Path, cluster: Cluster) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.file = directory / f"{_file_name(cluster)}.json"
        self._lock = os.open(self.file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise AlreadyWatched(
                f"another agent watches {hide_password(cluster.url)} and keeps {self.file}; stop that one first"
            ) from error

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def load(self) -> Remembered:
        """What was known when the last agent ended; nothing if there was none, or its file cannot be read."""
        try:
            return msgspec.json.decode(self.file.read_bytes(), type=Remembered)
        except (OSError, msgspec.MsgspecError):
            return Remembered()

    def save(self, known: Remembered) -> None:
        """Replace what is known; a crash leaves the old or the new, whole."""
        unfinished = self.file.with_suffix(".new")
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(known))
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self.file)


def _file_name(cluster: Cluster) -> str:
    """A name that people recognise and no other cluster has."""
    bare = re.sub(r"//[^/@]*@", "//", cluster.url)
    digest = hashlib.sha256(f"{cluster.suffix}\0{bare}".encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9._-]', '_', cluster.name)}-{digest}"
