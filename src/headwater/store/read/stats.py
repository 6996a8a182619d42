"""Counts over time, for charts."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Table, case, func, select

from headwater.store.tables import event


def _bucket(column: ColumnElement[int], bounds: Sequence[int]) -> ColumnElement[int]:
    """Which interval a time is in: 0 before the first bound, n from the n-th bound on."""
    return case(*((column < bound, index) for index, bound in enumerate(bounds)), else_=len(bounds))


def events_by_type(db: Connection, bounds: Sequence[int]) -> list[dict[str, int]]:
    """For each interval between adjacent bounds, how many events of each type happened in it."""
    bucket = _bucket(event.c.event_time, bounds).label("bucket")
    statement = (
        select(bucket, event.c.type, func.count())
        .where(event.c.event_time >= bounds[0], event.c.event_time < bounds[-1])
        .group_by(bucket, event.c.type)
    )
    counts: list[dict[str, int]] = [{} for _ in bounds[1:]]
    for index, kind, count in db.execute(statement):
        counts[index - 1][kind] = count
    return counts


def totals(db: Connection, table: Table, bounds: Sequence[int]) -> list[int]:
    """For each interval between adjacent bounds, how many rows had been created by its end."""
    bucket = _bucket(table.c.created_at, bounds).label("bucket")
    rows = db.execute(select(bucket, func.count()).group_by(bucket))
    found: dict[int, int] = dict(rows.all())
    total = found.get(0, 0)
    sums = []
    for index in range(1, len(bounds)):
        total += found.get(index, 0)
        sums.append(total)
    return sums
