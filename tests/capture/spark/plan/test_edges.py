"""Column lineage of plans that real Sparks have made, without Spark."""

from pathlib import Path

import pytest

from headwater.capture.spark.plan import Sink, Source, column_edges, read_plan
from headwater.capture.spark.plan.edges import MOST_GUESSES
from headwater.openlineage.naming import DatasetName
from tests.capture.spark.plan.making import attribute, leaf, node, plan
from tests.capture.spark.plan.plans import FILES, lineage, lines, load, name_of

ORDERS = DatasetName("kafka://kafka-1:19092", "orders")


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_real_plan_gives_exactly_the_edges_that_were_written_down(file: Path) -> None:
    fixture = load(name_of(file))
    assert lines(fixture) == fixture["expected"]


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_fixture_says_what_it_shows_and_stays_small_enough_to_read(file: Path) -> None:
    assert load(name_of(file))["description"].endswith(".")
    assert file.stat().st_size < 60 * 1024


def test_the_topics_that_a_column_names_are_told() -> None:
    [(_, found)] = lineage(load("spark-3.5/kafka_to_several_topics"))
    assert found.routes == ("large", "small")


def test_columns_without_any_input_are_still_told() -> None:
    [(_, found)] = lineage(load("spark-3.5/projections_aliases_and_casts"))
    assert found.columns == ("id", "article", "gross", "one", "tag")


def test_a_leaf_may_be_named_by_its_number() -> None:
    text = plan(node("Union", {"children": [0, 1]}, 2), leaf(a=1), leaf(a=2))
    found = column_edges(read_plan(text), [Source((ORDERS,), leaf=1)])
    assert [(edge.field, edge.target) for edge in found.edges] == [("a", "a")]
    assert found.problems == ("nothing says what LogicalRelation reads",)


def test_too_many_guesses_are_told_of_the_dataset_as_a_whole() -> None:
    wide = 110
    columns = {f"c{n}": n for n in range(wide)}
    code = {"output": [[attribute(f"d{n}", 1000 + n)] for n in range(wide)], "child": 0}
    text = plan(node("MapInPandas", code, 1), leaf(**columns))
    found = column_edges(read_plan(text), [Source((ORDERS,), frozenset(columns.values()))])
    assert wide * wide > MOST_GUESSES
    assert len(found.edges) == wide
    assert {(edge.target, edge.doubt) for edge in found.edges} == {("", "may feed: mapInPandas")}


def test_a_node_of_an_unknown_kind_may_do_anything_and_is_marked() -> None:
    text = plan(
        node("Teleport", {"output": [[attribute("a", 1)], [attribute("new", 9)]], "child": 0}, 1), leaf(a=1, b=2)
    )
    found = column_edges(read_plan(text), [Source((ORDERS,), frozenset({1, 2}))])
    doubt = "may feed: Teleport is not known"
    assert {(edge.field, edge.target, edge.subtype, edge.doubt) for edge in found.edges} == {
        ("a", "a", "IDENTITY", ""),
        ("a", "new", "TRANSFORMATION", doubt),
        ("b", "new", "TRANSFORMATION", doubt),
        ("a", "", "TRANSFORMATION", doubt),
        ("b", "", "TRANSFORMATION", doubt),
    }


def test_a_function_from_elsewhere_is_marked_too() -> None:
    call = {"class": "com.example.Secret", "num-children": 1, "child": 0}
    alias = {"class": "org.apache.spark.sql.catalyst.expressions.Alias", "num-children": 1, "name": "x"}
    select = node("Project", {"projectList": [[{**alias, "exprId": {"id": 5}}, call, attribute("a", 1)]]}, 1)
    [edge] = column_edges(read_plan(plan(select, leaf(a=1))), [Source((ORDERS,), frozenset({1}))], Sink()).edges
    assert (edge.kind, edge.subtype, edge.doubt) == (
        "DIRECT",
        "TRANSFORMATION",
        "may feed: Secret is no function of Spark's",
    )


def test_a_column_that_no_node_makes_may_be_anything_below() -> None:
    select = node("Project", {"projectList": [[attribute("lost", 77)]]}, 1)
    found = column_edges(read_plan(plan(select, leaf(a=1))), [Source((ORDERS,), frozenset({1}))])
    assert [(edge.field, edge.target, edge.doubt) for edge in found.edges] == [
        ("a", "lost", "may feed: no node of the plan makes lost")
    ]
