from pathlib import Path

import pytest

from headwater.capture.spark.settings import application_name, read_settings
from headwater.errors import SettingError

URL = {"OPENLINEAGE_URL": "http://lineage:5000"}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_the_environment_is_enough(env: dict[str, str], tmp_path: Path) -> None:
    found = read_settings({"spark.app.name": "Daily Totals"}, {**env, **URL, "OPENLINEAGE_NAMESPACE": "shop"}, tmp_path)
    assert (found.namespace, found.app_name, found.transport, found.disabled) == ("shop", "daily_totals", None, False)


def test_what_spark_is_told_comes_first(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "openlineage.yml").write_text("namespace: file\ntransport:\n  type: http\n  url: http://file:5000\n")
    conf = {
        "spark.openlineage.namespace": "conf",
        "spark.openlineage.appName": "Other",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": "http://conf:5000",
        "spark.openlineage.transport.auth.type": "api_key",
        "spark.openlineage.transport.auth.apiKey": "key",
        "spark.app.name": "app",
    }
    found = read_settings(conf, {**env, **URL, "OPENLINEAGE_NAMESPACE": "environment"}, tmp_path)
    assert (found.namespace, found.app_name) == ("conf", "other")
    assert found.transport == {
        "type": "http",
        "url": "http://conf:5000",
        "auth": {"type": "api_key", "apiKey": "key"},
    }
    assert "key" not in repr(found)


def test_the_file_comes_before_the_environment(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "openlineage.yml").write_text("namespace: file\ntransport:\n  type: http\n  url: http://file:5000\n")
    found = read_settings({}, {**env, "OPENLINEAGE_NAMESPACE": "environment"}, tmp_path)
    assert (found.namespace, found.transport) == ("file", None)


@pytest.mark.parametrize(
    ("conf", "more"),
    [
        ({}, {**URL, "OPENLINEAGE_DISABLED": "true"}),
        ({"spark.openlineage.transport.type": "noop"}, {}),
        ({"spark.openlineage.transport.url": "http://a"}, {"OPENLINEAGE_DISABLED": "True"}),
    ],
)
def test_lineage_can_be_switched_off(
    conf: dict[str, str], more: dict[str, str], env: dict[str, str], tmp_path: Path
) -> None:
    assert read_settings(conf, {**env, **more}, tmp_path).disabled


@pytest.mark.parametrize(
    ("conf", "more", "says"),
    [
        ({}, {}, "set OPENLINEAGE_URL"),
        ({"spark.openlineage.url": "http://a:1"}, URL, "spark.openlineage.transport.url=http://host:port"),
        ({"spark.openlineage.transport.type": "kafka"}, URL, "set it to http"),
        ({"spark.openlineage.transport.type": "http"}, URL, "url is missing in spark.openlineage.transport"),
        ({"spark.openlineage.transport.url": "lineage:5000"}, {}, "expected an address such as"),
        ({"spark.openlineage.transport.auth": "x", "spark.openlineage.transport.auth.type": "y"}, {}, "only one"),
        ({"spark.headwater.kafkaAliases": "localhost:9092"}, URL, "expected spelling=name"),
        ({}, {**URL, "HEADWATER_KAFKA_ALIASES": "a=b,=c"}, "HEADWATER_KAFKA_ALIASES has '=c'"),
        ({}, {**URL, "OPENLINEAGE_PARENT_ID": "no parent"}, "expected namespace/job/run id"),
    ],
)
def test_a_wrong_setting_says_what_to_do(
    conf: dict[str, str], more: dict[str, str], says: str, env: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=says):
        read_settings(conf, {**env, **more}, tmp_path)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("supplier-stats-batch-s3", "supplier_stats_batch_s3"),
        ("supplier_stats", "supplier_stats"),
        ("OrdersStream", "orders_stream"),
        ("Daily  Totals", "daily_totals"),
        ("SparkETLJob", "spark_etl_job"),
        ("job.py", "job.py"),
    ],
)
def test_an_application_is_called_as_the_agent_calls_it(name: str, called: str) -> None:
    assert application_name(name) == called


def test_spellings_of_a_cluster_are_settled(env: dict[str, str], tmp_path: Path) -> None:
    conf = {"spark.headwater.kafkaAliases": "localhost:9092=kafka-1:19092, 10.0.0.1:9092 = kafka-1:19092"}
    found = read_settings(conf, {**env, **URL, "HEADWATER_KAFKA_ALIASES": "not=used"}, tmp_path)
    assert found.kafka_aliases == {"localhost:9092": "kafka-1:19092", "10.0.0.1:9092": "kafka-1:19092"}


def test_an_orchestrator_names_what_the_application_is_part_of(env: dict[str, str], tmp_path: Path) -> None:
    task = {"run": {"runId": "r1"}, "job": {"namespace": "air/flow", "name": "dag.task"}}
    dag = {"run": {"runId": "r0"}, "job": {"namespace": "airflow", "name": "dag"}}
    by_variable = read_settings({}, {**env, **URL, "OPENLINEAGE_PARENT_ID": "air/flow/dag.task/r1"}, tmp_path).parent
    conf = {
        "spark.openlineage.parentRunId": "r1",
        "spark.openlineage.parentJobNamespace": "air/flow",
        "spark.openlineage.parentJobName": "dag.task",
        "spark.openlineage.rootParentRunId": "r0",
        "spark.openlineage.rootParentJobNamespace": "airflow",
        "spark.openlineage.rootParentJobName": "dag",
    }
    by_conf = read_settings(conf, {**env, **URL}, tmp_path).parent
    assert by_variable is not None
    assert by_conf is not None
    assert {name: by_variable[name] for name in ("run", "job", "root")} == {**task, "root": task}
    assert {name: by_conf[name] for name in ("run", "job", "root")} == {**task, "root": dag}
