"""Avro schemas as Spark reads them."""

import json
from typing import Any

import pytest

from headwater.capture.spark.plan.types import avro_type, element, parts

ADDRESS = {"type": "record", "name": "Address", "namespace": "shop", "fields": [{"name": "city", "type": "string"}]}


def record(*fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": name, "type": type} for name, type in fields]}


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (record(("a", "string"), ("b", ["null", "long"])), ["a", "b"]),
        ([record(("a", "int")), "null"], ["a"]),
        (["string", record(("a", "int"))], ["member0", "member1"]),
        ("string", []),
        (record(), []),
    ],
)
def test_the_fields_of_a_schema_are_those_that_spark_decodes(schema: Any, names: list[str]) -> None:
    assert [name for name, _ in parts(avro_type(json.dumps(schema)))] == names


def test_records_inside_records_arrays_and_maps_keep_their_fields() -> None:
    inside = record(
        ("at", ADDRESS),
        ("list", {"type": "array", "items": "Address"}),
        ("by", {"type": "map", "values": "shop.Address"}),
    )
    types = dict(parts(avro_type(json.dumps(inside))))
    assert parts(types["at"]) == parts(element(types["list"])) == parts(element(types["by"])) == [("city", "string")]


def test_a_schema_that_contains_itself_ends_somewhere() -> None:
    assert parts(avro_type(json.dumps(record(("next", ["null", "R"]), ("value", "int")))))[1] == ("value", "int")


@pytest.mark.parametrize("text", [None, "", "{", 7, '{"type": {}}', '{"type": "record", "fields": 3}'])
def test_what_is_no_schema_has_no_type(text: Any) -> None:
    assert not parts(avro_type(text))
