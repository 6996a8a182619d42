"""Reading a plan from its leaves to its root, with a rule for each kind of node and of expression."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from headwater.capture.spark.plan import types
from headwater.capture.spark.plan.expressions import RULES as EXPRESSION_RULES
from headwater.capture.spark.plan.expressions.functions import function
from headwater.capture.spark.plan.expressions.lambdas import bind, following
from headwater.capture.spark.plan.flow import Flow, Source
from headwater.capture.spark.plan.nodes import RULES as NODE_RULES
from headwater.capture.spark.plan.nodes.unknown import unknown
from headwater.capture.spark.plan.tree import Tree
from headwater.capture.spark.plan.uses import NONE, Use, Uses, doubted, may_feed, union
from headwater.capture.spark.plan.values import Value, calculated

# Subqueries in subqueries; nobody writes so many, but a damaged plan may.
DEEPEST = 30


class Scope:
    """The columns that an expression can see, inside whichever query it is a part of."""

    def __init__(self, reading: Reading, flows: Sequence[Flow], group: Uses = NONE, outer: Scope | None = None) -> None:
        self.reading, self.flows, self.group = reading, flows, group
        self.outer = outer or reading.outer
        self.variables: dict[int, Value] = {}
        self.common: list[Value] = []

    def column(self, id: int, name: str) -> Value:
        """The value of a column; if no node has made it, it may be made of all there is."""
        scope: Scope | None = self
        while scope is not None:
            for values in (scope.variables, *(flow.values for flow in scope.flows)):
                if (found := values.get(id)) is not None:
                    return found
            scope = scope.outer
        return Value(may_feed(union(flow.uses for flow in self.flows), f"may feed: no node of the plan makes {name}"))

    def value(self, tree: Tree) -> Value:
        """The value of an expression."""
        waiting: list[tuple[Tree, list[Value]]] = [(tree, [])]
        while True:
            expression, values = waiting[-1]
            if len(values) < len(expression.children):
                child = following(expression, values)
                bind(expression, child, values, self)
                waiting.append((child, []))
                continue
            waiting.pop()
            value = self._apply(expression, values)
            if not waiting:
                return value
            waiting[-1][1].append(value)

    def values(self, trees: Sequence[Tree]) -> list[Value]:
        return [self.value(tree) for tree in trees]

    def uses(self, trees: Sequence[Tree]) -> Uses:
        """What several expressions are made of."""
        return union(self.value(tree).uses for tree in trees)

    def subquery(self, tree: Tree) -> Flow:
        """What flows out of a plan inside an expression, which sees this scope's columns as outer ones."""
        return self.reading.inner(tree, self)

    def _apply(self, expression: Tree, values: list[Value]) -> Value:
        try:
            return EXPRESSION_RULES.get(expression.kind, function)(expression, values, self)
        except Exception as error:  # a plan from a Spark we have not met must not cost more than precision
            guess = calculated(values)
            return Value(doubted(guess.uses, f"may feed: {expression.kind} was not understood ({error})"))


class Reading:
    """The state of reading one plan: what its leaves are, and what was found that decides about every row."""

    def __init__(self, sources: Sequence[Source], batch: Flow | None = None, of_batch: Sequence[Source] = ()) -> None:
        self.sources = [*of_batch, *sources]
        self.batch = batch
        self.leaves = 0
        self.shared: dict[object, Flow] = {}
        self.outer: Scope | None = None
        self.everywhere: set[Use] = set()
        self.unnamed: list[str] = []
        self.records: dict[int, dict[str, types.Type]] = {}
        self._depth = 0
        own = list(enumerate(sources, len(of_batch)))
        self._by_column = {id: number for number, source in own for id in source.columns}
        self._by_leaf = {source.leaf: number for number, source in own if not source.columns}

    def source_of(self, ids: Sequence[int], leaf: int = -1) -> int:
        """The number of the source that a leaf with these columns reads; -1 if nobody has named it."""
        named = next((self._by_column[id] for id in ids if id in self._by_column), -1)
        return self._by_leaf.get(leaf, -1) if named < 0 <= leaf else named

    def scope(self, *flows: Flow, group: Uses = NONE) -> Scope:
        return Scope(self, flows, group)

    def note(self, uses: Uses) -> None:
        """Something that decides about every row."""
        self.everywhere |= uses

    def note_record(self, source: int, type: types.Type) -> None:
        """What the records of a source are decoded to; several schemas of one source have their fields together."""
        inner = types.element(type) or type
        self.records.setdefault(source, {}).update(types.parts(inner))

    def read(self, tree: Tree) -> Flow:
        """What flows out of a plan."""
        waiting: list[tuple[Tree, list[Flow]]] = [(tree, [])]
        while True:
            node, flows = waiting[-1]
            if len(flows) < len(node.children):
                waiting.append((node.children[len(flows)], []))
                continue
            waiting.pop()
            flow = self._apply(node, flows)
            if not waiting:
                return flow
            waiting[-1][1].append(flow)

    def inner(self, tree: Tree, outer: Scope | None = None) -> Flow:
        """What flows out of a plan inside this one, with what decides about its rows kept apart from ours."""
        if self._depth >= DEEPEST:
            return Flow([], {}, everywhere=may_feed(outer_uses(outer), "may feed: subqueries are too deep"))
        before = self.everywhere, self.outer
        self.everywhere, self.outer, self._depth = set(), outer, self._depth + 1
        try:
            found = self.read(tree)
            return structs.replace(found, everywhere=frozenset(self.everywhere))
        finally:
            (self.everywhere, self.outer), self._depth = before, self._depth - 1

    def _apply(self, node: Tree, flows: list[Flow]) -> Flow:
        try:
            return NODE_RULES.get(node.kind, unknown)(node, flows, self)
        except Exception as error:  # as above: the rest of the plan is still worth reading
            return unknown(Tree(f"{node.kind} ({error})", {}, node.children), flows, self)


def outer_uses(scope: Scope | None) -> Uses:
    return union(flow.uses for flow in scope.flows) if scope else NONE
