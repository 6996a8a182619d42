"""How a column of a source is used: directly or not, in what way, hidden or not, certainly or not."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

DIRECT, INDIRECT = "DIRECT", "INDIRECT"
IDENTITY, TRANSFORMATION, AGGREGATION = "IDENTITY", "TRANSFORMATION", "AGGREGATION"
FILTER, JOIN, GROUP_BY, SORT, WINDOW, CONDITIONAL = "FILTER", "JOIN", "GROUP_BY", "SORT", "WINDOW", "CONDITIONAL"


class Origin(Struct, frozen=True, order=True, cache_hash=True):
    """A column of a source, by the source's number and the column's path; the path of a whole record is empty."""

    source: int
    path: str


class Use(Struct, frozen=True, order=True, cache_hash=True):
    """One use of a column; the doubt says why it is not certain, and is empty where it is."""

    origin: Origin
    kind: str = DIRECT
    subtype: str = IDENTITY
    masking: bool = False
    doubt: str = ""


Uses = frozenset[Use]
NONE: Final[Uses] = frozenset()


def union(many: Iterable[Uses]) -> Uses:
    """All uses of several things together."""
    return NONE.union(*many)


def transformed(uses: Uses, masking: bool = False) -> Uses:
    """What is used to calculate something: no longer the same value, perhaps no longer readable."""
    if not masking and all(use.subtype != IDENTITY for use in uses):
        return uses
    return frozenset(_stronger(use, TRANSFORMATION, masking) for use in uses)


def aggregated(uses: Uses) -> Uses:
    """What is used to make one value of many rows."""
    return frozenset(_stronger(use, AGGREGATION, False) for use in uses)


def indirect(uses: Uses, subtype: str) -> Uses:
    """What decides about a value, or about which rows there are, without being part of it."""
    return frozenset(Use(use.origin, INDIRECT, subtype, use.masking, use.doubt) for use in uses)


def may_feed(uses: Uses, doubt: str) -> Uses:
    """What something opaque can see: it may be in any of its results in any way."""
    return frozenset(Use(use.origin, INDIRECT, TRANSFORMATION, use.masking, doubt) for use in uses)


def doubted(uses: Uses, doubt: str) -> Uses:
    """The same uses, not certain any more."""
    return frozenset(Use(use.origin, use.kind, use.subtype, use.masking, use.doubt or doubt) for use in uses)


def moved(uses: Uses, move: Callable[[Origin], Origin]) -> Uses:
    """The same uses of other columns; what is used indirectly stays."""
    return frozenset(
        Use(move(use.origin), DIRECT, use.subtype, use.masking, use.doubt) if use.kind == DIRECT else use
        for use in uses
    )


def direct(uses: Uses) -> Uses:
    """Only what is part of the value."""
    return frozenset(use for use in uses if use.kind == DIRECT)


def origins(uses: Uses) -> frozenset[Origin]:
    """The columns that are part of the value."""
    return frozenset(use.origin for use in uses if use.kind == DIRECT)


def _stronger(use: Use, subtype: str, masking: bool) -> Use:
    """An aggregate stays one whatever is calculated with it; what decides keeps its own way of deciding."""
    if use.kind == DIRECT and use.subtype != AGGREGATION:
        return Use(use.origin, DIRECT, subtype, use.masking or masking, use.doubt)
    return Use(use.origin, use.kind, use.subtype, use.masking or masking, use.doubt) if masking else use
