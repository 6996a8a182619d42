"""Which run a new run follows: the last one of each job, noted on this machine in the outbox."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from headwater.openlineage.events import PRODUCER

FOLLOWS = "headwater_follows"
FACET_URL = f"{PRODUCER}/blob/main/docs/streams.md#restarts"


class LastRun(Struct, frozen=True):
    """The last run of a job: the query it was of, which a checkpoint keeps, and how it ended, if it said so."""

    run: str
    query: str
    ended: str = ""


def runs_directory(outbox: Path) -> Path:
    """Where the last runs are noted: in the outbox, where only names that begin with a digit are boxes."""
    return outbox / "runs"


def read_last(directory: Path, namespace: str, job: str) -> LastRun | None:
    """The last run of a job here, if there was one."""
    try:
        return msgspec.json.decode(_file(directory, namespace, job).read_bytes(), type=LastRun)
    except (OSError, msgspec.MsgspecError):
        return None


def note_last(directory: Path, namespace: str, job: str, last: LastRun) -> None:
    """Remember a run; what cannot be written is not remembered."""
    file = _file(directory, namespace, job)
    unfinished = file.with_suffix(f".{os.getpid()}")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.write_bytes(msgspec.json.encode(last))
        unfinished.replace(file)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()


def follows_facet(last: LastRun | None, run: str, query: str) -> dict[str, Any]:
    """The facet of a run that is not the first of its job; none for one that is."""
    if last is None or last.run == run:
        return {}
    how = {"COMPLETE": "had completed", "FAIL": "had failed", "ABORT": "was stopped"}.get(
        last.ended, "ended without a word"
    )
    where = "from its checkpoint" if last.query == query else "with another checkpoint"
    facet = {
        "_producer": PRODUCER,
        "_schemaURL": FACET_URL,
        "runId": last.run,
        "reason": f"started {where}: that run {how}",
    }
    return {FOLLOWS: facet}


def _file(directory: Path, namespace: str, job: str) -> Path:
    return directory / f"{hashlib.sha256(f'{namespace}/{job}'.encode()).hexdigest()[:32]}.json"
