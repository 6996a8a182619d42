"""Asking a running server: the options every read command shares, and one GET with clear errors."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar
from urllib.parse import quote

import msgspec
import typer

from headwater.errors import HeadwaterError
from headwater.settings import hide_password, load_settings

TIMEOUT = 60.0
Answer = TypeVar("Answer")
Value = str | int | bool | None

Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of the server, instead of HEADWATER_URL.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print the server's answer as it came, as JSON.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="Print at most this many.")]
Offset = Annotated[int, typer.Option("--offset", min=0, help="Leave out this many first.")]


class ServerError(HeadwaterError):
    """The server could not be asked, or would not answer."""


def get(url: str | None, path: str, params: Mapping[str, Value] | None = None) -> bytes:
    """The body of the server's answer to GET path; parameters that are None are left out."""
    # Imported here because it is most of the start-up time, and `headwater serve` has no use for it.
    import httpx

    base = load_settings({"url": url}, os.environ, Path.cwd()).url
    shown = hide_password(base)
    given = {name: value for name, value in (params or {}).items() if value is not None}
    try:
        response = httpx.get(base + path, params=given, timeout=TIMEOUT, follow_redirects=True)
    except httpx.TimeoutException as error:
        raise ServerError(f"the server at {shown} did not answer within {TIMEOUT:.0f} s; ask for less") from error
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise ServerError(
            f"no Headwater server answers at {shown} ({error}); start one with: headwater serve, "
            f"or name another with --url or HEADWATER_URL"
        ) from error
    if response.is_error:
        raise ServerError(f"{shown} answered {response.status_code}: {reason(response.content)}")
    return response.content


def decode(answer: bytes, kind: type[Answer]) -> Answer:
    """An answer as the given type; what the type does not name is left out."""
    try:
        return msgspec.json.decode(answer, type=kind)
    except msgspec.MsgspecError as error:
        raise ServerError(
            f"the answer is not one of a Headwater server ({error}); check --url or HEADWATER_URL"
        ) from error


def path(*parts: str) -> str:
    """A path under the API in which each part, whatever characters it has, is one segment."""
    return "/" + "/".join(quote(part, safe="") for part in parts)


def reason(body: bytes) -> str:
    """What an error answer says: its message, its list of errors, or the start of its text."""
    try:
        said = msgspec.json.decode(body)
    except msgspec.MsgspecError:
        return body[:200].decode(errors="replace").strip() or "nothing"
    if isinstance(said, dict):
        if isinstance(said.get("message"), str):
            return str(said["message"])
        if isinstance(said.get("errors"), list):
            return "; ".join(str(error) for error in said["errors"])
    return str(said)[:200]
