"""The event log: run events by event time."""

from sqlalchemy import ColumnElement, Connection, func, select

from headwater.openlineage.events import DATASET_EVENT, JOB_EVENT
from headwater.store.packing import unpack
from headwater.store.tables import event


def list_events(db: Connection, start: int, end: int, newest_first: bool, limit: int, offset: int) -> list[bytes]:
    """The bodies of a page of run events from start up to but not including end."""
    order = (event.c.event_time, event.c.id)
    page = (
        select(event.c.id)
        .where(_between(start, end), event.c.type.not_in([JOB_EVENT, DATASET_EVENT]))
        .order_by(*(column.desc() for column in order) if newest_first else order)
        .limit(limit)
        .offset(offset)
    )
    ids = list(db.execute(page).scalars())
    bodies = db.execute(select(event.c.id, event.c.body).where(event.c.id.in_(ids)))
    found = {id: unpack(body) for id, body in bodies}
    return [found[id] for id in ids]


def count_events(db: Connection, start: int, end: int) -> int:
    """How many events there are from start up to but not including end, those not of runs included.

    Counting by type would read every event; this reads an index.
    """
    return db.execute(select(func.count()).select_from(event).where(_between(start, end))).scalar_one()


def _between(start: int, end: int) -> ColumnElement[bool]:
    return (event.c.event_time >= start) & (event.c.event_time < end)
