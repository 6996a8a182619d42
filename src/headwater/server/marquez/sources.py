"""Sources: PUT, GET and list."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection, insert, update

from headwater.server.http import Call, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, not_found, page, read_body
from headwater.server.marquez.ids import moment
from headwater.store.read.sources import SourceRow, find_source, list_sources
from headwater.store.tables import source


class Source(Struct, rename="camel", gc=False):
    """Where datasets physically are."""

    type: str
    name: str
    created_at: datetime
    updated_at: datetime
    connection_url: str
    description: str | None


class Sources(Struct, gc=False):
    """A page of sources."""

    sources: list[Source]


class NewSource(Struct, rename="camel", gc=False):
    """What a client says of a source."""

    type: str
    connection_url: str
    description: str | None = None


def existing_source(db: Connection, name: str) -> SourceRow:
    """The source of that name, or 404."""
    row = find_source(db, name)
    if row is None:
        raise not_found("Source", name)
    return row


def get_source(call: Call, db: Connection) -> Source:
    return _shown(existing_source(db, call.path["source"]))


def get_sources(call: Call, db: Connection) -> Sources:
    return Sources([_shown(row) for row in list_sources(db, *page(call))])


async def put_source(call: Call) -> Source:
    name, new, now = call.path["source"], read_body(call, NewSource), call.clock()
    await call.writer.run(lambda db: _upsert(db, name, new, now))
    return _shown(await call.read(existing_source, name))


def _upsert(db: Connection, name: str, new: NewSource, now: int) -> None:
    values = {
        "type": new.type.upper(),
        "url": new.connection_url,
        "description": new.description,
        "updated_at": now,
    }
    if not db.execute(update(source).where(source.c.name == name).values(values)).rowcount:
        db.execute(insert(source).values(name=name, created_at=now, **values))


def _shown(row: SourceRow) -> Source:
    return Source(row.type, row.name, moment(row.created_at), moment(row.updated_at), row.url, row.description)


ROUTES = (
    Route("GET", "/api/v1/sources", get_sources, "List sources", (LIMIT, OFFSET), answer=Sources, tag="Sources"),
    Route("GET", "/api/v1/sources/{source}", get_source, "Read a source", answer=Source, tag="Sources"),
    Route(
        "PUT",
        "/api/v1/sources/{source}",
        put_source,
        "Create or change a source",
        body=NewSource,
        answer=Source,
        tag="Sources",
    ),
)
