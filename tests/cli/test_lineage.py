import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from headwater.cli.lineage import draw
from headwater.cli.lineage_graph import Direction, Graph
from tests.cli.conftest import Server, run

Answer = dict[str, Any]


def answer(*edges: str, root: str = "b", **nodes: dict[str, Any]) -> Answer:
    """The answer of the server for edges such as "a > load"; an id of one letter is a dataset."""
    pairs = [edge.split(" > ") for edge in edges]
    ids = dict.fromkeys([root, *(id for pair in pairs for id in pair)])
    kinds = {id: "dataset" if len(id) == 1 else "job" for id in ids}
    return {
        "node": root,
        "nodes": [{"id": id, "kind": kinds[id], "namespace": "ns", "name": id} | nodes.get(id, {}) for id in ids],
        "edges": [{"from": source, "to": target, "kind": "read"} for source, target in pairs],
        "columnEdges": [],
        "truncated": False,
        "cursor": None,
    }


def column_edge(source: str, target: str, direct: bool, *transformations: dict[str, Any]) -> dict[str, Any]:
    """An edge between columns written as "dataset.column", or "dataset." for the whole of it."""
    ends = [end.split(".") for end in (source, target)]
    origin, destination = ({"dataset": dataset, "column": column or None} for dataset, column in ends)
    return {
        "from": origin,
        "to": destination,
        "direct": direct,
        "job": "load",
        "transformations": list(transformations),
    }


def drawn(answer: Answer, direction: Direction = "both") -> list[str]:
    """The lines of the tree."""
    console = Console(width=120, color_system=None, file=io.StringIO(), record=True)
    console.print(draw(msgspec.convert(answer, Graph), direction))
    return [line.rstrip() for line in console.export_text().splitlines()]


def labels(lines: list[str]) -> list[str]:
    """The lines without the branches of the tree."""
    return [line.lstrip("│├└─ ") for line in lines]


CHAIN = answer("a > load", "load > b", "b > send", "send > c")


def test_what_a_node_is_made_from_comes_before_where_it_goes() -> None:
    assert drawn(CHAIN) == [
        "▤ b  ns",
        "├── ▲ made from",
        "│   └── ○ load  ns",
        "│       └── ▤ a  ns",
        "└── ▼ goes to",
        "    └── ○ send  ns",
        "        └── ▤ c  ns",
    ]


@pytest.mark.parametrize(("direction", "side"), [("up", "▲ made from"), ("down", "▼ goes to")])
def test_one_side_is_drawn_when_asked(direction: Direction, side: str) -> None:
    lines = labels(drawn(CHAIN, direction))
    assert side in lines
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("node", "line"),
    [
        ({"state": None}, "○ load  ns"),
        ({"state": "COMPLETED", "jobType": "BATCH"}, "✓ load  ns  batch"),
        (
            {"state": "RUNNING", "jobType": {"integration": "SPARK", "jobType": "JOB"}},
            "● load  ns  spark job  running",
        ),
        ({"state": "FAILED"}, "✕ load  ns  failed"),
        ({"state": "ABORTED"}, "■ load  ns  aborted"),
        ({"state": "LOST"}, "? load  ns  lost"),
        ({"name": "[red]x[/red]\x1b[2J"}, "○ [red]x[/red]\\x1b[2J  ns"),
    ],
)
def test_a_job_shows_its_state_and_type_and_its_name_as_it_is(node: dict[str, Any], line: str) -> None:
    assert labels(drawn(answer("load > b", load=node)))[-1] == line


def test_a_node_met_twice_is_opened_once() -> None:
    assert labels(drawn(answer("a > load", "a > copy", "z > a", "load > b", "copy > b"), "up")) == [
        "▤ b  ns",
        "▲ made from",
        "○ load  ns",
        "▤ a  ns",
        "▤ z  ns",
        "○ copy  ns",
        "▤ a  ns  ↑ shown above",
    ]


def test_a_cycle_ends_where_it_began() -> None:
    assert labels(drawn(answer("b > load", "load > b"), "down"))[-1] == "▤ b  ns  ↑ shown above"


def test_a_chain_longer_than_the_stack_of_python_is_drawn() -> None:
    edges = [f"n{i} > n{i + 1}" for i in range(1500)]
    tree = draw(msgspec.convert(answer(*edges, root="n0"), Graph))
    depth = 0
    while tree.children:
        tree, depth = tree.children[0], depth + 1
    assert depth == 1501


def test_a_node_alone_says_so() -> None:
    assert labels(drawn(answer())) == ["▤ b  ns", "no lineage is known"]


def test_columns_say_what_they_are_made_from_direct_sources_first() -> None:
    total = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum", "masking": True}
    found = answer("a > load", "load > b", b={"columns": [{"name": "total", "type": "DECIMAL"}, {"name": "n[i]"}]})
    found["columnEdges"] = [
        column_edge("a.day", "b.total", False, {"type": "INDIRECT", "subtype": "GROUP_BY"}),
        column_edge("a.price", "b.total", True, total, total),
        column_edge("a.id", "b.n[i]", True),
        column_edge("a.id", "b.", False, {"type": "INDIRECT", "subtype": "FILTER"}),
    ]
    assert labels(drawn(found))[:6] == [
        "▤ b  ns",
        "← a.id (INDIRECT FILTER)",
        "total  DECIMAL",
        "← a.price (DIRECT AGGREGATION, masked)",
        "← a.day (INDIRECT GROUP_BY)",
        "n[i]",
    ]


@pytest.mark.parametrize(
    ("flags", "asked"),
    [
        ([], "direction=both&depth=5&columns=true"),
        (["--up"], "direction=up&depth=5&columns=true"),
        (["--down", "--depth", "2", "--no-columns"], "direction=down&depth=2&columns=false"),
        (["--up", "--down"], "direction=both&depth=5&columns=true"),
        (
            ["--both", "--at", "2026-01-31T08:00:00Z"],
            "direction=both&depth=5&columns=true&at=2026-01-31T08%3A00%3A00Z",
        ),
    ],
)
def test_flags_become_one_question_to_the_server(server: Server, flags: list[str], asked: str) -> None:
    target = f"/api/v2/graph?node=dataset%3Ans%3Ab&{asked}"
    server.says(target, CHAIN)
    result = run("lineage", "dataset:ns:b", *flags)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("▤ b  ns")


def test_a_cut_graph_says_so(server: Server) -> None:
    server.says("/api/v2/graph?node=b&direction=both&depth=5&columns=true", CHAIN | {"truncated": True})
    assert run("lineage", "b").stdout.splitlines()[-1].startswith("the graph goes on: these are 5 of its nodes")


def test_json_is_the_answer_of_the_server_to_the_byte(server: Server) -> None:
    body = server.says("/api/v2/graph?node=b&direction=both&depth=5&columns=true", CHAIN)
    assert run("lineage", "b", "--json").stdout_bytes == body + b"\n"
