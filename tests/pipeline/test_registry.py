import json
import uuid
from dataclasses import replace

import pytest

from headwater.pipeline.registry import RegistryError, SchemaRegistry, UnknownSchema
from headwater.pipeline.settings import PipelineSettings, Registry
from tests.pipeline.frames import ORDER, ORDERS, field, record


@pytest.fixture
def registry(pipeline_settings: PipelineSettings) -> SchemaRegistry:
    return SchemaRegistry(pipeline_settings.registry)


@pytest.fixture
def subject() -> str:
    """A subject that nobody has used; its name has what must be escaped."""
    return f"a/b c-{uuid.uuid4()}-value"


def test_what_is_registered_is_found_by_its_id(registry: SchemaRegistry, subject: str) -> None:
    number = registry.register(subject, json.dumps(ORDERS))
    found = registry.schema(number)
    assert (found.id, found.type, json.loads(found.text)["name"]) == (number, "AVRO", "Value")
    assert registry.register(subject, json.dumps(ORDERS)) == number


def test_the_newest_versions_come_oldest_first(registry: SchemaRegistry, subject: str) -> None:
    assert registry.versions(subject, 2) == []
    wider = [record(*ORDER, field(name, "string")) for name in ("a", "b", "c")]
    ids = [registry.register(subject, json.dumps(schema)) for schema in wider]
    assert [schema.id for schema in registry.versions(subject, 2)] == ids[1:]


def test_an_id_that_does_not_exist_is_told_from_a_failure(registry: SchemaRegistry) -> None:
    with pytest.raises(UnknownSchema):
        registry.schema(2_000_000_000)


def test_a_wrong_login_names_the_settings_and_no_secret(pipeline_settings: PipelineSettings) -> None:
    wrong = SchemaRegistry(replace(pipeline_settings.registry, password="wrong-password"))
    with pytest.raises(RegistryError, match=r"refuses the login \(401\); check registry.username") as refused:
        wrong.schema(1)
    assert "wrong-password" not in str(refused.value)


def test_a_registry_that_is_away_is_waited_for_and_then_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.pipeline.registry.FIRST_PAUSE", 0.001)
    with pytest.raises(RegistryError, match=r"no answer from the schema registry at http://127\.0\.0\.1:1"):
        SchemaRegistry(Registry(url="http://127.0.0.1:1")).schema(1)
