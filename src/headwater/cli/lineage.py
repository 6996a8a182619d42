"""`headwater lineage`: the tree of jobs, datasets and columns above and below a node."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import typer
from rich.text import Text
from rich.tree import Tree

from headwater.cli import client, output
from headwater.cli.column_path import draw_column
from headwater.cli.lineage_graph import ColumnEdge, Direction, Edge, Graph, Node, how

MAX_DEPTH = 100


def lineage(
    node: Annotated[
        str,
        typer.Argument(
            metavar="NODE",
            help="A node id, as `headwater search` prints it, such as dataset:shop:public.orders.",
        ),
    ],
    up: Annotated[bool, typer.Option("--up", help="Draw what the node is made from.")] = False,
    down: Annotated[bool, typer.Option("--down", help="Draw what is made from the node.")] = False,
    both: Annotated[bool, typer.Option("--both", help="Draw both; the default.")] = False,
    depth: Annotated[int, typer.Option("--depth", min=0, max=MAX_DEPTH, help="Steps to go from the node.")] = 5,
    columns: Annotated[bool, typer.Option(help="Draw the columns of each dataset and their sources.")] = True,
    column: Annotated[
        str | None, typer.Option("--column", help="Draw the path of this one column, through every dataset.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", help="Draw it as it was at this time: 2026-01-31 or 2026-01-31T08:00:00Z."),
    ] = None,
    json: client.Json = False,
    url: client.Url = None,
) -> None:
    """Draw where data comes from and where it goes.

    Jobs carry the state of their latest run: ● running, ✓ complete, ✕ failed, ■ aborted, ? lost, ○ never run.
    Datasets are ▤, and a column names the columns it is made from.
    """
    direction: Direction = "both" if both or up == down else "up" if up else "down"
    answer = client.get(
        url,
        "/api/v2/graph",
        {
            "node": node,
            "direction": direction,
            "depth": depth,
            "columns": "true" if columns else "false",
            "column": column,
            "at": at,
        },
    )
    if json:
        output.print_json(answer)
        return
    graph = client.decode(answer, Graph)
    console = output.stdout()
    console.print(draw(graph, direction) if column is None else draw_column(graph, column, direction))
    if graph.truncated:
        console.print(
            Text(
                f"the graph goes on: these are {len(graph.nodes)} of its nodes; try --up, --down or --depth",
                "dim",
            )
        )


def draw(graph: Graph, direction: Direction = "both") -> Tree:
    """The graph as a tree from its root: what it is made from, then what is made from it.

    Every node is opened once; where it is met again, it says that it was shown above.
    """
    nodes = {node.id: node for node in graph.nodes}
    root = nodes.get(graph.node) or Node(graph.node, "", name=graph.node)
    sources = column_sources(graph.column_edges or [], nodes)
    tree = Tree(label(root), guide_style="dim", highlight=False)
    add_columns(tree, root, sources)
    shown = {root.id}
    for title, wanted, steps in (
        ("▲ made from", direction != "down", neighbours(graph.edges, "up")),
        ("▼ goes to", direction != "up", neighbours(graph.edges, "down")),
    ):
        if wanted and steps.get(root.id):
            add_side(tree.add(Text(title, "dim italic")), root.id, steps, nodes, sources, shown)
    if not tree.children:
        tree.add(Text("no lineage is known", "dim italic"))
    return tree


def add_side(
    branch: Tree,
    root: str,
    steps: dict[str, list[str]],
    nodes: dict[str, Node],
    sources: dict[tuple[str, str | None], list[Text]],
    shown: set[str],
) -> None:
    """Add to branch what is reached from root, depth first, without opening a node of `shown` again."""
    # A stack of our own, because a long chain of jobs is deeper than Python's.
    waiting = [(branch, step) for step in reversed(steps.get(root, []))]
    while waiting:
        parent, id = waiting.pop()
        node = nodes.get(id) or Node(id, "", name=id)
        if id in shown:
            parent.add(label(node).append("  ↑ shown above", "dim italic"))
            continue
        shown.add(id)
        here = parent.add(label(node))
        add_columns(here, node, sources)
        waiting.extend((here, step) for step in reversed(steps.get(id, [])))


def add_columns(branch: Tree, node: Node, sources: dict[tuple[str, str | None], list[Text]]) -> None:
    """Add the columns of a dataset to its branch, each with the columns it is made from."""
    for line in sources.get((node.id, None), []):
        branch.add(line)
    for column in node.columns or []:
        text = Text(output.safe(column.name), "cyan")
        if column.type:
            text.append(f"  {output.safe(column.type)}", "dim")
        below = branch.add(text)
        for line in sources.get((node.id, column.name), []):
            below.add(line)


def label(node: Node) -> Text:
    """One line for a node: its mark, name and namespace, and for a job its type and a state worth a word."""
    name, namespace = output.safe(node.name), output.safe(node.namespace)
    if node.kind != "job":
        return Text.assemble(
            ("▤ " if node.kind == "dataset" else "· ", "blue"), (name, "bold"), (f"  {namespace}", "dim")
        )
    text = Text.assemble(output.mark(node.state), " ", (name, "bold"), (f"  {namespace}", "dim"))
    if kind := job_type(node.job_type):
        text.append(f"  {kind}", "dim")
    state = output.state_name(node.state)
    if state not in ("COMPLETED", "NEW"):
        text.append(f"  {output.safe(state.lower())}", output.MARKS.get(state, ("", "magenta"))[1])
    return text


def job_type(given: str | dict[str, Any] | None) -> str:
    """A job's type in a few words, whether it came as text or as the fields of a jobType facet."""
    if isinstance(given, dict):
        parts = (given.get(name) for name in ("integration", "jobType", "processingType"))
        given = " ".join(str(part) for part in parts if part)
    return output.safe(given or "").lower()


def neighbours(edges: Iterable[Edge], direction: Literal["up", "down"]) -> dict[str, list[str]]:
    """For each node, the nodes one step up or down from it, once each, in the order of the edges."""
    steps: dict[str, dict[str, None]] = defaultdict(dict)
    for edge in edges:
        near, far = (edge.target, edge.source) if direction == "up" else (edge.source, edge.target)
        steps[near][far] = None
    return {near: list(far) for near, far in steps.items()}


def column_sources(edges: Iterable[ColumnEdge], nodes: dict[str, Node]) -> dict[tuple[str, str | None], list[Text]]:
    """For each column, or whole dataset, the lines that say what it is made from; direct ones first."""
    lines: dict[tuple[str, str | None], dict[str, None]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda edge: not edge.direct):
        dataset = nodes.get(edge.source.dataset)
        source = dataset.name if dataset else edge.source.dataset
        column = f".{edge.source.column}" if edge.source.column else ""
        line = f"← {output.safe(source + column)} ({how(edge)})"
        lines[edge.target.dataset, edge.target.column or None][line] = None
    return {target: [Text(line, "dim") for line in found] for target, found in lines.items()}
