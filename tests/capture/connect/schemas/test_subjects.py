"""Subjects by the strategy of a converter."""

import re

import pytest

from headwater.capture.connect.schemas.subjects import subject_pattern, subjects

CONFLUENT = "io.confluent.kafka.serializers.subject."
APICURIO = "io.apicurio.registry.serde.strategy."
STRATEGIES = [
    ("", ("orders-value",)),
    (CONFLUENT + "TopicNameStrategy", ("orders-value",)),
    (CONFLUENT + "RecordNameStrategy", ("orders.Envelope", "orders.Value", "orders")),
    (CONFLUENT + "TopicRecordNameStrategy", ("orders-orders.Envelope", "orders-orders.Value", "orders-orders")),
    ("com.example.Odd", ("orders-value",)),
]
ARTIFACTS = [
    (APICURIO + "TopicIdStrategy", ("orders-value",)),
    (APICURIO + "SimpleTopicIdStrategy", ("orders", "orders-value")),
    (APICURIO + "RecordIdStrategy", ("orders.Envelope", "orders.Value", "orders", "Envelope", "Value", "orders")),
    (APICURIO + "TopicRecordIdStrategy", ("orders-orders.Envelope", "orders-orders.Value", "orders-orders")),
]


@pytest.mark.parametrize(("strategy", "expected"), STRATEGIES)
def test_a_subject_is_named_by_confluents_strategy(strategy: str, expected: tuple[str, ...]) -> None:
    assert subjects({"value.converter.value.subject.name.strategy": strategy}, "orders", "value") == expected


@pytest.mark.parametrize(("strategy", "expected"), ARTIFACTS)
def test_an_artifact_is_named_by_apicurios_strategy(strategy: str, expected: tuple[str, ...]) -> None:
    config = {"value.converter.apicurio.registry.artifact-resolver-strategy": strategy}
    assert subjects(config, "orders", "value") == expected


def test_a_strategy_for_values_says_nothing_of_keys() -> None:
    config = {"value.converter.value.subject.name.strategy": CONFLUENT + "RecordNameStrategy"}
    assert subjects(config, "orders", "key") == ("orders-key",)


def test_an_artifact_that_the_settings_name_is_that() -> None:
    config = {"key.converter.apicurio.registry.artifact.artifact-id": "order-keys"}
    assert subjects(config, "orders", "key") == ("order-keys",)


def test_a_transform_that_names_the_schema_names_the_subject() -> None:
    config = {
        "value.converter.value.subject.name.strategy": CONFLUENT + "RecordNameStrategy",
        "transforms": "name",
        "transforms.name.type": "org.apache.kafka.connect.transforms.SetSchemaMetadata$Value",
        "transforms.name.schema.name": "com.example.Order",
    }
    assert subjects(config, "orders", "value")[0] == "com.example.Order"


def test_a_name_that_only_the_registry_knows_has_a_pattern() -> None:
    config = {"value.converter.value.subject.name.strategy": CONFLUENT + "TopicRecordNameStrategy"}
    pattern = subject_pattern(config, "a.b", "value")
    assert re.fullmatch(pattern, "a.b-com.example.Order")
    assert not re.fullmatch(pattern, "aXb-com.example.Order")
    assert subject_pattern({}, "a.b", "value") == ""
