"""Every run, of whatever job."""

import re

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import run_uuid
from headwater.server.http import Call, Route
from headwater.server.pages.paging import (
    CURSOR,
    FILTER,
    LIMIT,
    NAMESPACE,
    STATES,
    TOTAL,
    cursor_for,
    order_of,
    place_of,
    sort_param,
    states_param,
    text_of,
    words_of,
)
from headwater.server.runs import ErrorMessage, RunSummary, summary
from headwater.store.read.facets import facets_of, read_facet
from headwater.store.read.history import runs
from headwater.store.read.pages.runs import KEYS, RunFilter, count_runs, run_page
from headwater.store.tables import RUN

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
LONGEST_ERROR = 500


class RunEntry(Struct):
    """A run in a list, with the first words of its error."""

    run: RunSummary
    error: str | None


class RunPage(Struct):
    """A page of runs; `total` counts all of them, if asked for."""

    runs: list[RunEntry]
    cursor: str | None
    total: int | None


def get_runs(call: Call, db: Connection) -> RunPage:
    """A page of runs."""
    text = text_of(call, "filter")
    uuid = run_uuid(text) if text and _UUID.fullmatch(text) else None
    wanted = RunFilter(None if uuid else text, call.get("namespace"), words_of(call, "state", STATES), uuid)
    order = order_of(call)
    found = run_page(db, wanted, order, place_of(call, KEYS, order), call.get("limit"))
    known = runs(db, found.ids)
    failed = [id for id in found.ids if known[id].state in ("FAILED", "ABORTED")]
    facets = facets_of(db, RUN, failed, ["errorMessage"])
    entries = [RunEntry(summary(known[id]), first_words(facets.get(id))) for id in found.ids]
    total = count_runs(db, wanted) if call.get("total") else None
    return RunPage(entries, cursor_for(found.end, order), total)


def first_words(facets: dict[str, bytes] | None) -> str | None:
    """The beginning of what a run says went wrong."""
    error = read_facet(facets, "errorMessage", ErrorMessage)
    return error.message[:LONGEST_ERROR] if error else None


ROUTES = (
    Route(
        "GET",
        "/api/v2/runs",
        get_runs,
        "runs of every job, in pages",
        params=(FILTER, NAMESPACE, states_param("itself"), sort_param(KEYS, "-started"), LIMIT, TOTAL, CURSOR),
        answer=RunPage,
        tag="runs",
    ),
)
