import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.services.connect import MANIFESTS, PLUGINS, plugins, pyspark_jar, secrets, write_manifests
from tests.stack.real import kill, start
from tests.stack.small import wait_for

CLASSES = {
    "io.debezium.connector.postgresql.PostgresConnector",
    "io.debezium.transforms.ExtractNewRecordState",
    "org.apache.camel.kafkaconnector.CamelSinkConnector",
    "org.apache.camel.kafkaconnector.transforms.SchemaAndStructToJsonTransform",
    "org.apache.iceberg.connect.IcebergSinkConnector",
    "io.apicurio.registry.utils.converter.AvroConverter",
    "org.apache.kafka.connect.transforms.RegexRouter",
}
CONFIG = {
    "connector.class": "org.apache.camel.kafkaconnector.CamelSinkConnector",
    "topics": "kept",
    "camel.sink.url": "log:kept",
    "camel.component.aws2-s3.secret-key": "${env:S3_SECRET_KEY}",
}
# A connector that is kept and does not run.
STOPPED = {"name": "kept", "initial_state": "STOPPED", "config": CONFIG}


@pytest.fixture
def worker(real_lab: Lab) -> Iterator[httpx.Client]:
    start(real_lab, "connect")
    with httpx.Client(base_url=real_lab.address("connect"), timeout=30, trust_env=False) as client:
        yield client


def test_every_plug_in_is_found(worker: httpx.Client) -> None:
    found = worker.get("/connector-plugins", params={"connectorsOnly": "false"}).json()
    assert CLASSES - {plugin["class"] for plugin in found} == set()


def test_a_connector_is_there_after_the_worker_was_killed_and_shows_no_secret(
    real_lab: Lab, worker: httpx.Client
) -> None:
    assert worker.post("/connectors", json=STOPPED).status_code == 201
    kill(real_lab, "connect")
    start(real_lab, "connect")
    kept = worker.get("/connectors/kept").json()
    assert kept["config"]["camel.component.aws2-s3.secret-key"] == "${env:S3_SECRET_KEY}"
    status: dict[str, Any] = {}

    def told() -> bool:
        # A worker that has just started knows a connector a moment before its state.
        status.update(worker.get("/connectors/kept/status").json())
        return "connector" in status

    wait_for(told, 30)
    assert status["connector"]["state"] == "STOPPED"
    assert worker.delete("/connectors/kept").status_code == 204


def test_a_configuration_can_name_the_labs_secrets_and_no_other_variable(worker: httpx.Client, real_lab: Lab) -> None:
    def value_of(given: str) -> str | None:
        config = {**CONFIG, "name": "asked", "camel.sink.url": given}
        check = worker.put("/connector-plugins/CamelSinkConnector/config/validate", json=config).json()
        values = {entry["value"]["name"]: entry["value"]["value"] for entry in check["configs"]}
        found: str | None = values["camel.sink.url"]
        return found

    assert value_of("log:${env:REGISTRY_USER}") == f"log:{real_lab.credentials.registry_user}"
    assert value_of("log:${env:PATH}") == "log:${env:PATH}"
    assert set(secrets(real_lab)) == {
        "REGISTRY_USER",
        "REGISTRY_PASSWORD",
        "SHOP_PASSWORD",
        "S3_ACCESS_KEY",
        "S3_SECRET_KEY",
    }


def test_each_plug_in_has_a_folder_with_its_jars_and_those_of_pyspark(worker: httpx.Client, real_lab: Lab) -> None:
    folders = {folder.name: {jar.name for jar in folder.iterdir()} for folder in plugins(real_lab).iterdir()}
    assert folders.keys() == set(PLUGINS)
    assert pyspark_jar("hive-metastore").name in folders["iceberg-sink"]
    assert {name for name, jars in folders.items() if "manifests.jar" in jars} == MANIFESTS.keys()


def test_manifests_are_where_javas_service_loader_looks(tmp_path: Path) -> None:
    write_manifests(tmp_path / "manifests.jar", {"a.Interface": "b.Implementation"})
    with zipfile.ZipFile(tmp_path / "manifests.jar") as jar:
        assert jar.read("META-INF/services/a.Interface") == b"b.Implementation\n"


def test_a_jar_that_pyspark_lacks_is_an_error_that_says_so() -> None:
    with pytest.raises(HeadwaterError, match="pyspark has no guavo"):
        pyspark_jar("guavo")
