"""Converters by a connector's settings and the worker's."""

from collections.abc import Mapping

import pytest

from headwater.capture.connect.schemas.converters import CLASSES, Converter, converter

CONFLUENT = "io.confluent.connect.avro.AvroConverter"
APICURIO = "io.apicurio.registry.utils.converter.AvroConverter"
STRING = "org.apache.kafka.connect.storage.StringConverter"
JSON = "org.apache.kafka.connect.json.JsonConverter"

LOCATED = [
    (
        {"value.converter": CONFLUENT, "value.converter.schema.registry.url": "http://one:8081,http://two:8081"},
        ("AVRO", "CONFLUENT", "http://one:8081", "", ""),
    ),
    (
        {
            "value.converter": "io.confluent.connect.protobuf.ProtobufConverter",
            "value.converter.schema.registry.url": "http://one",
            "value.converter.basic.auth.credentials.source": "USER_INFO",
            "value.converter.basic.auth.user.info": "admin:a:b",
        },
        ("PROTOBUF", "CONFLUENT", "http://one", "admin", "a:b"),
    ),
    (
        {
            "value.converter": APICURIO,
            "value.converter.apicurio.registry.url": "http://one/apis/registry/v2",
            "value.converter.apicurio.auth.username": "u",
            "value.converter.apicurio.auth.password": "${env:PASSWORD}",
        },
        ("AVRO", "APICURIO", "http://one/apis/registry/v2", "u", "${env:PASSWORD}"),
    ),
    ({"value.converter": JSON}, ("JSON_WITH_SCHEMA", "", "", "", "")),
    ({"value.converter": JSON, "value.converter.schemas.enable": "false"}, ("JSON", "", "", "", "")),
    ({"value.converter": STRING}, ("STRING", "", "", "", "")),
    ({"value.converter": "com.example.Odd"}, ("UNKNOWN", "", "", "", "")),
]


def told(found: Converter) -> tuple[str, str, str, str, str]:
    return found.format, found.registry, found.url, found.user, found.password


@pytest.mark.parametrize(("config", "expected"), LOCATED)
def test_a_converter_tells_its_format_and_its_registry(config: Mapping[str, str], expected: tuple[str, ...]) -> None:
    assert told(converter(config, {}, "value")) == expected


def test_a_connector_without_a_converter_has_the_workers() -> None:
    worker = {"key.converter": CONFLUENT, "key.converter.schema.registry.url": "http://worker"}
    assert told(converter({"name": "x"}, worker, "key"))[:3] == ("AVRO", "CONFLUENT", "http://worker")


def test_a_connectors_own_converter_has_nothing_of_the_workers_settings() -> None:
    worker = {"value.converter": CONFLUENT, "value.converter.schema.registry.url": "http://worker"}
    assert converter({"value.converter": CONFLUENT}, worker, "value").url == ""


def test_a_converter_that_nobody_names_says_so() -> None:
    found = converter({}, {}, "value")
    assert (found.format, found.problem) == (
        "UNKNOWN",
        "the settings have no value.converter, and the worker's are not known",
    )


@pytest.mark.parametrize(
    ("name", "type"),
    [
        (STRING, "string"),
        ("org.apache.kafka.connect.converters.ByteArrayConverter", "bytes"),
        ("org.apache.kafka.connect.converters.LongConverter", "long"),
        ("org.apache.kafka.connect.converters.ShortConverter", "int"),
        ("org.apache.kafka.connect.converters.BooleanConverter", "boolean"),
    ],
)
def test_a_format_without_a_schema_is_one_field(name: str, type: str) -> None:
    found = converter({"key.converter": name}, {}, "key").schema
    assert found is not None
    assert [(field.name, field.type) for field in found.fields] == [("", type)]


def test_every_converter_that_has_no_registry_to_ask_has_a_schema_or_says_why_not() -> None:
    for name, (format, registry) in CLASSES.items():
        found = converter({"value.converter": name}, {}, "value")
        if registry in ("", "GLUE") and format != "JSON_WITH_SCHEMA":
            assert found.schema or found.problem, name


def test_the_lifecycle_transform_can_name_the_registry() -> None:
    config = {
        "value.converter": "com.example.Odd",
        "transforms": "openlineage",
        "transforms.openlineage.type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
        "transforms.openlineage.value.converter.schema.registry.url": "http://reg:8081",
        "transforms.openlineage.value.converter.basic.auth.user.info": "admin:admin",
    }
    assert told(converter(config, {}, "value"))[1:] == ("CONFLUENT", "http://reg:8081", "admin", "admin")


def test_a_converter_does_not_show_its_login() -> None:
    found = Converter("AVRO", "x", "CONFLUENT", "http://u:p4ssword@reg", "user1", "p4ssword", "t0ken")
    assert repr(found) == "Converter(AVRO, x, CONFLUENT)"
