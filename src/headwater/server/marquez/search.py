"""Search over the names of jobs and datasets."""

import re
from datetime import date, datetime

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import parse_time
from headwater.openlineage.node_ids import marquez
from headwater.server.http import Call, HttpError, Param, Route
from headwater.server.marquez.answers import choice, invalid, whole_number
from headwater.server.marquez.ids import moment
from headwater.store.read.search import ENOUGH, Match, find

FILTERS = {"DATASET": ["dataset"], "JOB": ["job"]}
SORTS = {"NAME": "NAME", "UPDATE_AT": "UPDATE_AT", "UPDATED_AT": "UPDATE_AT"}


class SearchResult(Struct, rename="camel", gc=False):
    """A job or a dataset that was found."""

    type: str
    name: str
    updated_at: datetime
    namespace: str
    node_id: str


class SearchResults(Struct, rename="camel", gc=False):
    """What was found; the count is of the results here."""

    total_count: int
    results: list[SearchResult]


def get_search(call: Call, db: Connection) -> SearchResults:
    query = call.first("q")
    if query is None or not query.strip():
        raise invalid("query param q must not be blank")
    limit = whole_number(call, "limit", 10)
    by_time = choice(call, "sort", SORTS, "NAME") == "UPDATE_AT"
    picky = by_time or any(call.first(name) for name in ("namespace", "before", "after"))
    matches = find(
        db,
        query,
        choice(call, "filter", FILTERS, ["dataset", "job"]),
        namespace_name=call.first("namespace"),
        before=_day(call, "before"),
        after=_day(call, "after"),
        enough=ENOUGH if picky else min(2 * limit + 50, ENOUGH),
    )
    if by_time:
        found = sorted(matches, key=lambda m: m.updated_at, reverse=True)[:limit]
    else:
        found = sorted(matches[:limit], key=lambda m: (m.name.lower(), m.namespace, m.kind))
    return SearchResults(len(found), [_shown(match) for match in found])


def _day(call: Call, name: str) -> int | None:
    given = call.first(name)
    if not given:
        return None
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", given):
        raise invalid(f'query param {name} must match "^\\d{{4}}-\\d{{2}}-\\d{{2}}$"')
    try:
        return parse_time(f"{date.fromisoformat(given)}T00:00:00Z")
    except ValueError:
        raise HttpError(400, f"query param {name} is {given!r}, which is no day") from None


def _shown(match: Match) -> SearchResult:
    id = marquez(match.kind, match.namespace, match.name)
    return SearchResult(match.kind.upper(), match.name, moment(match.updated_at), match.namespace, id)


ROUTES = (
    Route(
        "GET",
        "/api/v1/search",
        get_search,
        "Find jobs and datasets by any part of their name",
        (
            Param("q", str, required=True, help="part of a name; '%' stands for anything"),
            Param("filter", str, help="DATASET or JOB"),
            Param("sort", str, "NAME", help="NAME or UPDATE_AT"),
            Param("limit", int, 10, help="most results to return"),
            Param("namespace", str, help="only in this namespace"),
            Param("before", str, help="only what was updated before this day, YYYY-MM-DD"),
            Param("after", str, help="only what was updated after this day, YYYY-MM-DD"),
        ),
        answer=SearchResults,
        tag="Search",
    ),
)
