"""What plans say about datasets."""

import json
from typing import Any

import pytest

from headwater.capture.spark.datasets import Asked, Identity, sink_identity, source_identity
from headwater.capture.spark.described import UNNAMED, Datasets, Leaf, Seen, dataset_facts, described, named, type_text
from headwater.capture.spark.plan import types
from headwater.openlineage.naming import DatasetName
from tests.capture.spark.plan.plans import load

SERVERS = {"kafka.bootstrap.servers": "kafka-1:9092"}
TABLE = Identity((DatasetName("s3://warehouse", "orders"),), (DatasetName("hive://metastore:9083", "default.orders"),))
ROW = types.struct([("order_id", "string"), ("price", "decimal(10,2)")])


def seen(name: str, part: dict[str, Any] | None = None, sink: Identity | None = None, **options: str) -> Seen:
    """A recorded plan as if it had just been seen, its only source a topic."""
    fixture = part or load(f"spark-3.5/{name}")
    topic = source_identity(Asked("kafka", {**SERVERS, "subscribe": "orders", **options}, "q"))
    leaves = tuple(Leaf(tuple(each["columns"]), topic, ROW) for each in fixture["sources"])
    return Seen(json.dumps(fixture["plan"]), leaves, sink, ROW)


def names(datasets: Datasets) -> tuple[list[str], list[str]]:
    return [each.name.name for each in datasets.inputs], [each.name.name for each in datasets.outputs]


def test_names_are_known_before_the_plan_is_read() -> None:
    assert names(named(Seen("", seen("started_iceberg_to_table").leaves, TABLE))) == (["orders"], ["orders"])


def test_the_fields_of_a_topic_are_those_that_its_records_are_decoded_to() -> None:
    found = described(seen("started_iceberg_to_table", sink=TABLE))
    assert found.inputs[0].fields == (
        ("order_id", "string"),
        ("item", "string"),
        ("price", "double"),
        ("supplier", "string"),
        ("bid_time", "timestamp"),
    )


def test_records_that_are_not_decoded_have_no_fields() -> None:
    assert described(seen("kafka_copied", sink=TABLE)).inputs[0].fields == ()


def test_a_table_has_its_own_schema_its_symlinks_and_the_columns_that_feed_it() -> None:
    [table] = described(seen("started_iceberg_to_table", sink=TABLE)).outputs
    facets = dataset_facts(table)["facets"]
    assert facets["schema"]["fields"] == [
        {"name": "order_id", "type": "string"},
        {"name": "price", "type": "decimal(10,2)"},
    ]
    assert facets["symlinks"]["identifiers"] == [
        {"namespace": "hive://metastore:9083", "name": "default.orders", "type": "TABLE"}
    ]
    [price] = facets["columnLineage"]["fields"]["price"]["inputFields"]
    assert (price["namespace"], price["name"], price["field"]) == ("kafka://kafka-1:9092", "orders", "price")


def test_a_topic_that_is_written_has_the_fields_of_its_records() -> None:
    sink = sink_identity(Asked("kafka", {**SERVERS, "topic": "prices"}, "q"))
    [topic] = described(seen("started_kafka_sink", sink=sink)).outputs
    assert [name for name, _ in topic.fields] == ["key", "supplier", "price"]


def test_topics_that_rows_name_are_found_in_the_plan() -> None:
    sink = sink_identity(Asked("kafka", SERVERS, "q"))
    plan = seen("kafka_to_several_topics", sink=sink)
    assert names(named(plan)) == (["orders"], [])
    assert all(each.name.namespace == "kafka://kafka-1:9092" for each in described(plan).outputs)
    assert len(described(plan).outputs) > 1


def test_topics_of_a_pattern_are_not_told_before_they_are_met() -> None:
    plan = seen("started_iceberg_to_table", sink=TABLE)
    pattern = source_identity(Asked("kafka", {**SERVERS, "subscribePattern": "o.*"}, "q"))
    leaves = tuple(Leaf(leaf.columns, pattern, ROW) for leaf in plan.leaves)
    assert names(named(Seen(plan.plan, leaves, TABLE))) == ([], ["orders"])
    found = described(Seen(plan.plan, leaves, TABLE, ROW))
    assert names(found) == ([], ["orders"])
    assert not found.outputs[0].edges


def test_a_write_inside_a_batch_is_joined_to_the_topic_of_the_query() -> None:
    fixture = load("spark-3.5/pipeline_iceberg_ingestion")
    around = seen("pipeline_iceberg_ingestion")
    write = described(seen("", fixture["batches"][0], TABLE), around)
    assert names(write) == (["orders"], ["orders"])
    fields = dataset_facts(write.outputs[0])["facets"]["columnLineage"]["fields"]
    assert {each["field"] for each in fields["price"]["inputFields"]} >= {"price"}
    assert ("price", "double") in write.inputs[0].fields


def test_a_table_that_is_merged_into_is_an_input_only_if_its_values_feed_others() -> None:
    fixture = load("spark-3.5/pipeline_latest_by_merge")
    around = seen("pipeline_latest_by_merge")
    inner = fixture["batches"][0]
    own = tuple(Leaf(tuple(each["columns"]), TABLE, ROW) for each in inner["sources"])
    found = described(Seen(json.dumps(inner["plan"]), own, TABLE, ROW), around)
    assert [each.name.namespace for each in found.outputs] == ["s3://warehouse"]
    # changes = t.changes + 1 does feed on the table itself.
    assert {each.name.namespace for each in found.inputs} == {"s3://warehouse", "kafka://kafka-1:9092"}


def test_what_has_no_name_is_marked() -> None:
    console = sink_identity(Asked("console", {}, "my-query"))
    [output] = described(seen("started_memory", sink=console)).outputs
    facts = dataset_facts(output)
    assert (facts["namespace"], facts["name"]) == ("spark:console", "my-query")
    assert facts["facets"][UNNAMED]["reason"] == "rows are printed"


def test_a_plan_that_cannot_be_read_costs_columns_and_nothing_else() -> None:
    found = described(Seen("{", seen("started_memory").leaves, TABLE, ROW))
    assert names(found) == (["orders"], ["orders"])
    assert found.outputs[0].edges == frozenset()


ADDRESS = types.struct([("city", "string")])


@pytest.mark.parametrize(
    ("type", "text"),
    [
        ("string", "string"),
        (ADDRESS, "struct"),
        ({"type": "array", "elementType": ADDRESS}, "array<struct>"),
        ({"type": "map", "keyType": "string", "valueType": "long"}, "map<string,long>"),
        (None, ""),
    ],
)
def test_a_type_is_told_in_sparks_words(type: Any, text: str) -> None:
    assert type_text(type) == text


def test_fields_inside_structs_and_arrays_are_told() -> None:
    plan = Seen("[]", (), TABLE, types.struct([("homes", {"type": "array", "elementType": ADDRESS})]))
    [table] = described(plan).outputs
    assert dataset_facts(table)["facets"]["schema"]["fields"] == [
        {"name": "homes", "type": "array<struct>", "fields": [{"name": "city", "type": "string"}]}
    ]
