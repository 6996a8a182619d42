"""What was odd about what was sent: refused, repeated, late, out of order, or broken in part."""

from msgspec import Struct
from sqlalchemy import Connection, func, select

from headwater.store.packing import unpack
from headwater.store.tables import diagnostic as table


class DiagnosticRow(Struct, frozen=True):
    """One diagnostic, without its body."""

    id: int
    kind: str
    at: int
    event_id: int | None
    field: str | None
    message: str


_COLUMNS = (table.c.id, table.c.kind, table.c.at, table.c.event_id, table.c.field, table.c.message)


def list_diagnostics(db: Connection, kind: str | None, limit: int, before: int | None = None) -> list[DiagnosticRow]:
    """The newest first; `before` is an id to go on from."""
    query = select(*_COLUMNS).order_by(table.c.id.desc()).limit(limit)
    if kind is not None:
        query = query.where(table.c.kind == kind)
    if before is not None:
        query = query.where(table.c.id < before)
    return [DiagnosticRow(*row) for row in db.execute(query)]


def count_diagnostics(db: Connection) -> dict[str, int]:
    """How many there are of each kind."""
    query = select(table.c.kind, func.count()).group_by(table.c.kind).order_by(table.c.kind)
    return {row[0]: row[1] for row in db.execute(query)}


def find_diagnostic(db: Connection, id: int) -> tuple[DiagnosticRow, bytes | None] | None:
    """One diagnostic and, of a refused event, what was sent."""
    row = db.execute(select(*_COLUMNS, table.c.body).where(table.c.id == id)).first()
    if row is None:
        return None
    return DiagnosticRow(*row[:-1]), None if row.body is None else unpack(row.body)
