"""The HTTP seam: what a route, a request and an answer are, and how one becomes the other.

Paths are matched while still percent-encoded, because a dataset's name may hold a slash or be empty.
"""

import inspect
import logging
from asyncio import FIRST_COMPLETED, ensure_future, gather, get_running_loop, wait
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, quote, unquote

import msgspec
from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.server.body import Body, BodyError, Inflight
from headwater.settings import Settings
from headwater.store.database import Database
from headwater.store.writer import Overloaded, WriteFailed, Writer

if TYPE_CHECKING:
    from headwater.server.changes import Changes

log = logging.getLogger(__name__)
T = TypeVar("T")
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]
Handler = Callable[..., Any]

JSON = "application/json"
LARGEST_INT = 2**31 - 1
TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")


class Param(Struct, frozen=True):
    """A query parameter, as documented and as `Call.get` reads it."""

    name: str
    type: type = str
    default: object = None
    required: bool = False
    help: str = ""
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = LARGEST_INT


class Route(Struct, frozen=True):
    """One thing that can be asked. `path` has {names}; a sync handler reads, an async one may write."""

    method: str
    path: str
    handler: Handler
    summary: str
    params: tuple[Param, ...] = ()
    body: Any = None
    answer: Any = None
    status: int = 200
    tag: str = ""
    media_type: str = JSON


class HttpError(Exception):
    """An answer that is not a success; a text becomes {"code": status, "message": text}."""

    def __init__(self, status: int, content: object, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status}: {content}")
        self.status = status
        self.content = {"code": status, "message": content} if isinstance(content, str) else content
        self.headers = headers or {}


class Answer(Struct):
    """What a handler returns when JSON with the route's own status is not enough.

    bytes are sent as they are, an async iterator of bytes is streamed, None has no body, the rest is JSON.
    """

    content: Any = None
    status: int | None = None
    headers: Mapping[str, str] = {}
    media_type: str = JSON


class Services:
    """What requests share; made once by the app, which also sets `changes`."""

    changes: "Changes"

    def __init__(
        self,
        db: Database,
        writer: Writer,
        settings: Settings,
        pool: Executor,
        clock: Callable[[], int],
    ) -> None:
        self.db = db
        self.writer = writer
        self.settings = settings
        self.pool = pool
        self.clock = clock
        self.inflight = Inflight(settings.max_inflight_mb)

    async def read(self, fn: Callable[..., T], *args: Any) -> T:
        """Run fn(connection, *args) in a thread with a read connection."""
        return await get_running_loop().run_in_executor(self.pool, _reading, self.db, fn, args)


class Call:
    """One request, as a handler sees it."""

    __slots__ = ("body", "headers", "path", "query", "route", "services")

    def __init__(
        self,
        route: Route,
        path: dict[str, str],
        query: Mapping[str, list[str]],
        services: Services,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> None:
        self.route = route
        self.path = path
        self.query = query
        self.headers = headers or {}
        self.body = body
        self.services = services

    @property
    def db(self) -> Database:
        return self.services.db

    @property
    def writer(self) -> Writer:
        return self.services.writer

    @property
    def settings(self) -> Settings:
        return self.services.settings

    @property
    def clock(self) -> Callable[[], int]:
        return self.services.clock

    def first(self, name: str, default: str | None = None) -> str | None:
        """The first value of a query parameter as sent, or the default."""
        values = self.query.get(name)
        return values[0] if values else default

    def get(self, name: str) -> Any:
        """A query parameter converted as its Param says; 400 with the name and the value if it cannot be."""
        param = next(p for p in self.route.params if p.name == name)
        given = self.first(name)
        if given is None or (given == "" and param.type is not str):
            if param.required:
                raise HttpError(400, f"parameter {name!r} is missing; {param.help or 'it is required'}")
            return param.default
        return _convert(param, given)

    async def read(self, fn: Callable[..., T], *args: Any) -> T:
        """Run fn(connection, *args) in a thread with a read connection."""
        return await self.services.read(fn, *args)


def _reading(db: Database, fn: Callable[..., T], args: tuple[Any, ...]) -> T:
    with db.read() as connection:
        return fn(connection, *args)


def _convert(param: Param, given: str) -> Any:
    if param.type is bool:
        lowered = given.lower()
        if lowered in TRUE or lowered in FALSE:
            return lowered in TRUE
        raise HttpError(400, f"parameter {param.name!r} is {given!r}; expected true or false")
    if param.type is int:
        expected = f"a whole number from {param.minimum} to {param.maximum}"
        if len(given) <= 20 and given.isascii() and given.lstrip("-").isdigit():
            value = int(given)
            if param.minimum <= value <= param.maximum:
                return value
        raise HttpError(400, f"parameter {param.name!r} is {given!r}; expected {expected}")
    if param.choices and given not in param.choices:
        raise HttpError(400, f"parameter {param.name!r} is {given!r}; expected one of {', '.join(param.choices)}")
    return given


# -- matching --------------------------------------------------------------------------------------


class _Node:
    __slots__ = ("any", "literals", "methods")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.any: _Node | None = None
        self.methods: dict[str, Route] = {}


class Table:
    """Routes by path segment; a literal segment wins over a {name}, which takes any text, even none."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._root = _Node()
        for route in routes:
            node = self._root
            for segment in route.path.split("/")[1:]:
                if segment.startswith("{"):
                    node.any = node.any or _Node()
                    node = node.any
                else:
                    node = node.literals.setdefault(segment, _Node())
            if route.method in node.methods:
                raise HeadwaterError(f"route {route.method} {route.path} is listed twice; remove one")
            node.methods[route.method] = route

    def find(self, raw_path: str) -> tuple[dict[str, Route], list[str]] | None:
        """The routes of a percent-encoded path by method, and its decoded parameters; None if unknown."""
        segments = raw_path.split("/")[1:]
        found = _match(self._root, segments, 0, [])
        if found is None and len(segments) > 1 and segments[-1] == "":
            found = _match(self._root, segments[:-1], 0, [])
        return found


def _match(node: _Node, segments: list[str], at: int, values: list[str]) -> tuple[dict[str, Route], list[str]] | None:
    if at == len(segments):
        return (node.methods, [unquote(v, errors="strict") for v in values]) if node.methods else None
    segment = segments[at]
    literal = node.literals.get(segment)
    if literal is not None and (found := _match(literal, segments, at + 1, values)) is not None:
        return found
    if node.any is not None:
        return _match(node.any, segments, at + 1, [*values, segment])
    return None


def path_names(path: str) -> list[str]:
    """The {names} in a route's path, in order."""
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def raw_path(scope: Scope) -> str:
    """The path of a request, still percent-encoded, without the prefix that the app is mounted under."""
    raw = scope.get("raw_path")
    path = raw.decode("latin-1") if raw is not None else quote(scope["path"], safe="/:@!$&'()*+,;=~-._")
    root = quote(scope.get("root_path", ""), safe="/")
    return path[len(root) :] if root and path.startswith(root + "/") else path


# -- answering -------------------------------------------------------------------------------------


class Router:
    """The ASGI app over a list of routes."""

    def __init__(self, routes: Sequence[Route], services: Services) -> None:
        self.services = services
        self._table = Table(routes)
        self._names = {id(route): path_names(route.path) for route in routes}
        self._is_async = {id(route): inspect.iscoroutinefunction(route.handler) for route in routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer, status = await self._answer(scope, receive)
        except Exception as error:
            answer, status = error_answer(error), 500
        if isinstance(answer.content, AsyncGenerator) and scope["method"] != "HEAD":
            await stream_answer(receive, send, answer, status)
        else:
            await send_answer(send, answer, status, head=scope["method"] == "HEAD")

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[Answer, int]:
        route, values = self._route(scope)
        call = Call(
            route,
            dict(zip(self._names[id(route)], values, strict=True)),
            _query(scope["query_string"]),
            self.services,
            {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]},
        )
        if route.body is None:
            return await self._run(call, route), route.status
        body = Body(scope["headers"], receive, self.services.settings.max_event_mb, self.services.inflight)
        try:
            call.body = await body.read()
            return await self._run(call, route), route.status
        finally:
            body.release()

    async def _run(self, call: Call, route: Route) -> Answer:
        if self._is_async[id(route)]:
            result = await route.handler(call)
            return encoded(result, route)
        pool = self.services.pool
        return await get_running_loop().run_in_executor(pool, _answer_in_thread, call, route)

    def _route(self, scope: Scope) -> tuple[Route, list[str]]:
        path = raw_path(scope)
        try:
            found = self._table.find(path)
        except UnicodeDecodeError:
            raise HttpError(400, f"path {path!r} is not percent-encoded UTF-8") from None
        if found is None:
            raise HttpError(404, f"no such path: {path}; /docs lists what there is")
        methods, values = found
        method = scope["method"]
        route = methods.get(method) or (methods.get("GET") if method == "HEAD" else None)
        if route is None:
            allowed = ", ".join(sorted(methods))
            raise HttpError(405, f"{method} is not allowed on {path}; it takes {allowed}", {"allow": allowed})
        if any("\x00" in value for value in values):
            raise HttpError(400, f"path {path!r} has a zero byte, which no name has")
        return route, values


def _answer_in_thread(call: Call, route: Route) -> Answer:
    with call.db.read() as connection:
        return encoded(route.handler(call, connection), route)


def encoded(result: object, route: Route) -> Answer:
    """The answer with its content as bytes, unless it has none or is a stream."""
    answer = result if isinstance(result, Answer) else Answer(result, media_type=route.media_type)
    content = answer.content
    if content is None or isinstance(content, bytes | AsyncGenerator):
        return answer
    answer.content = msgspec.json.encode(content)
    return answer


def _query(raw: bytes) -> dict[str, list[str]]:
    if not raw:
        return {}
    try:
        query = parse_qs(raw.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=1000)
    except ValueError:
        raise HttpError(400, "the query string is not percent-encoded UTF-8 of at most 1,000 fields") from None
    if "%00" in raw.decode("latin-1") and any("\x00" in v for values in query.values() for v in values):
        raise HttpError(400, "the query string has a zero byte, which no name has")
    return query


def error_answer(error: Exception) -> Answer:
    """What a caller is told of an exception; one that nobody foresaw is logged, and a bare 500."""
    if isinstance(error, HttpError):
        return Answer(msgspec.json.encode(error.content), error.status, error.headers)
    if isinstance(error, BodyError):
        return error_answer(HttpError(error.status, str(error), error.headers))
    if isinstance(error, Overloaded):
        return error_answer(HttpError(503, str(error), {"retry-after": str(error.retry_after)}))
    if isinstance(error, WriteFailed):
        return error_answer(HttpError(500, str(error)))
    if isinstance(error, HeadwaterError):
        status = getattr(error, "status", 400)
        return error_answer(HttpError(status, {"code": status, "message": str(error), "errors": [str(error)]}))
    log.error("unexpected error", exc_info=error)
    message = "unexpected error; the server's log has the details: please report it"
    return error_answer(HttpError(500, message))


async def send_answer(send: Send, answer: Answer, status: int, head: bool = False) -> None:
    """Send an encoded answer."""
    status = answer.status or status
    headers = _headers(answer)
    body: bytes = answer.content if isinstance(answer.content, bytes) else b""
    if status != 204 and not isinstance(answer.content, AsyncGenerator):
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else body})


async def stream_answer(receive: Receive, send: Send, answer: Answer, status: int) -> None:
    """Send a stream until it ends or its reader goes away, which only `receive` tells."""
    await send({"type": "http.response.start", "status": answer.status or status, "headers": _headers(answer)})
    pump = ensure_future(_pump(send, answer.content))
    gone = ensure_future(_gone(receive))
    try:
        await wait((pump, gone), return_when=FIRST_COMPLETED)
    finally:
        gone.cancel()
        pump.cancel()
        await gather(pump, gone, return_exceptions=True)
        await answer.content.aclose()


async def _pump(send: Send, content: AsyncGenerator[bytes, None]) -> None:
    async for chunk in content:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in answer.headers.items()]
    if answer.content is not None:
        headers.append((b"content-type", answer.media_type.encode("latin-1")))
    return headers
