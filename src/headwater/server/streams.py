"""Every stream: how fast it reads and writes, how far it is behind, and what went wrong last."""

from msgspec import Raw, Struct
from sqlalchemy import Connection

from headwater.openlineage.events import format_time
from headwater.openlineage.facets import LOST
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, Param, Route
from headwater.server.pages.jobs import time_text
from headwater.server.pages.paging import (
    CURSOR,
    FILTER,
    NAMESPACE,
    STATES,
    cursor_for,
    order_of,
    place_of,
    sort_param,
    states_param,
    text_of,
    words_of,
)
from headwater.server.pages.runs import first_words
from headwater.server.runs import Lost
from headwater.store.read import nodes as read
from headwater.store.read.facets import Facets, decode_facet, facets_of, read_facet
from headwater.store.read.nodes import JobInfo, JobType, uuid_text
from headwater.store.read.pages.jobs import KEYS, JobFilter, job_page
from headwater.store.read.runs import RunRow, latest_runs
from headwater.store.read.streams import FLOW, HOUR_US, PROGRESS, Report, parents, reports, starts
from headwater.store.tables import RUN

RUNS_LOOKED_AT = 20
DETAILS, CONNECTOR = "spark_applicationDetails", "headwater_connector"


class StreamPoint(Struct, omit_defaults=True):
    """What a stream reported at one time; what it did not say is left out."""

    at: str
    inputRowsPerSecond: float | None = None
    processedRowsPerSecond: float | None = None
    batchMillis: float | None = None
    lag: float | None = None
    watermarkDelayMillis: float | None = None
    stateRows: float | None = None
    stateBytes: float | None = None


class StreamError(Struct):
    """The last time that a run of a stream failed."""

    message: str
    run: str
    at: str | None


class StreamEntry(Struct):
    """A stream and its latest run; `points` are of the last hour in which that run was heard of.

    `condition` is a connector's own word for how it is while its run is open, such as PAUSED.
    """

    id: str
    namespace: str
    name: str
    jobType: JobType | None
    state: str | None
    condition: str | None
    run: str | None
    startedAt: str | None
    endedAt: str | None
    heardAt: str | None
    restarts: int
    error: StreamError | None
    lost: Lost | None
    progress: Raw | None
    flow: Raw | None
    points: list[StreamPoint]
    uiUrl: str | None
    historyUrl: str | None


class StreamPage(Struct):
    """A page of streams."""

    streams: list[StreamEntry]
    cursor: str | None


def get_streams(call: Call, db: Connection) -> StreamPage:
    """A page of streams with their last hour."""
    wanted = JobFilter(
        text_of(call, "filter"), call.get("namespace"), words_of(call, "state", STATES), "STREAMING", None
    )
    order = order_of(call)
    found = job_page(db, wanted, order, place_of(call, KEYS, order), call.get("limit"))
    infos, begun = read.jobs(db, found.ids), starts(db, found.ids)
    history = latest_runs(db, found.ids, RUNS_LOOKED_AT)
    newest = [runs[0].id for runs in history.values()]
    above = parents(db, newest)
    failed = {id: run for id, runs in history.items() if (run := _failed(runs)) is not None}
    shown = {*newest, *above.values(), *(run.id for run in failed.values())}
    facets = facets_of(db, RUN, shown, [PROGRESS, FLOW, LOST, DETAILS, CONNECTOR, "errorMessage"])
    entries = []
    for id in found.ids:
        last = next(iter(history.get(id, [])), None)
        said = dict(facets.get(last.id, {})) if last else {}
        if last is not None and DETAILS not in said:
            said |= {name: body for name, body in facets.get(above.get(last.id, 0), {}).items() if name == DETAILS}
        error = _error(failed[id], facets.get(failed[id].id)) if id in failed else None
        seen = reports(db, last.id, (last.updated_at or 0) - HOUR_US) if last else []
        entries.append(_entry(infos[id], last, said, error, max(begun.get(id, 0) - 1, 0), seen))
    return StreamPage(entries, cursor_for(found.end, order))


def _entry(
    info: JobInfo, run: RunRow | None, said: Facets, error: StreamError | None, restarts: int, seen: list[Report]
) -> StreamEntry:
    details = read_facet(said, DETAILS, _Details) or _Details()
    connector = read_facet(said, CONNECTOR, _Connector) or _Connector()
    return StreamEntry(
        canonical(Kind.JOB, info.namespace, info.name),
        info.namespace,
        info.name,
        info.type,
        run.state if run else None,
        connector.state if run and run.state == "RUNNING" else None,
        uuid_text(run.uuid) if run else None,
        time_text(run.started_at) if run else None,
        time_text(run.ended_at) if run else None,
        time_text(run.updated_at) if run else None,
        restarts,
        error,
        read_facet(said, LOST, Lost) if run and run.state == "LOST" else None,
        _raw(said, PROGRESS),
        _raw(said, FLOW),
        [point(report) for report in seen],
        _web_address(details.uiWebUrl),
        _web_address(details.historyUrl),
    )


def _failed(newest_first: list[RunRow]) -> RunRow | None:
    return next((run for run in newest_first if run.state == "FAILED"), None)


def _error(run: RunRow, facets: Facets | None) -> StreamError:
    message = first_words(facets) or "it failed and did not say why"
    return StreamError(message, uuid_text(run.uuid) or "", time_text(run.ended_at))


def _raw(facets: Facets, name: str) -> Raw | None:
    return Raw(facets[name]) if name in facets else None


def _web_address(said: str | None) -> str | None:
    """An address that a page may link to; a name in an event must not become a script."""
    return said if said is not None and said.startswith(("http://", "https://")) else None


# -- points ----------------------------------------------------------------------------------------


class _Details(Struct):
    uiWebUrl: str | None = None
    historyUrl: str | None = None


class _Connector(Struct):
    state: str | None = None


class _Source(Struct):
    lag: float | None = None


class _Progress(Struct):
    inputRowsPerSecond: float | None = None
    processedRowsPerSecond: float | None = None
    batchMillis: float | None = None
    watermarkDelayMillis: float | None = None
    stateRows: float | None = None
    stateBytes: float | None = None
    sources: list[_Source] = []


class _Flow(Struct):
    recordsPerSecond: float | None = None
    lag: float | None = None


def point(report: Report) -> StreamPoint:
    """The figures of one report; a facet that is not of the shape we know gives none."""
    progress = decode_facet(report.progress or None, _Progress) or _Progress()
    flow = decode_facet(report.flow or None, _Flow) or _Flow()
    lags = [source.lag for source in progress.sources if source.lag is not None]
    return StreamPoint(
        format_time(report.at),
        progress.inputRowsPerSecond if progress.inputRowsPerSecond is not None else flow.recordsPerSecond,
        progress.processedRowsPerSecond,
        progress.batchMillis,
        sum(lags) if lags else flow.lag,
        progress.watermarkDelayMillis,
        progress.stateRows,
        progress.stateBytes,
    )


ROUTES = (
    Route(
        "GET",
        "/api/v2/streams",
        get_streams,
        "streaming jobs with the figures of their last hour",
        params=(
            FILTER,
            NAMESPACE,
            states_param("the latest run"),
            sort_param(KEYS, "name"),
            Param("limit", int, 50, minimum=1, maximum=200, help="streams in one answer at most"),
            CURSOR,
        ),
        answer=StreamPage,
        tag="streams",
    ),
)
