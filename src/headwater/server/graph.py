"""The graph around any node: tables and columns, now or at a time, in pages."""

from sqlalchemy import Connection

from headwater.lineage.diff import GraphDiff, graph_diff
from headwater.lineage.impact import Impact, as_csv, impact
from headwater.lineage.neighbourhood import Graph, Question, neighbourhood, newest_part
from headwater.openlineage.events import parse_time
from headwater.openlineage.node_ids import Kind
from headwater.server.http import Answer, Call, HttpError, Param, Route
from headwater.store.read.names import Found, UnknownNode, resolve

MOST = 10_000

NODE = Param("node", required=True, help="a node id, such as dataset:NAMESPACE:NAME or job:NAMESPACE:NAME")
START = Param("node", help="a node id, such as dataset:NAMESPACE:NAME; without it, what was heard of last")
DIRECTION = Param("direction", default="both", choices=("up", "down", "both"), help="which way to go")
DEPTH = Param("depth", int, 2, maximum=1000, help="how many jobs to cross at most")
COLUMNS = Param("columns", bool, False, help="with the columns of each dataset and the flows among them")
COLUMN = Param("column", help="only what this column of the dataset comes from and goes into")
AT = Param("at", help="the graph as it was at this time (ISO-8601, event time)")
LIMIT = Param("limit", int, 200, minimum=1, maximum=MOST, help="nodes in one answer at most")
FROM = Param("from", required=True, help="the earlier time (ISO-8601, event time)")
TO = Param("to", help="the later time; now if not given")
ALL = Param("limit", int, 2000, minimum=1, maximum=MOST, help="nodes looked at, at most")
FAR = Param("depth", int, 100, maximum=1000, help="how many jobs to cross at most")
FORMAT = Param("format", default="json", choices=("json", "csv"), help="of the answer")
CURSOR = Param("cursor", help="where the answer before ended, as it said")


def get_graph(call: Call, db: Connection) -> Graph:
    """The graph around a node; without one, the jobs heard of last with their datasets."""
    question = Question(
        call.get("direction"),
        call.get("depth"),
        call.get("columns"),
        call.get("column"),
        time_of(call, "at"),
        call.get("limit"),
        _skip(call.get("cursor")),
    )
    return _graph(db, _start(call, db), question)


def get_diff(call: Call, db: Connection) -> GraphDiff:
    """What changed in the graph around a node, or in its newest part, between two times."""
    start = _start(call, db)
    graphs: list[Graph | None] = []
    for name in ("from", "to"):
        question = Question(
            call.get("direction"),
            call.get("depth"),
            call.get("columns"),
            call.get("column"),
            time_of(call, name),
            call.get("limit"),
        )
        try:
            graphs.append(_graph(db, start, question))
        except UnknownNode:
            graphs.append(None)
    return graph_diff(start.node_id if start else None, *graphs)


def get_impact(call: Call, db: Connection) -> Answer:
    """Everything downstream of a node, with its owners, as JSON or as a table."""
    start = graph_start(db, call.get("node"), None)
    found = impact(db, start, call.get("depth"), call.get("limit"))
    if call.get("format") == "json":
        return Answer(found)
    headers = {"content-disposition": 'attachment; filename="impact.csv"'}
    return Answer(as_csv(found.affected).encode(), headers=headers, media_type="text/csv; charset=utf-8")


def _start(call: Call, db: Connection) -> Found | None:
    node, column = call.get("node"), call.get("column")
    if node is None and column is not None:
        raise HttpError(400, f"parameter 'column' is {column!r}, but 'node' is missing; name the dataset it is in")
    return None if node is None else graph_start(db, node, column)


def _graph(db: Connection, start: Found | None, question: Question) -> Graph:
    return newest_part(db, question) if start is None else neighbourhood(db, start, question)


def graph_start(db: Connection, node: str, column: str | None) -> Found:
    """The stored thing to start from; 400 if no graph starts from its kind."""
    start = resolve(db, node)
    if start.kind is Kind.RUN:
        raise HttpError(400, f"parameter 'node' is {node!r}; a graph is around a job, dataset or column")
    if column is not None and start.kind is Kind.JOB:
        raise HttpError(400, f"parameter 'column' is {column!r}, but {node!r} is a job, which has no columns")
    return start


def time_of(call: Call, name: str) -> int | None:
    """A parameter that is a time, in microseconds."""
    given: str | None = call.get(name)
    if given is None:
        return None
    try:
        return parse_time(given.replace(" ", "+"))
    except (ValueError, OverflowError):
        expected = "ISO-8601 such as 2026-01-31T12:00:00Z"
        raise HttpError(400, f"parameter {name!r} is {given!r}; expected {expected}") from None


def _skip(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if cursor.isascii() and cursor.isdigit() and len(cursor) < 9:
        return int(cursor)
    raise HttpError(400, f"parameter 'cursor' is {cursor!r}; expected the cursor of the answer before")


ROUTES = (
    Route(
        "GET",
        "/api/v2/graph",
        get_graph,
        "the graph around a node",
        params=(START, DIRECTION, DEPTH, COLUMNS, COLUMN, AT, LIMIT, CURSOR),
        answer=Graph,
        tag="graph",
    ),
    Route(
        "GET",
        "/api/v2/graph/diff",
        get_diff,
        "what changed in the graph around a node",
        params=(START, FROM, TO, DIRECTION, DEPTH, COLUMNS, COLUMN, ALL),
        answer=GraphDiff,
        tag="graph",
    ),
    Route(
        "GET",
        "/api/v2/impact",
        get_impact,
        "everything downstream of a node, with its owners",
        params=(NODE, FAR, ALL, FORMAT),
        answer=Impact,
        tag="graph",
    ),
)
