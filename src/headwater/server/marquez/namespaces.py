"""Namespaces: PUT, GET, list and soft delete."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Table, case, update

from headwater.server.http import Call, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, not_found, page, read_body
from headwater.server.marquez.ids import moment
from headwater.store.read.namespaces import NamespaceRow, count_namespaces, find_namespace, list_namespaces
from headwater.store.tables import dataset, job, namespace

NOBODY = "anonymous"


class Namespace(Struct, rename="camel", gc=False):
    """A group of jobs and datasets."""

    name: str
    created_at: datetime
    updated_at: datetime
    owner_name: str
    description: str | None
    is_hidden: bool


class Namespaces(Struct, rename="camel", gc=False):
    """A page of namespaces."""

    namespaces: list[Namespace]
    total_count: int


class NewNamespace(Struct, rename="camel", gc=False):
    """What a client says of a namespace."""

    owner_name: str
    description: str | None = None


def existing_namespace(db: Connection, name: str) -> NamespaceRow:
    """The namespace of that name, or 404."""
    row = find_namespace(db, name)
    if row is None:
        raise not_found("Namespace", name)
    return row


def get_namespace(call: Call, db: Connection) -> Namespace:
    return _shown(existing_namespace(db, call.path["namespace"]))


def get_namespaces(call: Call, db: Connection) -> Namespaces:
    limit, offset = page(call)
    return Namespaces([_shown(row) for row in list_namespaces(db, limit, offset)], count_namespaces(db))


async def put_namespace(call: Call) -> Namespace:
    name, new = call.path["namespace"], read_body(call, NewNamespace)
    await call.writer.namespace(name, new.owner_name, new.description)
    return _shown(await call.read(existing_namespace, name))


async def delete_namespace(call: Call) -> Namespace:
    row = await call.read(existing_namespace, call.path["namespace"])
    await call.writer.run(lambda db: _hide(db, row.id, call.clock()))
    return _shown(row)


def _hide(db: Connection, id: int, now: int) -> None:
    inside = ((namespace, namespace.c.id), (job, job.c.namespace_id), (dataset, dataset.c.namespace_id))
    for table, key in inside:
        hide(db, table, key == id, now)


def hide(db: Connection, table: Table, which: ColumnElement[bool], now: int) -> None:
    """Hide rows until a later event: from now, or from their latest event, whose clock may be ahead of ours."""
    at = case((table.c.updated_at > now, table.c.updated_at), else_=now)
    db.execute(update(table).where(which).values(deleted_at=at))


def _shown(row: NamespaceRow) -> Namespace:
    return Namespace(
        row.name,
        moment(row.created_at),
        moment(row.updated_at),
        row.owner or NOBODY,
        row.description,
        row.hidden,
    )


ROUTES = (
    Route(
        "GET",
        "/api/v1/namespaces",
        get_namespaces,
        "List namespaces",
        (LIMIT, OFFSET),
        answer=Namespaces,
        tag="Namespaces",
    ),
    Route(
        "GET",
        "/api/v1/namespaces/{namespace}",
        get_namespace,
        "Read a namespace",
        answer=Namespace,
        tag="Namespaces",
    ),
    Route(
        "PUT",
        "/api/v1/namespaces/{namespace}",
        put_namespace,
        "Create or change a namespace",
        body=NewNamespace,
        answer=Namespace,
        tag="Namespaces",
    ),
    Route(
        "DELETE",
        "/api/v1/namespaces/{namespace}",
        delete_namespace,
        "Hide a namespace with its jobs and datasets until one of them is mentioned again",
        answer=Namespace,
        tag="Namespaces",
    ),
)
