from typing import Any

import msgspec
import pytest
from rich.console import Console

from headwater.cli.column_path import draw_column
from headwater.cli.lineage_graph import Direction, Graph
from tests.cli.conftest import Server, run

SHOP, TOPIC, ORDERS, STATS = (
    "dataset:postgres://db:shop.public.orders",
    "dataset:kafka://k:orders",
    "dataset:s3://w:orders",
    "dataset:s3://w:stats",
)


def flow(source: tuple[str, str | None], target: tuple[str, str | None], *how: str) -> dict[str, Any]:
    steps = [{"type": kind, "subtype": subtype} for kind, _, subtype in (one.partition(" ") for one in how)]
    ends = [{"dataset": dataset, "column": column} for dataset, column in (source, target)]
    return {"from": ends[0], "to": ends[1], "direct": how[0].startswith("DIRECT"), "transformations": steps}


ANSWER = {
    "node": STATS,
    "nodes": [
        {"id": id, "kind": "dataset", "namespace": namespace, "name": name}
        for id, namespace, name in (
            (STATS, "s3://w", "stats"),
            (ORDERS, "s3://w", "orders"),
            (TOPIC, "kafka://k", "orders"),
            (SHOP, "postgres://db", "shop.public.orders"),
        )
    ],
    "edges": [],
    "columnEdges": [
        flow((ORDERS, "supplier"), (STATS, "total_price"), "INDIRECT GROUP_BY"),
        flow((ORDERS, "price"), (STATS, "total_price"), "DIRECT AGGREGATION"),
        flow((TOPIC, "price"), (ORDERS, "price"), "DIRECT TRANSFORMATION"),
        flow((SHOP, "price"), (TOPIC, "price"), "DIRECT IDENTITY"),
    ],
}
UP = """\
▤ stats.total_price  s3://w
└── ▲ made from
    ├── ▤ orders.price  s3://w  (DIRECT AGGREGATION)
    │   └── ▤ orders.price  kafka://k  (DIRECT TRANSFORMATION)
    │       └── ▤ shop.public.orders.price  postgres://db  (DIRECT IDENTITY)
    └── ▤ orders.supplier  s3://w  (INDIRECT GROUP_BY)
"""


def drawn(answer: dict[str, Any], column: str, direction: Direction) -> str:
    console = Console(width=120, no_color=True)
    graph = msgspec.convert(answer, Graph)
    with console.capture() as capture:
        console.print(draw_column(graph, column, direction))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def test_a_column_is_followed_to_where_it_begins() -> None:
    assert drawn(ANSWER, "total_price", "up") == UP


def test_and_to_where_it_goes() -> None:
    said = drawn({**ANSWER, "node": SHOP}, "price", "down")
    assert said.splitlines()[-1].strip(" │└─") == "▤ stats.total_price  s3://w  (DIRECT AGGREGATION)"


@pytest.mark.parametrize("column", ["none", ""])
def test_a_column_that_nothing_is_known_of_says_so(column: str) -> None:
    assert "no flow of this column is known" in drawn({**ANSWER, "columnEdges": []}, column, "both")


def test_a_circle_is_walked_once() -> None:
    circle = [
        flow((ORDERS, "a"), (ORDERS, "b"), "DIRECT IDENTITY"),
        flow((ORDERS, "b"), (ORDERS, "a"), "DIRECT IDENTITY"),
    ]
    assert "shown above" in drawn({**ANSWER, "node": ORDERS, "columnEdges": circle}, "a", "up")


def test_one_command_draws_the_path(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    target = "/api/v2/graph?node=dataset%3As3%3A%2F%2Fw%3Astats&direction=up&depth=5&columns=true&column=total_price"
    server.says(target, ANSWER)
    result = run("lineage", STATS, "--column", "total_price", "--up", "--url", server.url)
    assert result.exit_code == 0, result.output
    assert "shop.public.orders.price" in result.output
