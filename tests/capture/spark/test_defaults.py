from pathlib import Path

import pytest

from headwater.capture.emitter import Emitter
from headwater.capture.spark.application import Application, engine_facets
from headwater.capture.spark.defaults import Defaults
from headwater.capture.spark.settings import SparkSettings


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path / "outbox"))
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "of the environment")
    monkeypatch.delenv("OPENLINEAGE_PARENT_ID", raising=False)


def test_without_spark_the_environment_says_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = Defaults()
    assert defaults.namespace() == "of the environment"
    assert defaults.parent() is None
    assert defaults.emitter() is defaults.emitter()
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", "airflow/dag.task/01a1e0cf-2ee4-78bc-ba63-e268a1815b56")
    parent = defaults.parent()
    assert parent is not None
    assert parent["job"] == {"namespace": "airflow", "name": "dag.task"}
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", "nonsense")
    assert defaults.parent() is None


def test_runs_are_part_of_an_application_until_it_ends(tmp_path: Path) -> None:
    defaults, emitter = Defaults(), Emitter(None, tmp_path / "own")
    facets = engine_facets("3.5.7", {"spark.master": "local[2]"}, "local-1", "me")
    application = Application(emitter, SparkSettings("shop", "daily_totals"), facets)
    defaults.follow(application, emitter)
    assert (defaults.emitter(), defaults.namespace()) == (emitter, "shop")
    parent = defaults.parent()
    assert parent is not None
    assert parent["run"]["runId"] == application.run.run_id
    application.end()
    assert defaults.parent() is None
    assert defaults.namespace() == "of the environment"
    assert emitter.stats().written == 2
    emitter.close(0)
