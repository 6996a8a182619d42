"""A place for a test's queries, and capture that hears of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.capture.spark.heard import Heard
    from tests.capture.spark.place import Place


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Iterator[Place]:
    """Where this test's queries read and write; they are stopped at its end."""
    from tests.capture.spark.place import Place

    name = f"q_{uuid.uuid4().hex[:8]}"
    yield Place(spark, tmp_path, name)
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def heard(spark: SparkSession, tmp_path: Path) -> Iterator[Heard]:
    """What a backend hears of this test's queries."""
    from tests.capture.spark.heard import captured

    with captured(spark, tmp_path) as heard:
        yield heard
