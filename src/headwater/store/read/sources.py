"""Sources: where datasets physically are, as clients or dataSource facets named them."""

from msgspec import Struct
from sqlalchemy import Connection, select

from headwater.store.tables import source


class SourceRow(Struct, frozen=True, gc=False):
    """One source; times are microseconds."""

    name: str
    type: str
    url: str
    description: str | None
    created_at: int
    updated_at: int


_SELECT = select(
    source.c.name,
    source.c.type,
    source.c.url,
    source.c.description,
    source.c.created_at,
    source.c.updated_at,
)


def find_source(db: Connection, name: str) -> SourceRow | None:
    """The source of that name."""
    row = db.execute(_SELECT.where(source.c.name == name)).first()
    return SourceRow(*row) if row else None


def list_sources(db: Connection, limit: int, offset: int) -> list[SourceRow]:
    """A page of sources by name."""
    rows = db.execute(_SELECT.order_by(source.c.name).limit(limit).offset(offset))
    return [SourceRow(*row) for row in rows]
