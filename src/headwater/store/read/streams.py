"""How streams go: what their runs reported about themselves while they ran."""

from collections.abc import Iterable

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection, select

from headwater.store.packing import unpack
from headwater.store.read.bulk import for_ids
from headwater.store.read.lists import rows_for
from headwater.store.tables import event

PROGRESS, FLOW = "headwater_streamProgress", "headwater_flow"
HOUR_US = 3_600_000_000
MOST_REPORTS = 120


class Report(Struct, frozen=True):
    """What one event of a run said about its progress; what it did not say is empty."""

    at: int
    progress: Raw
    flow: Raw


class _Facets(Struct):
    headwater_streamProgress: Raw = Raw()
    headwater_flow: Raw = Raw()


class _Run(Struct):
    facets: _Facets = msgspec.field(default_factory=_Facets)


class _Event(Struct):
    run: _Run


_decode = msgspec.json.Decoder(_Event).decode


def reports(db: Connection, run_id: int, since: int) -> list[Report]:
    """The last reports of a run since a time, the oldest first; at most MOST_REPORTS."""
    newest = (
        select(event.c.id)
        .where(event.c.run_id == run_id, event.c.event_time >= since)
        .order_by(event.c.event_time.desc(), event.c.id.desc())
        .limit(MOST_REPORTS)
    )
    ids = list(db.execute(newest).scalars())
    bodies = rows_for(db, select(event.c.event_time, event.c.body), event.c.id, ids)
    found = []
    for at, body in sorted(bodies, key=lambda row: int(row[0])):
        try:
            said = _decode(unpack(body)).run.facets
        except msgspec.MsgspecError:
            continue
        if said.headwater_streamProgress or said.headwater_flow:
            found.append(Report(at, said.headwater_streamProgress, said.headwater_flow))
    return found


def starts(db: Connection, job_ids: Iterable[int]) -> dict[int, int]:
    """Job -> how many runs of it have started."""
    sql = """SELECT r.job_id, COUNT(*) FROM {ids} i CROSS JOIN run r
             WHERE r.job_id = i.id AND r.started_at IS NOT NULL AND NOT r.declared GROUP BY r.job_id"""
    return dict(for_ids(db, sql, job_ids))


def parents(db: Connection, run_ids: Iterable[int]) -> dict[int, int]:
    """Run -> the run it runs under."""
    sql = "SELECT r.id, r.parent_id FROM {ids} i CROSS JOIN run r WHERE r.id = i.id AND r.parent_id IS NOT NULL"
    return dict(for_ids(db, sql, run_ids))
