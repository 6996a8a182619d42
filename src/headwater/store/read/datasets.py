"""Datasets as stored: reported names, the nodes they belong to, and their schemas."""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, select

from headwater.store.packing import unpack
from headwater.store.read.lists import count_hidden, rows_for, visible
from headwater.store.tables import dataset, dataset_schema, field, namespace, schema


class DatasetRow(Struct, frozen=True, gc=False):
    """One reported name of a dataset, and the node it belongs to (itself, unless symlinks joined it)."""

    id: int
    root_id: int
    namespace: str
    name: str
    root_namespace: str
    root_name: str
    created_at: int
    updated_at: int
    deleted_at: int | None

    @property
    def hidden(self) -> bool:
        return self.deleted_at is not None and self.deleted_at >= self.updated_at


class Node(Struct, gc=False):
    """What the rows of one node say together."""

    members: list[int]
    alive_at: int = -1
    dropped_at: int = -1

    @property
    def dropped(self) -> bool:
        return self.dropped_at >= 0 and self.alive_at <= self.dropped_at


class Column(Struct, frozen=True, gc=False):
    """A column of a schema; what is said of it is in the schema facet."""

    name: str
    type: str | None = None


class Schema(Struct, frozen=True, eq=False, gc=False):
    """A list of columns; equal hashes mean equal lists."""

    hash: bytes
    columns: list[Column]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


_root = dataset.alias("root")
_root_namespace = namespace.alias("root_namespace")
_SELECT = (
    select(
        dataset.c.id,
        dataset.c.root_id,
        namespace.c.name,
        dataset.c.name,
        _root_namespace.c.name,
        _root.c.name,
        dataset.c.created_at,
        dataset.c.updated_at,
        dataset.c.deleted_at,
    )
    .select_from(dataset)
    .join(namespace, namespace.c.id == dataset.c.namespace_id)
    .join(_root, _root.c.id == dataset.c.root_id)
    .join(_root_namespace, _root_namespace.c.id == _root.c.namespace_id)
)
_MEMBERS = select(dataset.c.root_id, dataset.c.id, dataset.c.alive_at, dataset.c.dropped_at)
_SCHEMAS = select(
    dataset_schema.c.dataset_id, dataset_schema.c.written, dataset_schema.c.last_at, dataset_schema.c.schema
)
_columns = msgspec.json.Decoder(list[Column])


def find_dataset(db: Connection, namespace_name: str, name: str) -> DatasetRow | None:
    """The dataset reported under that name."""
    statement = _SELECT.where(namespace.c.name == namespace_name, dataset.c.name == name, visible(dataset))
    row = db.execute(statement).first()
    return DatasetRow(*row) if row else None


def datasets_by_id(db: Connection, ids: Iterable[int]) -> dict[int, DatasetRow]:
    """The datasets of these ids, hidden ones included."""
    return {row[0]: DatasetRow(*row) for row in rows_for(db, _SELECT, dataset.c.id, ids)}


def rows_of_nodes(db: Connection, root_ids: Iterable[int]) -> dict[int, DatasetRow]:
    """Every name of these nodes by id, hidden ones included."""
    return {row[0]: DatasetRow(*row) for row in rows_for(db, _SELECT, dataset.c.root_id, root_ids)}


def list_datasets(db: Connection, namespace_id: int, limit: int, offset: int) -> list[DatasetRow]:
    """A page of the reported names in a namespace, by name."""
    statement = _SELECT.where(dataset.c.namespace_id == namespace_id, visible(dataset))
    rows = db.execute(statement.order_by(dataset.c.name).limit(limit).offset(offset))
    return [DatasetRow(*row) for row in rows]


def count_datasets(db: Connection, namespace_id: int) -> int:
    """How many names list_datasets has in all."""
    made = select(namespace.c.datasets).where(namespace.c.id == namespace_id)
    return (db.execute(made).scalar() or 0) - count_hidden(db, dataset, namespace_id)


def nodes(db: Connection, root_ids: Iterable[int]) -> dict[int, Node]:
    """Root -> its rows and whether it was dropped."""
    found: dict[int, Node] = {}
    for root_id, id, alive_at, dropped_at in rows_for(db, _MEMBERS, dataset.c.root_id, root_ids):
        node = found.setdefault(root_id, Node([]))
        node.members.append(id)
        node.alive_at = max(node.alive_at, alive_at if alive_at is not None else -1)
        node.dropped_at = max(node.dropped_at, dropped_at if dropped_at is not None else -1)
    return found


def member_roots(found: Mapping[int, Node]) -> dict[int, int]:
    """Every row of these nodes -> its root."""
    return {member: root for root, node in found.items() for member in node.members}


def current_schemas(db: Connection, roots: Mapping[int, int]) -> dict[int, Schema]:
    """Root -> its newest schema, a writer's word before a reader's; `roots` maps every row to its root.

    Nodes without one are left out.
    """
    best: dict[int, tuple[bool, int, bytes]] = {}
    for id, written, at, digest in rows_for(db, _SCHEMAS, dataset_schema.c.dataset_id, roots):
        root, rank = roots[id], (bool(written), at, bytes(digest))
        if root not in best or rank > best[root]:
            best[root] = rank
    found = schemas(db, {digest for _, _, digest in best.values()})
    return {root: found[digest] for root, (_, _, digest) in best.items() if digest in found}


def schemas(db: Connection, hashes: Iterable[bytes]) -> dict[bytes, Schema]:
    """The schemas of these hashes."""
    statement = select(schema.c.hash, schema.c.fields)
    rows = rows_for(db, statement, schema.c.hash, hashes)
    return {bytes(digest): Schema(bytes(digest), _columns.decode(unpack(packed))) for digest, packed in rows}


def has_field(db: Connection, member_ids: Iterable[int], name: str) -> bool:
    """Whether any of these dataset rows ever had that column."""
    statement = select(field.c.dataset_id).where(field.c.name == name)
    return bool(rows_for(db, statement, field.c.dataset_id, member_ids))


def columns_of(db: Connection, roots: Mapping[int, int]) -> dict[int, list[str]]:
    """Root -> every column that it ever had, by name; `roots` maps every row to its root."""
    found: dict[int, set[str]] = {}
    statement = select(field.c.dataset_id, field.c.name)
    for id, name in rows_for(db, statement, field.c.dataset_id, roots):
        found.setdefault(roots[id], set()).add(name)
    return {root: sorted(names) for root, names in found.items()}
