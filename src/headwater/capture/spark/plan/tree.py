"""A Spark plan as text, read into a tree: what `plan.toJSON()` gives, nodes and expressions alike."""

from __future__ import annotations

from typing import Any, TypeGuard

import msgspec
from msgspec import Struct


class Tree(Struct, frozen=True, eq=False):
    """A node of a plan or of an expression: its class without the package, its arguments as JSON, its children."""

    kind: str
    fields: dict[str, Any]
    children: list[Tree]

    def trees(self, name: str) -> list[Tree]:
        """The trees in an argument: children by their numbers, or trees that are written out in place."""
        found = []
        waiting = [self.fields.get(name)]
        while waiting:
            value = waiting.pop()
            if type(value) is int and 0 <= value < len(self.children):
                found.append(self.children[value])
            elif _is_tree(value):
                found.append(read_tree(value)[0])
            elif isinstance(value, list):
                waiting.extend(reversed(value))
        return found

    def tree(self, name: str) -> Tree | None:
        """The tree in an argument, if there is one."""
        return next(iter(self.trees(name)), None)

    def lists(self, name: str) -> list[list[Tree]]:
        """The lists of trees in an argument that is a list of lists."""
        rows = self.fields.get(name)
        return [Tree("", {"row": row}, self.children).trees("row") for row in rows] if isinstance(rows, list) else []

    @property
    def id(self) -> int:
        """The id of the column that this defines or refers to; -1 if it has none."""
        id = self.fields.get("exprId")
        number = id.get("id") if isinstance(id, dict) else None
        return number if isinstance(number, int) else -1

    @property
    def name(self) -> str:
        """What the column is called."""
        return str(self.fields.get("name", ""))


class Plan(Struct, frozen=True, eq=False):
    """A plan; where the text was damaged, the problem says so and what is there is still a tree."""

    root: Tree
    problem: str = ""


NOTHING = Tree("", {}, [])


def read_plan(text: str | bytes) -> Plan:
    """Read the text of a plan. It never fails: what is wrong with the text is in the plan's problem."""
    try:
        items = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        return Plan(NOTHING, f"the plan cannot be read: {error}")
    if not _is_tree(items):
        return Plan(NOTHING, f"the plan is not a list of nodes: {str(items)[:80]}")
    return Plan(*read_tree(items))


def read_tree(items: list[Any]) -> tuple[Tree, str]:
    """The tree in a list of nodes that stand before their children, and what is wrong with the list."""
    problem = ""
    waiting: list[Tree] = []
    for item in reversed(items):
        fields = item if isinstance(item, dict) else {}
        count = fields.get("num-children")
        if type(count) is not int or not 0 <= count <= len(waiting):
            problem = "the plan is damaged: children are missing"
            count = len(waiting) if type(count) is int and count > 0 else 0
        children = waiting[len(waiting) - count :][::-1]
        del waiting[len(waiting) - count :]
        waiting.append(Tree(_kind(fields.get("class")), fields, children))
    if len(waiting) > 1:
        problem = "the plan is damaged: it has nodes that belong nowhere"
    return waiting[-1], problem


def _is_tree(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "class" in value[0]


def _kind(name: Any) -> str:
    return str(name).rpartition(".")[2].rstrip("$")
