"""Versions of datasets: one for each write, with the schema of its time."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, exists, func, select

from headwater.store.read.lists import rows_for
from headwater.store.tables import dataset_schema, run, version


class VersionRow(Struct, frozen=True, gc=False):
    """A write: which dataset row, by which run (0: none), what version was said, when, and what it did."""

    dataset_id: int
    run_id: int
    run: bytes | None
    version: str
    first_at: int
    last_at: int
    lifecycle: str | None
    schema: bytes | None


_other = version.alias("other")


def _telling() -> ColumnElement[bool]:
    """Leaves out a write without a version where the same run also said one."""
    said = exists().where(
        _other.c.dataset_id == version.c.dataset_id,
        _other.c.run_id == version.c.run_id,
        _other.c.version != "",
    )
    return (version.c.version != "") | ~said


_SELECT = (
    select(
        version.c.dataset_id,
        version.c.run_id,
        run.c.uuid,
        version.c.version,
        version.c.first_at,
        version.c.last_at,
        version.c.lifecycle,
        version.c.schema,
    )
    .select_from(version)
    .outerjoin(run, run.c.id == version.c.run_id)
)


_last = select(func.max(_other.c.last_at)).where(_other.c.dataset_id == version.c.dataset_id)
_NEWEST = _SELECT.where(version.c.last_at == _last.scalar_subquery())


def list_versions(
    db: Connection, member_ids: Sequence[int], limit: int | None = None, offset: int = 0
) -> list[VersionRow]:
    """The writes of a node, newest first."""
    statement = _SELECT.where(version.c.dataset_id.in_(member_ids), _telling())
    newest_first = (version.c.last_at.desc(), version.c.run_id.desc(), version.c.version.desc())
    rows = db.execute(statement.order_by(*newest_first).limit(limit).offset(offset))
    return [VersionRow(*row) for row in rows]


def count_versions(db: Connection, member_ids: Sequence[int]) -> int:
    """How many writes list_versions has in all."""
    statement = select(func.count()).select_from(version)
    return db.execute(statement.where(version.c.dataset_id.in_(member_ids), _telling())).scalar_one()


def newest_versions(db: Connection, roots: Mapping[int, int], at: int | None = None) -> dict[int, VersionRow]:
    """Root -> its newest write, or the newest begun at that time; `roots` maps every row to its root.

    Nodes never written are left out.
    """
    statement = _NEWEST
    if at is not None:
        statement = _SELECT.where(version.c.last_at == _last.where(_other.c.first_at <= at).scalar_subquery())
    best: dict[int, VersionRow] = {}
    for values in rows_for(db, statement, version.c.dataset_id, roots):
        row = VersionRow(*values)
        root = roots[row.dataset_id]
        if root not in best or _rank(row) > _rank(best[root]):
            best[root] = row
    return best


def _rank(row: VersionRow) -> tuple[int, int, str]:
    return (row.last_at, row.run_id, row.version)


def schemas_of(db: Connection, member_ids: Sequence[int], versions: Iterable[VersionRow]) -> dict[VersionRow, bytes]:
    """Version -> hash of the schema that its run reported, or else of the one in force at the time."""
    found: dict[VersionRow, bytes] = {}
    history = select(dataset_schema.c.first_at, dataset_schema.c.schema).where(
        dataset_schema.c.dataset_id.in_(member_ids), dataset_schema.c.written
    )
    timeline = sorted((at, bytes(digest)) for at, digest in db.execute(history))
    for v in versions:
        if v.schema is not None:
            found[v] = v.schema
        elif before := [digest for at, digest in timeline if at <= v.last_at]:
            found[v] = before[-1]
    return found
