"""From a node id as somebody wrote it to the one thing stored that it names."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct
from sqlalchemy import Connection, select

from headwater.errors import HeadwaterError
from headwater.openlineage.events import run_uuid
from headwater.openlineage.node_ids import Kind, NodeId, canonical, parse_canonical, readings
from headwater.store import tables as t

MANY_COLONS = 64


class UnknownNode(HeadwaterError):
    """No stored job, dataset, column or run has this id."""

    status = 404


class AmbiguousNode(HeadwaterError):
    """Several stored things can be meant."""

    status = 409


class Found(Struct, frozen=True):
    """A stored thing. For a dataset or a column `id` is the row of the name given and `root_id` the node."""

    kind: Kind
    id: int
    root_id: int
    namespace: str
    name: str
    column: str = ""
    version: str = ""

    @property
    def node_id(self) -> str:
        """The canonical id, of the name that was given."""
        return canonical(self.kind, self.namespace, self.name, self.column)


def resolve(db: Connection, text: str, *, marquez: bool = False) -> Found:
    """The thing that a node id names. Raises BadNodeId, UnknownNode or AmbiguousNode.

    A canonical id always means what it says; with `marquez` it counts only as one reading among the others.
    """
    if text.startswith("run:"):
        return _run(db, text)
    exact = parse_canonical(text)
    if exact is not None and not marquez and (found := _match(db, [exact])):
        return found[0]
    ways = list(readings(text)) if text.count(":") <= MANY_COLONS else [exact] if exact else []
    found = _match(db, ways)
    # A '#' may belong to the name: a reading with a version counts only if nothing is named so.
    whole = [f for f in found if not f.version] or found
    nodes = {(f.root_id, f.column): f for f in reversed(whole)}
    if len(nodes) > 1:
        meant = " or ".join(repr(f.node_id) for f in nodes.values())
        raise AmbiguousNode(f"{text!r} can mean {meant}; ask for one of these")
    if not nodes:
        raise UnknownNode(f"nothing stored has the id {text!r}; search for it with /api/v1/search?q=")
    return next(iter(nodes.values()))


def find_job(db: Connection, namespace: str, name: str) -> Found | None:
    """The job of this name, if there is one."""
    found = _match(db, [NodeId(Kind.JOB, namespace, name)])
    return found[0] if found else None


def find_dataset(db: Connection, namespace: str, name: str) -> Found | None:
    """The dataset of this name, which may be an alias, if there is one."""
    found = _match(db, [NodeId(Kind.DATASET, namespace, name)])
    return found[0] if found else None


def _run(db: Connection, text: str) -> Found:
    name = text.removeprefix("run:").partition("#")[0]
    row = db.execute(select(t.run.c.id, t.run.c.uuid).where(t.run.c.uuid == run_uuid(name))).first()
    if row is None:
        raise UnknownNode(f"no run has the id {name!r}; list runs with /api/v1/namespaces/NS/jobs/JOB/runs")
    return Found(Kind.RUN, row.id, row.id, "", str(UUID(bytes=bytes(row.uuid))))


def _match(db: Connection, ways: Sequence[NodeId]) -> list[Found]:
    """The stored things among some readings, in the order of the readings."""
    names = {way.namespace for way in ways}
    n = t.namespace.c
    namespaces = {row.name: row.id for row in db.execute(select(n.id, n.name).where(n.name.in_(names)))}
    wanted = [way for way in ways if way.namespace in namespaces]
    if not wanted:
        return []
    table = t.job if wanted[0].kind is Kind.JOB else t.dataset
    root = table.c.id if table is t.job else table.c.root_id
    query = select(table.c.id, root.label("root_id"), table.c.namespace_id, table.c.name).where(
        table.c.namespace_id.in_({namespaces[way.namespace] for way in wanted}),
        table.c.name.in_({way.name for way in wanted}),
    )
    rows = {(row.namespace_id, row.name): row for row in db.execute(query)}
    found = []
    for way in wanted:
        row = rows.get((namespaces[way.namespace], way.name))
        if row is not None:
            found.append(Found(way.kind, row.id, row.root_id, way.namespace, way.name, way.column, way.version))
    return _with_column(db, found) if wanted[0].kind is Kind.FIELD else found


def _with_column(db: Connection, found: list[Found]) -> list[Found]:
    """Those whose column is known, under any name of the dataset."""
    d, f = t.dataset.c, t.field.c
    query = (
        select(d.root_id, f.name)
        .join_from(t.dataset, t.field, f.dataset_id == d.id)
        .where(d.root_id.in_({x.root_id for x in found}), f.name.in_({x.column for x in found}))
    )
    known = {(row.root_id, row.name) for row in db.execute(query)}
    return [x for x in found if (x.root_id, x.column) in known]
