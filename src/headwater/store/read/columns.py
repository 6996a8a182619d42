"""The column graph: which columns are made of which, by whom and how.

A column is (dataset root id, name). The name '' is the whole dataset: as an output it stands for an effect on
every column (a filter, a join key), as an input for all of its columns.
"""

from collections import defaultdict
from collections.abc import Collection
from operator import itemgetter

from msgspec import Struct
from sqlalchemy import Connection

from headwater.store.read.graph import ColumnEdge, Now, View

Field = tuple[int, str]
FEW = 8


class ColumnGraph(Struct):
    """The columns reached, with their distance from the start, and the edges among them."""

    fields: dict[Field, int]
    edges: list[ColumnEdge]
    truncated: bool = False


def column_graph(
    view: View | Connection,
    fields: Collection[Field],
    depth: int = 20,
    up: bool = True,
    down: bool = False,
    limit: int = 0,
) -> ColumnGraph:
    """What these columns are made of (up) and what is made of them (down), at most `depth` steps away.

    A connection is the current graph. With a limit, no step is taken once that many columns are known.
    """
    if isinstance(view, Connection):
        view = Now(view)
    known: dict[Field, int] = dict.fromkeys(fields, 0)
    found: list[ColumnEdge] = []
    truncated = False
    for upward in (True, False):
        near, far = (_target, _source) if upward else (_source, _target)
        frontier = set(fields) if (up if upward else down) else set()
        reached = set(frontier)
        for distance in range(1, depth + 1):
            if not frontier:
                break
            if limit and len(known) >= limit:
                truncated = True
                break
            edges = _step(view, frontier, upward)
            found += edges
            frontier = set(map(far, edges))
            for field in frontier | set(map(near, edges)):
                known.setdefault(field, distance)
            frontier -= reached
            reached |= frontier
    # A column is stepped from once each way, so only both ways, or as part of a whole dataset, is an edge met twice.
    if (up and down) or any(not name for _, name in known):
        found = list(dict.fromkeys(found))
    return ColumnGraph(known, found, truncated)


_source = itemgetter(0, 1)
_target = itemgetter(2, 3)


def _step(view: View, frontier: set[Field], up: bool) -> list[ColumnEdge]:
    """The edges with one end in the frontier; a whole dataset matches any column, on either side."""
    wanted: dict[int, set[str]] = defaultdict(set)
    for dataset, name in frontier:
        wanted[dataset].add(name)
    names = {name for _, name in frontier}
    # Worth an index lookup each only while they are few beside the columns of a dataset.
    narrow = names | {""} if len(names) <= FEW and "" not in names else None
    whole = {dataset for dataset, columns in wanted.items() if "" in columns}
    edges = view.column_edges(wanted, up, narrow)
    if up:
        return [e for e in edges if e[3] == "" or e[2] in whole or e[3] in wanted[e[2]]]
    return [e for e in edges if e[1] == "" or e[0] in whole or e[1] in wanted[e[0]]]
