"""The lineage of connectors that a case cannot write down: real answers, bad settings, the topics to ask for."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.capture.connect.families import FAMILIES
from headwater.capture.connect.families.family import Locations, Sink, Target
from headwater.capture.connect.lineage import Field, RecordSchema, TopicSchemas, datasets_of, lineage_of, topics_wanted
from headwater.capture.connect.options import Config
from headwater.capture.connect.transforms import RULES
from headwater.capture.connect.transforms.flow import Record
from headwater.openlineage.naming import DatasetName

ANSWERS = Path(__file__).parents[2] / "fixtures" / "connect-rest"
KAFKA = "kafka://kafka-1:19092"
ORDERS = TopicSchemas(
    RecordSchema((Field("", "string"),)),
    RecordSchema((Field("order_id", "string"), Field("price", "double")), version="7"),
)


def answer(name: str) -> dict[str, str]:
    """The settings of a connector, as a real worker has told them."""
    found = json.loads((ANSWERS / "connectors-expand-status-info.json").read_text("utf-8"))
    return {str(key): str(value) for key, value in found[name]["info"]["config"].items()}


def place(dataset: DatasetName) -> str:
    return f"{dataset.namespace} {dataset.name}"


def test_the_lab_goes_from_the_shop_to_the_archive_and_to_the_table() -> None:
    edges = [
        f"{place(edge.input)}.{edge.field} -> {place(edge.output)}.{edge.column}"
        for name in ("orders-source", "orders-s3-sink", "orders-iceberg-sink")
        for edge in lineage_of(answer(name), ["orders"], {"orders": ORDERS}, KAFKA).edges
        if edge.field == "price"
    ]
    assert edges == [
        f"postgres://127.0.0.1:35432 shop.public.orders.price -> {KAFKA} orders.price",
        f"{KAFKA} orders.price -> s3://fh-dev-bucket orders.price",
        f"{KAFKA} orders.price -> s3://warehouse orders_sink.price",
    ]


def test_a_topic_tells_the_version_of_its_schema() -> None:
    found = lineage_of(answer("orders-source"), ["orders"], {"orders": ORDERS}, KAFKA)
    assert [side.version for side in found.outputs if side.dataset.name == "orders"] == ["7"]


def test_a_table_that_a_record_has_not_come_from_yet_is_an_input_all_the_same() -> None:
    found = lineage_of(answer("orders-source"), ["orders"], {"orders": ORDERS}, KAFKA)
    assert [side.dataset.name for side in found.inputs] == ["shop.public.orders", "shop.public.orders_tz"]


WANTED = [
    ({"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "a, b"}, ("a", "b"), ""),
    ({"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics.regex": "a.*"}, (), "a.*"),
    (
        {"connector.class": "io.confluent.kafka.connect.datagen.DatagenConnector", "kafka.topic": "users"},
        ("users",),
        "",
    ),
    ({"connector.class": "com.example.OddSource", "topic": "odd"}, ("odd",), ""),
    ({"connector.class": "com.example.Odd", "topics": "odd"}, ("odd",), ""),
    ({}, (), ""),
]


@pytest.mark.parametrize(("config", "topics", "pattern"), WANTED)
def test_a_connectors_own_settings_name_topics(config: dict[str, str], topics: tuple[str, ...], pattern: str) -> None:
    found = topics_wanted(config)
    assert (found.topics, found.pattern) == (topics, pattern)


def test_a_source_names_its_topics_as_they_are_after_the_transforms() -> None:
    assert topics_wanted(answer("orders-source")).topics == ("orders", "orders_tz")


@pytest.mark.parametrize(("kind", "inputs"), [("sink", 1), ("source", 1)])
def test_the_worker_knows_what_kind_a_class_is_that_nobody_else_knows(kind: str, inputs: int) -> None:
    config = {"connector.class": "com.example.Odd", "name": "odd"}
    found = lineage_of(config, ["t"], {}, KAFKA, kind="sink" if kind == "sink" else "source")
    assert (found.kind, len(found.inputs), len(found.outputs)) == (kind, inputs, 1)


def test_a_rule_that_breaks_costs_no_more_than_its_lineage(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
        raise RuntimeError("broken")

    # No rule is known to break, so one is made that does.
    monkeypatch.setitem(FAMILIES, "com.example.BrokenSink", Sink("broken", broken))
    found = lineage_of({"connector.class": "com.example.BrokenSink"}, ["orders"], {}, KAFKA, kind="sink")
    assert [side.dataset.name for side in found.inputs] == ["orders"]
    assert found.notes == ("the connector's settings were not understood: RuntimeError: broken",)


texts = st.text(max_size=12) | st.sampled_from(
    [
        "$1",
        "(.*)",
        "${topic}",
        "a:b,c",
        "a",
        "true",
        "://",
        "jdbc:oracle:thin:@",
        "insert into a select b from c",
        "[",
        "a.b.c",
    ]
)
KEYS = (
    "topics topics.regex topic topic.prefix transforms predicates connection.url table.include.list iceberg.tables "
    "iceberg.tables.route-field iceberg.tables.dynamic-enabled transforms.a.field transforms.a.fields "
    "transforms.a.spec transforms.a.regex transforms.a.replacement transforms.a.predicate transforms.b.topic.regex "
    "transforms.b.topic.replacement predicates.a.type predicates.a.pattern camel.sink.url connect.s3.kcql redis.uri "
    "query pk.mode pk.fields file "
    "connection.uri snowflake.topic2table.map topic2TableMap collection database topic.namespace.map url "
    "iceberg.catalog.type iceberg.catalog.warehouse mongodb.connection.string"
)
keys = st.sampled_from(KEYS.split())
configs = st.builds(
    lambda settings, kind, first, second: {
        **settings,
        "connector.class": kind,
        "transforms": "a,b",
        "transforms.a.type": first,
        "transforms.b.type": second,
    },
    st.dictionaries(keys, texts, max_size=12),
    st.sampled_from(sorted(FAMILIES)) | texts,
    st.sampled_from(sorted(RULES)).flatmap(lambda name: st.sampled_from([name, f"{name}$Key", f"{name}$Value"])),
    st.sampled_from(sorted(RULES)) | texts,
)
CHANGE = RecordSchema(
    (
        Field("before", "struct", "", ORDERS.value.fields if ORDERS.value else ()),
        Field("after", "struct"),
        Field("op", "string"),
    )
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    configs, st.lists(texts, max_size=3), st.sampled_from([ORDERS, TopicSchemas(), TopicSchemas(ORDERS.value, CHANGE)])
)
def test_no_settings_break_the_rules(config: dict[str, str], topics: list[str], known: TopicSchemas) -> None:
    found = lineage_of(config, topics, dict.fromkeys(topics, known), KAFKA)
    assert not [note for note in found.notes if "not understood" in note]
    topics_wanted(config)
    datasets_of(found)
