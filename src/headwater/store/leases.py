"""Leases: a run that carries one promises to be heard of again, and is given up when it is not."""

from collections.abc import Iterable
from uuid import UUID

from msgspec import Struct
from sqlalchemy import BigInteger, Connection, cast, delete, select, update

from headwater.openlineage.events import PRODUCER, Event, encode_event, format_time
from headwater.openlineage.facets import LOST
from headwater.store import statements
from headwater.store.tables import job, lease, namespace, run

FACET_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet"


class Lapsed(Struct, frozen=True):
    """A run whose lease has run out, unless it ended before."""

    run_id: int
    uuid: str
    state: str
    job_namespace: str
    job: str
    seconds: int
    until: int
    last_seen: int


def lapsed(db: Connection, now: int) -> list[Lapsed]:
    """The runs whose lease has run out, the longest ago first."""
    statement = (
        select(
            run.c.id,
            run.c.uuid,
            run.c.external_id,
            run.c.state,
            namespace.c.name,
            job.c.name.label("job"),
            lease.c.seconds,
            lease.c.until,
            run.c.updated_at,
        )
        .select_from(lease)
        .join(run, run.c.id == lease.c.run_id)
        .join(job, job.c.id == run.c.job_id)
        .join(namespace, namespace.c.id == job.c.namespace_id)
        .where(lease.c.until <= now)
        .order_by(lease.c.until)
    )
    return [
        Lapsed(id, external_id or str(UUID(bytes=bytes(uuid))), *rest)
        for id, uuid, external_id, *rest in db.execute(statement)
    ]


def lost_note(found: Lapsed) -> Event:
    """The event that says that a run is lost. Two servers that notice at once say it in the same bytes."""
    reason = (
        f"nothing was heard of it for {found.seconds} s: its process was killed, its machine is gone, "
        f"or it cannot reach this server"
    )
    facet = {
        "_producer": PRODUCER,
        "_schemaURL": FACET_URL,
        "lastSeen": format_time(found.last_seen),
        "reason": reason,
    }
    return encode_event(
        {
            "eventType": "OTHER",
            "eventTime": format_time(found.until),
            "run": {"runId": found.uuid, "facets": {LOST: facet}},
            "job": {"namespace": found.job_namespace, "name": found.job},
        }
    )


def release(db: Connection, run_ids: Iterable[int], now: int) -> None:
    """Forget the leases of these runs, unless they were renewed meanwhile."""
    db.execute(delete(lease).where(lease.c.run_id.in_(list(run_ids)), lease.c.until <= now))


def extend_all(db: Connection, now: int) -> None:
    """Give every run its full time again: while no server listened, none could be heard."""
    until = now + cast(lease.c.seconds, BigInteger) * 1_000_000
    db.execute(update(lease).where(lease.c.until < until).values(until=until))


def renew(db: Connection, run_id: int, seconds: int, now: int) -> None:
    """The run is alive now."""
    row = {"run_id": run_id, "seconds": seconds, "until": now + seconds * 1_000_000}
    if db.dialect.name == "sqlite":
        db.exec_driver_sql(statements.LEASE.sqlite, tuple(row.values()))
    else:
        db.exec_driver_sql(statements.LEASE.postgresql, tuple([value] for value in row.values()))
