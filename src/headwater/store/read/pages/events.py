"""Pages of the event log, the last received first."""

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import Connection, Select, or_, select

from headwater.store.read.pages.jobs import named_like
from headwater.store.read.pages.keyset import namespace_ids, namespaces_like
from headwater.store.tables import dataset, event, job, namespace, run


class EventFilter(Struct, frozen=True):
    """Which events; what is None does not matter. `text` and `namespace` are of the job or the dataset."""

    text: str | None = None
    namespace: str | None = None
    types: Collection[str] | None = None
    run: bytes | None = None


class EventRow(Struct, frozen=True):
    """One event without its body. `state` is that of its run now."""

    id: int
    type: str
    event_time: int
    received_at: int
    run: bytes | None
    state: str | None
    job: tuple[str, str] | None
    dataset: tuple[str, str] | None


_job_space, _dataset_space = namespace.alias("job_space"), namespace.alias("dataset_space")
_SHOWN = (
    select(
        event.c.id,
        event.c.type,
        event.c.event_time,
        event.c.received_at,
        run.c.uuid,
        run.c.state,
        _job_space.c.name.label("job_space"),
        job.c.name.label("job"),
        _dataset_space.c.name.label("dataset_space"),
        dataset.c.name.label("dataset"),
    )
    .select_from(event)
    .outerjoin(run, run.c.id == event.c.run_id)
    .outerjoin(job, job.c.id == event.c.job_id)
    .outerjoin(_job_space, _job_space.c.id == job.c.namespace_id)
    .outerjoin(dataset, dataset.c.id == event.c.dataset_id)
    .outerjoin(_dataset_space, _dataset_space.c.id == dataset.c.namespace_id)
)


def event_page(db: Connection, wanted: EventFilter, before: int | None, limit: int) -> list[EventRow]:
    """The events before an id, the last received first."""
    statement = _filtered(db, select(event.c.id), wanted)
    if before is not None:
        statement = statement.where(event.c.id < before)
    ids = list(db.execute(statement.order_by(event.c.id.desc()).limit(limit)).scalars())
    rows = db.execute(_SHOWN.where(event.c.id.in_(ids)).order_by(event.c.id.desc()))
    return [
        EventRow(
            row.id,
            row.type,
            row.event_time,
            row.received_at,
            row.uuid,
            row.state,
            None if row.job is None else (row.job_space, row.job),
            None if row.dataset is None else (row.dataset_space, row.dataset),
        )
        for row in rows
    ]


def _filtered(db: Connection, statement: Select[int], wanted: EventFilter) -> Select[int]:
    # Expressions, lest SQLite go from run to run and sort all their events for one page.
    of_job, of_dataset = event.c.job_id + 0, event.c.dataset_id + 0
    if wanted.types is not None:
        statement = statement.where(event.c.type.in_(wanted.types))
    if wanted.run is not None:
        statement = statement.where(
            event.c.run_id == select(run.c.id).where(run.c.uuid == wanted.run).scalar_subquery()
        )
    if wanted.namespace is not None:
        inside = namespace_ids(db, wanted.namespace)
        statement = statement.where(
            or_(
                of_job.in_(select(job.c.id).where(job.c.namespace_id.in_(inside))),
                of_dataset.in_(select(dataset.c.id).where(dataset.c.namespace_id.in_(inside))),
            )
        )
    if wanted.text is not None:
        named = or_(
            dataset.c.name.icontains(wanted.text, autoescape=True),
            dataset.c.namespace_id.in_(namespaces_like(db, wanted.text)),
        )
        statement = statement.where(
            or_(
                of_job.in_(select(job.c.id).where(named_like(db, wanted.text))),
                of_dataset.in_(select(dataset.c.id).where(named)),
            )
        )
    return statement
