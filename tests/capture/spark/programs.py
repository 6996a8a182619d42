"""Spark programs of their own process, and what a backend has heard of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from headwater.stack.java import find_java
from tests.capture.backends import Told
from tests.capture.processes import ROOT

Event = dict[str, Any]


def ran(
    command: list[str], folder: Path, backend: Told, code: int = 0, more: Mapping[str, str] | None = None
) -> list[Event]:
    """The events of a program that must end with this code, and that sends them to the backend."""
    env = {
        **os.environ,
        "OPENLINEAGE_URL": backend.url,
        "OPENLINEAGE_NAMESPACE": "shop",
        "HEADWATER_OUTBOX": str(folder / "outbox"),
        "JAVA_HOME": str(find_java(os.environ).parent.parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        **(more or {}),
    }
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == code, done.stderr
    return [msgspec.json.decode(body) for request in backend.accepted for body in request.events]


def of_job(events: list[Event], name: str) -> list[Event]:
    """The events of one job."""
    return [event for event in events if event["job"]["name"] == name]
