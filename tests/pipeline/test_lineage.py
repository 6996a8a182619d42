import sys
from dataclasses import replace
from typing import Any

import pytest

from headwater.pipeline import lineage
from headwater.pipeline.settings import Catalog, Kafka, Lineage, PipelineSettings, Registry, Spark

SETTINGS = PipelineSettings(
    kafka=Kafka(bootstrap="broker:9092"),
    registry=Registry(url="http://registry"),
    catalog=Catalog(warehouse="s3://warehouse"),
    spark=Spark(checkpoints="hdfs:///c"),
)


@pytest.mark.parametrize(("url", "attached"), [("", []), ("http://lineage:5000", ["supplier_stats"])])
def test_a_session_is_attached_when_the_settings_name_a_server(
    url: str, attached: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    monkeypatch.setattr("headwater.spark.attach", lambda spark, name: names.append(name))
    session: Any = object()  # what attaching does to a real one is tested with the jobs
    lineage.attach_lineage(session, replace(SETTINGS, lineage=Lineage(url=url)), "supplier_stats")
    assert names == attached


def test_a_job_goes_on_where_the_capture_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "headwater.spark", None)
    session: Any = object()
    lineage.attach_lineage(session, replace(SETTINGS, lineage=Lineage(url="http://lineage:5000")), "supplier_stats")
    assert "pip install 'headwater[spark]'" in caplog.text
