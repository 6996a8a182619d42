"""Search over everything that has a name: jobs, datasets, columns and tags."""

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, HttpError, Param, Route
from headwater.store.read.search import ENOUGH, Match, find

KINDS = ("job", "dataset", "column", "tag")
NODE_KINDS = {"job": Kind.JOB, "dataset": Kind.DATASET, "column": Kind.FIELD}


class FoundThing(Struct, rename="camel"):
    """Something found; a tag has no node id."""

    kind: str
    node_id: str | None
    namespace: str | None
    name: str
    column: str | None
    updated_at: str


class FoundThings(Struct):
    """What was found, best match first."""

    results: list[FoundThing]


def get_search(call: Call, db: Connection) -> FoundThings:
    query, limit, namespace = call.get("q"), call.get("limit"), call.get("namespace")
    kinds = [kind for kind in (call.get("kinds") or "").split(",") if kind] or list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise HttpError(400, f"parameter 'kinds' has {unknown[0]!r}; expected some of {','.join(KINDS)}")
    if not query.strip():
        raise HttpError(400, "parameter 'q' is blank; expected a part of a name")
    matches = find(db, query, kinds, namespace_name=namespace, enough=ENOUGH if namespace else 2 * limit + 50)
    return FoundThings([_shown(match) for match in matches[:limit]])


def _shown(match: Match) -> FoundThing:
    kind = NODE_KINDS.get(match.kind)
    return FoundThing(
        match.kind,
        canonical(kind, match.namespace, match.name, match.column) if kind else None,
        match.namespace if kind else None,
        match.name,
        match.column or None,
        format_time(match.updated_at),
    )


ROUTES = (
    Route(
        "GET",
        "/api/v2/search",
        get_search,
        "Find jobs, datasets, columns and tags by any part of their name, best match first",
        (
            Param("q", str, required=True, help="part of a name; '%' stands for anything"),
            Param("kinds", str, "", help=f"some of {','.join(KINDS)}; all by default"),
            Param("namespace", str, help="only in this namespace"),
            Param("limit", int, 20, help="most results to return", maximum=1000),
        ),
        answer=FoundThings,
        tag="Search",
    ),
)
