"""The one line that users write."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pyspark.sql import SparkSession

import headwater.spark
from headwater.capture.spark.attach import Capture
from tests.capture.backends import Told, told, wait_for
from tests.capture.spark.place import Place


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    """A backend that the environment names."""
    with told() as backend:
        monkeypatch.setenv("OPENLINEAGE_URL", backend.url)
        monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "fh-local")
        monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path / "outbox"))
        yield backend


def jobs(backend: Told) -> set[tuple[str, str, str]]:
    """The namespaces and names of jobs that a backend has heard of, and what of them."""
    bodies = [body for request in list(backend.accepted) for body in request.events]
    events: list[dict[str, Any]] = [msgspec.json.decode(body) for body in bodies]
    return {(each["job"]["namespace"], each["job"]["name"], each["eventType"]) for each in events}


def test_attaching_reports_the_application_and_its_streams(place: Place, backend: Told) -> None:
    capture = headwater.spark.attach(place.spark, name="my-app")
    assert capture is not None
    try:
        place.start(place.files().writeStream.format("noop"), availableNow=True).awaitTermination()
        wait_for(lambda: ("fh-local", place.name, "COMPLETE") in jobs(backend))
    finally:
        capture.close()
    assert {("fh-local", "my-app", "START"), ("fh-local", "my-app", "COMPLETE")} <= jobs(backend)


def test_attaching_twice_is_attaching_once(spark: SparkSession, backend: Told) -> None:
    first = headwater.spark.attach(spark)
    assert first is not None
    assert headwater.spark.attach(spark) is first
    first.close()
    again = headwater.spark.attach(spark)
    assert again is not None
    assert again is not first
    again.close()


def test_sessions_of_one_application_share_its_run(place: Place, backend: Told) -> None:
    first = headwater.spark.attach(place.spark)
    second = headwater.spark.attach(place.spark.newSession())
    assert isinstance(first, Capture)
    assert isinstance(second, Capture)
    assert second.application is first.application
    second.close()
    assert not any(kind == "COMPLETE" for _, name, kind in jobs(backend) if name == first.application.run.name)
    first.close()
    assert any(kind == "COMPLETE" for _, name, kind in jobs(backend) if name == first.application.run.name)


def test_a_wrong_setting_is_one_line_in_the_log_and_nothing_else(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", "localhost:5000")
    with caplog.at_level(logging.INFO, "headwater"):
        assert headwater.spark.attach(spark) is None
    [record] = caplog.records
    assert record.getMessage().startswith("no lineage is captured: url is")
    assert "http://127.0.0.1:5000" in record.getMessage()


def test_lineage_that_is_switched_off_says_nothing(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    with caplog.at_level(logging.INFO, "headwater"):
        assert headwater.spark.attach(spark) is None
    assert not caplog.records


def test_what_is_no_session_raises_nothing(backend: Told, caplog: pytest.LogCaptureFixture) -> None:
    assert headwater.spark.attach(object()) is None  # type: ignore[arg-type]
    assert "no lineage is captured" in caplog.text
