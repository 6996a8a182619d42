"""Reading the text of a plan: as it should be, damaged, and very large."""

import pytest

from headwater.capture.spark.plan import Source, column_edges, read_plan
from headwater.openlineage.naming import DatasetName
from tests.capture.spark.plan.making import alias, attribute, expression, leaf, node, plan

SOURCE = Source((DatasetName("here", "orders"),), frozenset({0}))


def test_nodes_stand_before_their_children_in_order() -> None:
    root = read_plan(plan(node("Join", {"left": 0, "right": 1}, 2), node("Filter", {}, 1), leaf(a=1), leaf(b=2))).root
    assert [child.kind for child in root.children] == ["Filter", "LogicalRelation"]
    assert root.tree("right") is root.children[1]
    assert [column.name for column in root.children[1].trees("output")] == ["b"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the plan cannot be read"),
        ("[{", "the plan cannot be read"),
        ("null", "the plan is not a list of nodes"),
        ("[]", "the plan is not a list of nodes"),
        ('[{"no": "class"}]', "the plan is not a list of nodes"),
        ("[" * 100_000, "the plan cannot be read"),
        (plan(node("Filter", {}, 1)), "the plan is damaged: children are missing"),
        (plan(node("Filter", {}, 0), leaf(a=1)), "the plan is damaged: it has nodes that belong nowhere"),
    ],
)
def test_what_is_wrong_with_a_text_is_said_and_nothing_raised(text: str, problem: str) -> None:
    read = read_plan(text)
    assert read.problem.startswith(problem)
    assert column_edges(read, [SOURCE]).problems[0].startswith(problem)


def test_every_edge_of_a_damaged_plan_is_doubtful() -> None:
    found = column_edges(read_plan(plan(node("Filter", {}, 2), leaf(a=0))), [SOURCE])
    assert [edge.doubt for edge in found.edges] == ["the plan is damaged: children are missing"]


def test_a_thousand_projections_of_five_hundred_columns_need_no_stack() -> None:
    upper = expression("Upper", 1, child=0)
    steps = [
        node("Project", {"projectList": [alias("c", level, upper, attribute("c", level - 1))], "child": 0}, 1)
        for level in range(1000, 0, -1)
    ]
    wide = [alias(f"c{n}", 2000 + n, attribute("c", 1000)) for n in range(500)]
    text = plan(node("Project", {"projectList": wide, "child": 0}, 1), *steps, leaf(c=0))
    found = column_edges(read_plan(text), [SOURCE])
    assert [(edge.field, edge.subtype) for edge in found.edges] == [("c", "TRANSFORMATION")] * 500


def test_an_expression_ten_thousand_deep_needs_no_stack() -> None:
    deep = [expression("Upper", 1, child=0)] * 10_000
    select = node("Project", {"projectList": [alias("c", 1, *deep, attribute("c", 0))], "child": 0}, 1)
    assert len(column_edges(read_plan(plan(select, leaf(c=0))), [SOURCE]).edges) == 1


def test_structs_a_thousand_deep_are_told_apart_only_so_far() -> None:
    name = expression("Literal", value="f", dataType="string")
    steps = [
        node(
            "Project",
            {"projectList": [alias("s", n, expression("CreateNamedStruct", 2), name, attribute("s", n - 1))]},
            1,
        )
        for n in range(1000, 0, -1)
    ]
    found = column_edges(read_plan(plan(*steps, leaf(s=0))), [SOURCE])
    assert {edge.target for edge in found.edges} >= {"s", "s.f", "s.f.f"}
    assert len(found.edges) < 20
