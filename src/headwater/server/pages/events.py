"""The log of events, the last received first."""

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import DATASET_EVENT, JOB_EVENT, RUN_TYPES, format_time, run_uuid
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, Param, Route
from headwater.server.pages.paging import FILTER, LIMIT, NAMESPACE, text_of, words_of
from headwater.store.read.nodes import uuid_text
from headwater.store.read.pages.events import EventFilter, EventRow, event_page

TYPES = (*sorted(RUN_TYPES), JOB_EVENT, DATASET_EVENT)


class EventEntry(Struct, omit_defaults=True):
    """An event in the log, without its body; `state` is that of its run now."""

    id: int
    type: str
    eventTime: str
    receivedAt: str
    job: str | None = None
    run: str | None = None
    state: str | None = None
    dataset: str | None = None


class EventPage(Struct):
    """A page of the log."""

    events: list[EventEntry]
    cursor: str | None


def get_events(call: Call, db: Connection) -> EventPage:
    """A page of the log, the last received first."""
    run = text_of(call, "run")
    wanted = EventFilter(
        text_of(call, "filter"),
        call.get("namespace"),
        words_of(call, "type", TYPES),
        None if run is None else run_uuid(run),
    )
    limit: int = call.get("limit")
    rows = event_page(db, wanted, call.get("cursor"), limit + 1)
    shown = rows[:limit]
    return EventPage([_entry(row) for row in shown], str(shown[-1].id) if len(rows) > limit else None)


def _entry(row: EventRow) -> EventEntry:
    return EventEntry(
        row.id,
        row.type,
        format_time(row.event_time),
        format_time(row.received_at),
        None if row.job is None else canonical(Kind.JOB, *row.job),
        uuid_text(row.run),
        row.state,
        None if row.dataset is None else canonical(Kind.DATASET, *row.dataset),
    )


ROUTES = (
    Route(
        "GET",
        "/api/v2/events",
        get_events,
        "the log of events, in pages",
        params=(
            FILTER,
            NAMESPACE,
            Param("type", help=f"only of these types: {', '.join(TYPES)}, comma between"),
            Param("run", help="only of this run"),
            LIMIT,
            Param("cursor", int, maximum=2**53, help="where the answer before ended, as it said"),
        ),
        answer=EventPage,
        tag="events",
    ),
)
