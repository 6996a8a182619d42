"""Namespaces as stored."""

from msgspec import Struct
from sqlalchemy import BigInteger, Connection, Subquery, Text, cast, exists, func, literal, null, select

from headwater.store.tables import namespace

DEFAULT = "default"


class NamespaceRow(Struct, frozen=True, gc=False):
    """One namespace; times are microseconds."""

    id: int
    name: str
    created_at: int
    updated_at: int
    owner: str | None
    description: str | None
    deleted_at: int | None

    @property
    def hidden(self) -> bool:
        return self.deleted_at is not None and self.deleted_at >= self.updated_at


def _all() -> Subquery:
    """What is stored, and "default" if nothing has named it yet: clients count on it."""
    columns = (
        namespace.c.id,
        namespace.c.name,
        namespace.c.created_at,
        namespace.c.updated_at,
        namespace.c.owner,
        namespace.c.description,
        namespace.c.deleted_at,
    )
    nothing = cast(null(), Text)
    default = select(
        literal(0), literal(DEFAULT), literal(0), literal(0), nothing, nothing, cast(null(), BigInteger)
    ).where(~exists().where(namespace.c.name == DEFAULT))
    return select(*columns).union_all(default).subquery("every_namespace")


_every = _all()
_SELECT = select(_every)


def find_namespace(db: Connection, name: str) -> NamespaceRow | None:
    """The namespace of that name, hidden or not."""
    row = db.execute(_SELECT.where(_every.c.name == name)).first()
    return NamespaceRow(*row) if row else None


def list_namespaces(db: Connection, limit: int, offset: int) -> list[NamespaceRow]:
    """A page of namespaces by name, hidden ones included."""
    rows = db.execute(_SELECT.order_by(_every.c.name).limit(limit).offset(offset))
    return [NamespaceRow(*row) for row in rows]


def count_namespaces(db: Connection) -> int:
    """How many namespaces there are."""
    return db.execute(select(func.count()).select_from(_every)).scalar_one()
