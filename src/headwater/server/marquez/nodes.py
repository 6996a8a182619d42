"""From a node id that a client sent to the thing stored, with Marquez's answers when there is none."""

from sqlalchemy import Connection

from headwater.openlineage.node_ids import BadNodeId, Kind, readings
from headwater.server.http import HttpError
from headwater.store.read.jobs import find_job
from headwater.store.read.names import AmbiguousNode, Found, UnknownNode, resolve


def find_node(db: Connection, text: str, kinds: tuple[Kind, ...]) -> Found:
    """The thing that a node id names, which must be of one of these kinds; 404 otherwise."""
    try:
        found = resolve(db, text, marquez=True)
    except BadNodeId as error:
        raise HttpError(404, str(error)) from None
    except AmbiguousNode as error:
        raise HttpError(409, str(error)) from None
    except UnknownNode as error:
        child = _child_job(db, text)
        if child is None:
            raise HttpError(404, str(error)) from None
        found = child
    if found.kind not in kinds:
        raise HttpError(404, f"Node '{text}' must be of type {' or '.join(kinds)}!")
    return found


def _child_job(db: Connection, text: str) -> Found | None:
    """A job by its name with its parent's before it, as Marquez names children."""
    for way in readings(text):
        if way.kind is Kind.JOB and (row := find_job(db, way.namespace, way.name)) is not None:
            return Found(Kind.JOB, row.id, row.id, row.namespace, row.name, "", way.version)
    return None
