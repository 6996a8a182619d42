"""Names of nodes as one text: "dataset:NS:NAME", "job:NS:NAME", "datasetField:NS:DATASET:COLUMN", "run:UUID".

Namespaces and names hold colons themselves, so a text can be read in several ways. The canonical form has one
reading: ':' in the name and the column is written %3A, and '%' everywhere %25, so that the last colon separates.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from headwater.errors import HeadwaterError


class BadNodeId(HeadwaterError):
    """A text that cannot be a node id at all."""


class Kind(StrEnum):
    """What a node id names; the value is its prefix."""

    JOB = "job"
    DATASET = "dataset"
    FIELD = "datasetField"
    RUN = "run"


class NodeId(Struct, frozen=True, order=True):
    """One reading of a node id. A job's and a run's column is ''; a run's name is its id."""

    kind: Kind
    namespace: str
    name: str
    column: str = ""
    version: str = ""

    def __str__(self) -> str:
        return canonical(self.kind, self.namespace, self.name, self.column)


def canonical(kind: Kind | str, namespace: str, name: str, column: str = "") -> str:
    """The one native spelling of a node id; different things never share it."""
    if kind == Kind.RUN:
        return f"run:{name}"
    text = f"{kind}:{namespace.replace('%', '%25')}:{_escape(name)}"
    return f"{text}:{_escape(column)}" if kind == Kind.FIELD else text


def marquez(kind: Kind | str, namespace: str, name: str, column: str = "") -> str:
    """The spelling of Marquez: parts joined with colons, as they are."""
    if kind == Kind.RUN:
        return f"run:{name}"
    text = f"{kind}:{namespace}:{name}"
    return f"{text}:{column}" if kind == Kind.FIELD else text


def parse_canonical(text: str) -> NodeId | None:
    """The reading of a canonical id; None if the text is not one (it may still be Marquez's spelling)."""
    kind, rest = split_kind(text)
    if kind is Kind.RUN:
        return NodeId(kind, "", rest)
    parts = rest.rsplit(":", 2 if kind is Kind.FIELD else 1)
    if len(parts) != (3 if kind is Kind.FIELD else 2) or not _well_escaped(rest):
        return None
    namespace, name, *column = map(_unescape, parts)
    node = NodeId(kind, namespace, name, *column)
    return node if str(node) == text else None


def readings(text: str) -> Iterator[NodeId]:
    """Every way to read a node id, the canonical one first, then Marquez's at each colon and '#version'."""
    kind, rest = split_kind(text)
    if kind is Kind.RUN:
        yield NodeId(kind, "", rest.partition("#")[0])
        return
    if (node := parse_canonical(text)) is not None:
        yield node
    yield from _splits(kind, rest, "")
    if "#" in rest:
        plain, _, version = rest.rpartition("#")
        yield from _splits(kind, plain, version)


def split_kind(text: str) -> tuple[Kind, str]:
    """The prefix of a node id and what follows; BadNodeId if it has none that is known."""
    prefix, colon, rest = text.partition(":")
    if not colon or prefix not in set(Kind):
        expected = "job:NAMESPACE:NAME, dataset:NAMESPACE:NAME, datasetField:NAMESPACE:DATASET:COLUMN or run:UUID"
        raise BadNodeId(f"{text!r} is not a node id; expected {expected}")
    return Kind(prefix), rest


def _splits(kind: Kind, rest: str, version: str) -> Iterator[NodeId]:
    parts = rest.split(":")
    for i in range(1, len(parts)):
        namespace = ":".join(parts[:i])
        if kind is not Kind.FIELD:
            yield NodeId(kind, namespace, ":".join(parts[i:]), "", version)
            continue
        for j in range(i + 1, len(parts)):
            yield NodeId(kind, namespace, ":".join(parts[i:j]), ":".join(parts[j:]), version)


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace(":", "%3A")


def _unescape(text: str) -> str:
    return text.replace("%3A", ":").replace("%25", "%")


def _well_escaped(text: str) -> bool:
    return text.count("%") == text.count("%25") + text.count("%3A")
