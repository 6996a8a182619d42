"""Whatever a registry has under a subject, the answer is a schema or why there is none."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.capture.connect.schemas import SchemaKind, parse_schema
from headwater.capture.connect.schemas.record import BadSchema, RecordSchema

KINDS: tuple[SchemaKind, ...] = ("AVRO", "PROTOBUF", "JSON", "RECORD")
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = (
    "type name fields items values record array map null string long A a.A field properties $ref # #/definitions/A "
    "definitions oneOf allOf object integer schema payload struct int64 connect.name connect.parameters doc bytes "
    "logicalType decimal precision"
)
words = st.sampled_from(WORDS.split())
values = st.recursive(
    words | st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5),
    max_leaves=25,
)
PROTOBUF = (
    "message enum oneof map option import package syntax extend service reserved group repeated optional A B .A a.B "
    'string int32 x y = { } [ ] < > , ; ( ) 1 0x1 "s" // /* */'
)
tokens = st.lists(st.sampled_from([*PROTOBUF.split(), "\n"]), max_size=40).map(" ".join)


def answer(kind: SchemaKind, text: str, references: dict[str, str] | None = None) -> RecordSchema | BadSchema:
    try:
        return parse_schema(kind, text, references or {})
    except BadSchema as bad:
        return bad


@quick
@given(
    st.sampled_from(KINDS),
    st.text(max_size=200),
    st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=2),
)
def test_any_text_is_a_schema_or_a_bad_one(kind: SchemaKind, text: str, references: dict[str, str]) -> None:
    answer(kind, text, references)


@quick
@given(st.sampled_from(KINDS), values, values)
def test_json_that_looks_like_a_schema_is_one_or_a_bad_one(kind: SchemaKind, schema: Any, other: Any) -> None:
    answer(kind, json.dumps(schema), {"A": json.dumps(other)})


@quick
@given(tokens)
def test_words_of_protobuf_in_any_order_are_a_schema_or_a_bad_one(text: str) -> None:
    answer("PROTOBUF", text)
    answer("PROTOBUF", f'syntax = "proto3"; message A {{ {text} }}')


def doubling(levels: int) -> dict[str, Any]:
    """Records whose fields are each of the next record, twice: a few lines that are more fields than atoms."""
    records = [
        {"type": "record", "name": f"R{n}", "fields": [{"name": side, "type": f"R{n + 1}"} for side in ("l", "r")]}
        for n in range(levels)
    ]
    last = {"type": "record", "name": f"R{levels}", "fields": [{"name": "x", "type": "int"}]}
    return {
        "type": "record",
        "name": "Top",
        "fields": [{"name": f"f{n}", "type": r} for n, r in enumerate([*records, last])],
    }


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("AVRO", json.dumps(doubling(40))),
        ("AVRO", "[" * 10_000),
        ("AVRO", '{"type":"array","items":' * 400 + '"int"' + "}" * 400),
        ("JSON", '{"items":' * 400 + "true" + "}" * 400),
        ("JSON", json.dumps({"$ref": "#/a", "a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}})),
        ("PROTOBUF", "message A {" * 500),
        (
            "PROTOBUF",
            "".join(f"message M{n} {{ M{n + 1} l = 1; M{n + 1} r = 2; }}" for n in range(40)) + "message M40 {}",
        ),
        ("RECORD", '{"a":' * 500 + "1" + "}" * 500),
    ],
)
def test_a_schema_that_is_too_deep_or_too_large_does_no_harm(kind: SchemaKind, text: str) -> None:
    answer(kind, text)
