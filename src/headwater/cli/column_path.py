"""The path of one column as a tree: the columns that it is made from, and those that are made from it."""

from collections import defaultdict
from collections.abc import Iterable

from rich.text import Text
from rich.tree import Tree

from headwater.cli import output
from headwater.cli.lineage_graph import ColumnEdge, ColumnRef, Direction, Graph, Node, how

Key = tuple[str, str]


def draw_column(graph: Graph, column: str, direction: Direction) -> Tree:
    """The columns above and below one, each with how it flows; every column is opened once."""
    nodes = {node.id: node for node in graph.nodes}
    root = (graph.node, column)
    tree = Tree(label(root, nodes), guide_style="dim", highlight=False)
    shown = {root}
    for title, wanted, steps in (
        ("▲ made from", direction != "down", flows(graph.column_edges or [], up=True)),
        ("▼ goes to", direction != "up", flows(graph.column_edges or [], up=False)),
    ):
        if wanted and steps.get(root):
            add_flows(tree.add(Text(title, "dim italic")), root, steps, nodes, shown)
    if not tree.children:
        tree.add(Text("no flow of this column is known", "dim italic"))
    return tree


def add_flows(
    branch: Tree, root: Key, steps: dict[Key, dict[Key, str]], nodes: dict[str, Node], shown: set[Key]
) -> None:
    """Add what is reached from a column, depth first, without opening one of `shown` again."""
    # A stack of our own, because a long chain is deeper than Python's.
    waiting = [(branch, *step) for step in reversed(steps.get(root, {}).items())]
    while waiting:
        parent, key, way = waiting.pop()
        line = label(key, nodes).append(f"  ({way})", "dim")
        if key in shown:
            parent.add(line.append("  ↑ shown above", "dim italic"))
            continue
        shown.add(key)
        here = parent.add(line)
        waiting.extend((here, *step) for step in reversed(steps.get(key, {}).items()))


def label(key: Key, nodes: dict[str, Node]) -> Text:
    """One line for a column: its dataset, its name, and where the dataset is."""
    dataset, column = key
    node = nodes.get(dataset) or Node(dataset, "", name=dataset)
    name = output.safe(node.name) + (f".{output.safe(column)}" if column else "")
    return Text.assemble(("▤ ", "blue"), (name, "bold"), (f"  {output.safe(node.namespace)}", "dim"))


def flows(edges: Iterable[ColumnEdge], *, up: bool) -> dict[Key, dict[Key, str]]:
    """For each column, those one step from it and how it flows between them; direct ones first."""
    steps: dict[Key, dict[Key, str]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda edge: not edge.direct):
        near, far = (edge.target, edge.source) if up else (edge.source, edge.target)
        steps[key_of(near)].setdefault(key_of(far), how(edge))
    return dict(steps)


def key_of(ref: ColumnRef) -> Key:
    """A column by its dataset and name; without a name, the dataset as a whole."""
    return ref.dataset, ref.column or ""
