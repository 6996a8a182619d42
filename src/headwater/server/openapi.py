"""The OpenAPI 3.1 document of both APIs, made from the list of routes."""

import inspect
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from headwater import __version__
from headwater.server.docs_page import CONTENT_SECURITY_POLICY, render
from headwater.server.http import JSON, Answer, Call, Param, Route, path_names

Json = dict[str, Any]


class ErrorAnswer(Struct):
    """What went wrong: what was given, what was expected, and what to do next."""

    code: int
    message: str


def with_documentation(routes: Sequence[Route]) -> tuple[Route, ...]:
    """The routes, and two more that describe them: /openapi.json and /docs."""
    listed: list[Route] = [*routes]

    @cache
    def described() -> Json:
        # At the first question, not at start: nobody else should wait for it.
        return document(listed)

    async def get_document(_call: Call) -> Answer:
        """This API as an OpenAPI 3.1 document."""
        return Answer(described())

    async def get_page(_call: Call) -> Answer:
        """This API as a page to read."""
        headers = {"content-security-policy": CONTENT_SECURITY_POLICY, "x-content-type-options": "nosniff"}
        return Answer(render(described()).encode(), headers=headers, media_type="text/html; charset=utf-8")

    program = Route(
        "GET", "/openapi.json", get_document, "this API, for programs", answer=dict[str, Any], tag="operation"
    )
    page = Route("GET", "/docs", get_page, "this API, to read", answer=str, tag="operation", media_type="text/html")
    listed += (program, page)
    return tuple(listed)


def document(routes: Sequence[Route]) -> Json:
    """The OpenAPI document of some routes."""
    types = [_describable(t) for route in routes for t in (route.body, route.answer) if t is not None]
    schemas, components = msgspec.json.schema_components(
        [*types, ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    found = iter(schemas)
    paths: dict[str, Json] = {}
    for route in routes:
        body = next(found) if route.body is not None else None
        answer = next(found) if route.answer is not None else None
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, body, answer, next_error=schemas[-1])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Headwater",
            "version": __version__,
            "description": "Lineage: OpenLineage events in, answers out. /api/v1 answers as Marquez does; "
            "/api/v2 is Headwater's own.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in dict.fromkeys(_tag(route) for route in routes)],
        "paths": paths,
        "components": {"schemas": components},
    }


def _describable(kind: Any) -> Any:
    """The type, or any object where it cannot be described, such as one with a choice of two structs."""
    try:
        msgspec.json.schema_components([kind])
    except TypeError:
        return dict[str, Any]
    return kind


def _operation(route: Route, body: Json | None, answer: Json | None, next_error: Json) -> Json:
    failures = ["400", "404"]
    responses: Json = {str(route.status): _response("Done", answer, route.media_type)}
    if body is not None:
        failures += ["413", "422", "503"]
    for status in failures:
        responses[status] = _response(FAILURES[status], next_error, JSON)
    operation: Json = {
        "operationId": f"{route.method.lower()}{route.path}".replace("/", "_").replace("{", "").replace("}", ""),
        "summary": _sentence(route.summary),
        "description": inspect.getdoc(route.handler) or "",
        "tags": [_tag(route)],
        "parameters": [_path_parameter(name) for name in path_names(route.path)]
        + [_parameter(param) for param in route.params],
        "responses": responses,
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": body}}}
    return operation


FAILURES = {
    "400": "What was asked for makes no sense",
    "404": "There is no such thing",
    "413": "Too large",
    "422": "A field is wrong",
    "503": "Busy; send it again after Retry-After seconds",
}


def _response(words: str, schema: Json | None, media_type: str) -> Json:
    return {"description": words} | ({"content": {media_type: {"schema": schema}}} if schema is not None else {})


def _path_parameter(name: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _parameter(param: Param) -> Json:
    schema: Json = {"type": {int: "integer", bool: "boolean"}.get(param.type, "string")}
    if param.type is int:
        schema |= {"minimum": param.minimum, "maximum": param.maximum}
    if param.choices:
        schema["enum"] = list(param.choices)
    if param.default is not None:
        schema["default"] = param.default
    return {
        "name": param.name,
        "in": "query",
        "required": param.required,
        "description": _sentence(param.help),
        "schema": schema,
    }


def _tag(route: Route) -> str:
    """Operations are grouped by API, then by noun."""
    api = "Marquez" if route.path.startswith("/api/v1") else "Headwater"
    return f"{api}: {route.tag.lower()}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
