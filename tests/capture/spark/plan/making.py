"""Small plans made by hand, for what no real Spark would write."""

import json
from typing import Any

CATALYST = "org.apache.spark.sql.catalyst"


def plan(*nodes: dict[str, Any]) -> str:
    """A plan as text, its nodes before their children."""
    return json.dumps(nodes)


def node(kind: str, fields: dict[str, Any], children: int) -> dict[str, Any]:
    """A node."""
    return {"class": f"{CATALYST}.plans.logical.{kind}", "num-children": children, **fields}


def leaf(**columns: int) -> dict[str, Any]:
    """A relation with these columns, by name and id."""
    return node("LogicalRelation", {"output": [[attribute(name, id)] for name, id in columns.items()]}, 0)


def attribute(name: str, id: int) -> dict[str, Any]:
    """A column."""
    return expression("AttributeReference", name=name, dataType="string", exprId={"id": id})


def alias(name: str, id: int, *inside: dict[str, Any]) -> list[dict[str, Any]]:
    """An expression under a name."""
    return [expression("Alias", 1, child=0, name=name, exprId={"id": id}), *inside]


def expression(kind: str, children: int = 0, **fields: Any) -> dict[str, Any]:
    """A node of an expression."""
    return {"class": f"{CATALYST}.expressions.{kind}", "num-children": children, **fields}
