"""What was odd about what was sent, so that nothing is dropped in silence."""

from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import format_time
from headwater.server.http import Call, HttpError, Param, Route
from headwater.store.read.diagnostics import (
    DiagnosticRow,
    count_diagnostics,
    find_diagnostic,
    list_diagnostics,
)

LARGEST_ID = 2**53


class Diagnostic(Struct, omit_defaults=True):
    """One oddity. `event` is the id of the stored event it is about; a refused one has none."""

    id: int
    kind: str
    at: str
    message: str
    field: str | None = None
    event: int | None = None
    body: str | None = None


class Diagnostics(Struct):
    """The newest first, with how many there are of each kind."""

    counts: dict[str, int]
    diagnostics: list[Diagnostic]
    cursor: str | None


def get_diagnostics(call: Call, db: Connection) -> Diagnostics:
    """What was odd, the newest first."""
    limit: int = call.get("limit")
    rows = list_diagnostics(db, call.get("kind"), limit + 1, call.get("cursor"))
    shown = rows[:limit]
    return Diagnostics(
        count_diagnostics(db),
        [_shown(row) for row in shown],
        str(shown[-1].id) if len(rows) > limit else None,
    )


def get_diagnostic(call: Call, db: Connection) -> Diagnostic:
    """One diagnostic; of a refused event, `body` is what was sent."""
    text = call.path["id"]
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1
    found = find_diagnostic(db, number)
    if found is None:
        raise HttpError(404, f"no diagnostic {text!r}; list them with /api/v2/diagnostics")
    row, body = found
    shown = _shown(row)
    shown.body = None if body is None else body.decode("utf-8", "replace")
    return shown


def _shown(row: DiagnosticRow) -> Diagnostic:
    return Diagnostic(row.id, row.kind, format_time(row.at), row.message, row.field or None, row.event_id)


ROUTES = (
    Route(
        "GET",
        "/api/v2/diagnostics",
        get_diagnostics,
        "what was odd about what was sent",
        params=(
            Param("kind", help="only of this kind: rejected, duplicate, late, out-of-order, invalid-facet"),
            Param("limit", int, 100, minimum=1, maximum=1000, help="entries in one answer at most"),
            Param("cursor", int, maximum=LARGEST_ID, help="where the answer before ended, as it said"),
        ),
        answer=Diagnostics,
        tag="diagnostics",
    ),
    Route(
        "GET",
        "/api/v2/diagnostics/{id}",
        get_diagnostic,
        "one diagnostic, with what was sent",
        answer=Diagnostic,
        tag="diagnostics",
    ),
)
