"""Events in, one or many, and one event back as it was sent.

Posting is the hot path: `EventsIn` answers it before the router sees the request. The routes at the end do
the same through the router, for an app mounted under a prefix, and for the documentation.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, select

from headwater.openlineage.events import BadEvent, Event, decode_batch, decode_event
from headwater.server.body import Body
from headwater.server.http import (
    Answer,
    Call,
    HttpError,
    Receive,
    Route,
    Scope,
    Send,
    Services,
    error_answer,
    send_answer,
)
from headwater.store import tables as t
from headwater.store.packing import unpack
from headwater.store.writer import Overloaded, Writer

LINEAGE = "/api/v1/lineage"
PIECE = 500  # events of a batch that are handed to the writer at once

CREATED = {"type": "http.response.start", "status": 201, "headers": [(b"content-length", b"0")]}
EMPTY = {"type": "http.response.body", "body": b""}


class EventsIn:
    """POST /api/v1/lineage as an ASGI app of its own."""

    def __init__(self, services: Services) -> None:
        self._inflight = services.inflight
        self._max_mb = services.settings.max_event_mb
        self._writer = services.writer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(scope["headers"], receive, self._max_mb, self._inflight)
        try:
            await take_event(await body.read(), self._writer)
        except Exception as error:
            answer = error_answer(error)
            await send_answer(send, answer, 500)
            return
        finally:
            body.release()
        await send(CREATED)
        await send(EMPTY)


async def take_event(body: bytes, writer: Writer) -> None:
    """Store one event; returns when it is on disk. A bad one is kept as a diagnostic and raised."""
    try:
        event = decode_event(body)
    except BadEvent as error:
        await writer.reject((error,), (body,))
        raise bad_event(error) from None
    await writer.write((event,))


def bad_event(error: BadEvent) -> HttpError:
    """What the sender of a bad event is told."""
    content = {
        "code": error.status,
        "message": str(error),
        "errors": [str(error)],
        "field": error.field,
        "value": error.value,
    }
    return HttpError(error.status, content)


# -- batches ---------------------------------------------------------------------------------------


class Summary(Struct):
    """How many events of a batch went where."""

    received: int
    successful: int
    failed: int
    retriable: int
    non_retriable: int


class FailedEvent(Struct):
    """One event of a batch that was not stored; `retriable` ones may be sent again as they are."""

    index: int
    reason: str
    retriable: bool


class BatchAnswer(Struct):
    """What became of a batch, as in the OpenLineage API."""

    status: Literal["success", "partial_success"]
    summary: Summary
    failed_events: list[FailedEvent]


async def take_batch(body: bytes, writer: Writer) -> BatchAnswer:
    """Store the good events of a batch, keep the bad ones as diagnostics, and say which were which."""
    try:
        items = decode_batch(body)
    except BadEvent as error:
        await writer.reject((error,), (body,))
        raise bad_event(error) from None
    bad = [(index, item) for index, item in enumerate(items) if isinstance(item, BadEvent)]
    good = [(index, item) for index, item in enumerate(items) if isinstance(item, Event)]
    failed = [FailedEvent(index, str(error), False) for index, error in bad]
    if bad:
        bodies = msgspec.json.decode(body, type=list[msgspec.Raw])
        await writer.reject([error for _, error in bad], [bytes(bodies[index]) for index, _ in bad])
    failed += await _write(good, writer)
    failed.sort(key=lambda f: f.index)
    retriable = sum(f.retriable for f in failed)
    summary = Summary(len(items), len(items) - len(failed), len(failed), retriable, len(failed) - retriable)
    return BatchAnswer("partial_success" if failed else "success", summary, failed)


async def _write(good: Sequence[tuple[int, Event]], writer: Writer) -> list[FailedEvent]:
    """Store events piece by piece; those that the writer has no room for are handed back to the sender."""
    for start in range(0, len(good), PIECE):
        try:
            await writer.write([event for _, event in good[start : start + PIECE]])
        except Overloaded as error:
            if start == 0:
                raise
            return [FailedEvent(index, str(error), True) for index, _ in good[start:]]
    return []


# -- routes ----------------------------------------------------------------------------------------


async def post_event(call: Call) -> Answer:
    """Store one RunEvent, JobEvent or DatasetEvent. 201 means that it is on disk."""
    await take_event(call.body, call.writer)
    return Answer(status=201)


async def post_batch(call: Call) -> BatchAnswer:
    """Store an array of events; each is judged on its own."""
    return await take_batch(call.body, call.writer)


def get_event(call: Call, db: Connection) -> Answer:
    """One event, byte for byte as it was sent."""
    text = call.path["id"]
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise HttpError(404, f"no event {text!r}; an event's id is a number, as /api/v2/changes gives it")
    body = db.execute(select(t.event.c.body).where(t.event.c.id == int(text))).scalar()
    if body is None:
        raise HttpError(404, f"no event {text}; it may have been pruned")
    return Answer(unpack(body))


ROUTES = (
    Route("POST", LINEAGE, post_event, "send one event", body=dict[str, Any], status=201, tag="events"),
    Route(
        "POST",
        f"{LINEAGE}/batch",
        post_batch,
        "send many events",
        body=list[dict[str, Any]],
        answer=BatchAnswer,
        tag="events",
    ),
    Route("GET", "/api/v2/events/{id}", get_event, "one event, verbatim", answer=dict[str, Any], tag="events"),
)
