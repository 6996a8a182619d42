"""Converters: what a connector's keys and values are written as, and which registry has their schemas."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from headwater.capture.connect.options import Config, flag, listed, option, under
from headwater.capture.connect.reference_smt import reference_of
from headwater.capture.connect.schemas.record import RecordSchema, primitive

Side = Literal["key", "value"]
Format = Literal[
    "AVRO", "PROTOBUF", "JSON_SCHEMA", "JSON_WITH_SCHEMA", "JSON", "STRING", "BYTES", "PRIMITIVE", "UNKNOWN"
]
Registry = Literal["", "CONFLUENT", "APICURIO", "GLUE"]


class Converter(Struct, frozen=True):
    """How keys or values are written to Kafka, and where their schemas are."""

    format: Format
    name: str = ""  # the converter's class
    registry: Registry = ""
    url: str = ""
    user: str = ""
    password: str = ""
    token: str = ""
    schema: RecordSchema | None = None  # of a format that needs no registry
    problem: str = ""

    def __repr__(self) -> str:
        """Without user, password and token, which must not come into a log."""
        return f"Converter({self.format}, {self.name}, {self.registry or 'no registry'})"


CLASSES: dict[str, tuple[Format, Registry]] = {
    "com.amazonaws.services.schemaregistry.kafkaconnect.AWSKafkaAvroConverter": ("AVRO", "GLUE"),
    "com.amazonaws.services.schemaregistry.kafkaconnect.jsonschema.AWSKafkaJsonSchemaConverter": (
        "JSON_SCHEMA",
        "GLUE",
    ),
    "com.amazonaws.services.schemaregistry.kafkaconnect.protobuf.ProtobufSchemaConverter": ("PROTOBUF", "GLUE"),
    "io.apicurio.registry.utils.converter.AvroConverter": ("AVRO", "APICURIO"),
    "io.apicurio.registry.utils.converter.ExtJsonConverter": ("JSON_WITH_SCHEMA", "APICURIO"),
    "io.apicurio.registry.utils.converter.SerdeBasedConverter": ("UNKNOWN", "APICURIO"),
    "io.confluent.connect.avro.AvroConverter": ("AVRO", "CONFLUENT"),
    "io.confluent.connect.json.JsonSchemaConverter": ("JSON_SCHEMA", "CONFLUENT"),
    "io.confluent.connect.protobuf.ProtobufConverter": ("PROTOBUF", "CONFLUENT"),
    "io.debezium.converters.BinaryDataConverter": ("BYTES", ""),
    "io.debezium.converters.ByteArrayConverter": ("BYTES", ""),
    "io.debezium.converters.ByteBufferConverter": ("BYTES", ""),
    "org.apache.kafka.connect.converters.BooleanConverter": ("PRIMITIVE", ""),
    "org.apache.kafka.connect.converters.ByteArrayConverter": ("BYTES", ""),
    "org.apache.kafka.connect.converters.DoubleConverter": ("PRIMITIVE", ""),
    "org.apache.kafka.connect.converters.FloatConverter": ("PRIMITIVE", ""),
    "org.apache.kafka.connect.converters.IntegerConverter": ("PRIMITIVE", ""),
    "org.apache.kafka.connect.converters.LongConverter": ("PRIMITIVE", ""),
    "org.apache.kafka.connect.converters.ShortConverter": ("PRIMITIVE", ""),
    "org.apache.kafka.connect.json.JsonConverter": ("JSON_WITH_SCHEMA", ""),
    "org.apache.kafka.connect.storage.StringConverter": ("STRING", ""),
}
PRIMITIVES = {
    "Boolean": "boolean",
    "Double": "double",
    "Float": "float",
    "Integer": "int",
    "Long": "long",
    "Short": "int",
}


def converter(config: Config, worker_config: Config, side: Side) -> Converter:
    """The converter of a connector, which is the worker's where it has none of its own."""
    key = f"{side}.converter"
    # The worker's settings for its own converter are not those of a converter that the connector brings.
    owner = config if option(config, key) else worker_config
    name = option(owner, key)
    settings = under(owner, f"{key}.")
    if not name:
        return Converter("UNKNOWN", problem=f"the settings have no {key}, and the worker's are not known")
    format, registry = CLASSES.get(name, ("UNKNOWN", ""))
    if format == "JSON_WITH_SCHEMA" and not flag(settings, "schemas.enable", True):
        format = "JSON"
    found = Converter(
        format, name, registry, schema=_schema(format, name), problem=_problem(format, registry, name, key)
    )
    return _located(found, settings, under(config, f"transforms.{_alias(config)}.{key}."))


def _alias(config: Config) -> str:
    reference = reference_of(config)
    return reference.alias if reference else ""


def _schema(format: Format, name: str) -> RecordSchema | None:
    if format == "STRING":
        return primitive("string")
    if format == "BYTES":
        return primitive("bytes")
    short = name.rpartition(".")[2].removesuffix("Converter")
    return primitive(PRIMITIVES[short]) if format == "PRIMITIVE" else None


def _problem(format: Format, registry: Registry, name: str, key: str) -> str:
    if registry == "GLUE":
        return "its schemas are in AWS Glue, which is not read"
    if format == "JSON":
        return "it is JSON without a schema"
    if format == "UNKNOWN":
        return f"nothing is known of the {key} {name}"
    return ""


def _located(found: Converter, settings: Config, reference: Config) -> Converter:
    """With the registry's address, from the converter's own settings or those of the lifecycle transform."""
    if not found.registry and not reference:
        return found
    urls = listed(option(settings, "schema.registry.url", "apicurio.registry.url"))
    asked = settings if urls or option(settings, "endpoint") else reference
    if not urls:
        urls = listed(option(asked, "schema.registry.url"))
    user, password = option(asked, "apicurio.auth.username"), option(asked, "apicurio.auth.password")
    info = option(asked, "basic.auth.user.info", "schema.registry.basic.auth.user.info")
    if info and not user:
        user, _, password = info.partition(":")
    return Converter(
        found.format,
        found.name,
        found.registry or ("CONFLUENT" if urls else ""),
        urls[0] if urls else option(settings, "endpoint"),
        user,
        password,
        option(asked, "bearer.auth.token"),
        found.schema,
        found.problem,
    )
