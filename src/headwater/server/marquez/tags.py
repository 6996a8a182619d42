"""Tags: PUT and list. Putting one on a job, a dataset or a column is in jobs.py and dataset_tags.py."""

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from headwater.server.http import Call, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, page, read_body
from headwater.store.read.tags import list_tags
from headwater.store.tables import tag, tagging


class Tag(Struct, gc=False):
    """A word that people put on things."""

    name: str
    description: str | None


class Tags(Struct, gc=False):
    """A page of tags."""

    tags: list[Tag]


class NewTag(Struct, gc=False):
    """What a client says of a tag."""

    description: str | None = None


def get_tags(call: Call, db: Connection) -> Tags:
    return Tags([Tag(row.name, row.description) for row in list_tags(db, *page(call))])


async def put_tag(call: Call) -> Tag:
    name, new, now = call.path["tag"], read_body(call, NewTag), call.clock()
    await call.writer.run(lambda db: _upsert(db, name, new.description, now))
    return Tag(name, new.description)


def add_tags(db: Connection, kind: int, owner_id: int, field: str, names: list[str], now: int) -> None:
    """Put tags on a job, a dataset or one of its columns; a tag that does not exist yet is made."""
    for name in names:
        if db.execute(select(tag.c.name).where(tag.c.name == name)).first() is None:
            db.execute(insert(tag).values(name=name, description=None, updated_at=now))
        if db.execute(select(tagging.c.at).where(_is(kind, owner_id, field, name))).first() is None:
            db.execute(insert(tagging).values(kind=kind, owner_id=owner_id, field=field, tag=name, at=now))


def remove_tag(db: Connection, kind: int, owner_ids: list[int], field: str, name: str) -> None:
    """Take a tag off."""
    for owner_id in owner_ids:
        db.execute(delete(tagging).where(_is(kind, owner_id, field, name)))


def _is(kind: int, owner_id: int, field: str, name: str) -> ColumnElement[bool]:
    return (
        (tagging.c.kind == kind)
        & (tagging.c.owner_id == owner_id)
        & (tagging.c.field == field)
        & (tagging.c.tag == name)
    )


def _upsert(db: Connection, name: str, description: str | None, now: int) -> None:
    values = {"description": description, "updated_at": now}
    if not db.execute(update(tag).where(tag.c.name == name).values(values)).rowcount:
        db.execute(insert(tag).values(name=name, **values))


ROUTES = (
    Route("GET", "/api/v1/tags", get_tags, "List tags", (LIMIT, OFFSET), answer=Tags, tag="Tags"),
    Route(
        "PUT",
        "/api/v1/tags/{tag}",
        put_tag,
        "Create or change a tag",
        body=NewTag,
        answer=Tag,
        tag="Tags",
    ),
)
