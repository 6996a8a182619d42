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
    monkeypatch.setattr(lineage, "attach", lambda spark, name: names.append(name))
    session: Any = object()  # what attaching does to a real one is tested with the jobs
    lineage.attach_lineage(session, replace(SETTINGS, lineage=Lineage(url=url)), "supplier_stats")
    assert names == attached
