"""What flows out of a node of a plan: its columns, and the value of each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import NONE, Uses, union
from headwater.capture.spark.plan.values import Value
from headwater.openlineage.naming import DatasetName


class Source(Struct, frozen=True):
    """What a leaf of a plan reads: known by the ids of its columns, or by its number among the leaves.

    `record` is the column whose bytes are a record of the dataset, such as value of a topic.
    """

    datasets: tuple[DatasetName, ...]
    columns: frozenset[int] = frozenset()
    leaf: int = -1
    record: str = ""


class Column(Struct, frozen=True):
    """A column by its id and its name."""

    id: int
    name: str


class Flow(Struct, frozen=True, eq=False):
    """The columns that come out of a node, and what may still happen to them further up."""

    columns: list[Column]
    values: dict[int, Value]
    streaming: bool = False
    watermarks: Uses = NONE  # of event times that drop late rows, once something above keeps state
    window: int = -1  # a sliding window whose time is only named by the filter above it
    everywhere: Uses = NONE  # what decides about every row; only told of a whole plan

    @property
    def uses(self) -> Uses:
        """What all columns together are made of."""
        return union(self.value(column).uses for column in self.columns)

    def value(self, column: Column) -> Value:
        return self.values.get(column.id, Value())


def flow(columns: Sequence[Column], values: dict[int, Value], below: Sequence[Flow] = ()) -> Flow:
    """Columns made from what flowed in from below."""
    return Flow(
        list(columns),
        values,
        any(each.streaming for each in below),
        union(each.watermarks for each in below),
    )


def attributes(trees: Sequence[Tree]) -> list[Column]:
    """Columns as a node lists them."""
    return [Column(tree.id, tree.name) for tree in trees]
