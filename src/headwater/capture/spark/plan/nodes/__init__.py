"""The rules for nodes, by class; what is not listed may do anything with what flows into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headwater.capture.spark.plan.flow import Flow
from headwater.capture.spark.plan.nodes import (
    delta,
    groups,
    joins,
    leaves,
    merges,
    opaque,
    projections,
    rows,
    sets,
    writes,
)
from headwater.capture.spark.plan.tree import Tree

if TYPE_CHECKING:
    from headwater.capture.spark.plan.reading import Reading

Rule = Callable[[Tree, list[Flow], "Reading"], Flow]

RULES: dict[str, Rule] = {
    **leaves.RULES,
    **projections.RULES,
    **rows.RULES,
    **groups.RULES,
    **joins.RULES,
    **sets.RULES,
    **opaque.RULES,
    **writes.RULES,
    **merges.RULES,
    **delta.RULES,
}
