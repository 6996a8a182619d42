"""Where events go, read from the places that OpenLineage users know."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from headwater.capture.openlineage_file import read_openlineage_file
from headwater.errors import SettingError
from headwater.settings import hide_password

ENDPOINT = "api/v1/lineage"
DEFAULT_NAMESPACE = "default"
DYNAMIC = "OPENLINEAGE__"
OUR_TRANSPORT = "headwater.capture.transport.OutboxTransport"
_SENT_BY_HTTP = ("http", "async_http", OUR_TRANSPORT)


@dataclass(frozen=True)
class Destination:
    """A backend that takes OpenLineage events over HTTP, and how to be let in."""

    url: str
    endpoint: str = ENDPOINT
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # they may hold a key
    timeout: float = 10.0  # seconds for one answer
    gzip: bool = True
    verify: bool = True
    ca_file: str | None = None
    certificate: tuple[str, str | None] | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """The full address of the endpoint, without anything secret: what tells one destination from another."""
        return f"{self.url}/{self.endpoint}"


def read_destination(env: Mapping[str, str], cwd: Path) -> Destination | None:
    """Where events go by the settings; None if lineage is switched off. SettingError says what is wrong with them.

    As in OpenLineage's client, openlineage.yml comes before OPENLINEAGE__TRANSPORT__…, and that before OPENLINEAGE_URL.
    """
    if env.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true":
        return None
    file = find_file(env, cwd)
    from_file = read_openlineage_file(file).get("transport") if file else None
    if from_file is not None and not isinstance(from_file, dict):
        raise SettingError(f"transport is {from_file!r} in {file}; expected settings below it, such as type and url")
    transport = _merged(_dynamic(env), _lowered(from_file or {}))
    if transport.get("type"):
        origin = str(file) if from_file and "type" in _lowered(from_file) else f"{DYNAMIC}TRANSPORT__TYPE"
        if transport["type"] == "noop":
            return None
        if transport["type"] not in _SENT_BY_HTTP:
            raise SettingError(
                f"transport type is {transport['type']!r} in {origin}; events can be delivered durably over http only: "
                f"set type: http and url, or take that setting away and set OPENLINEAGE_URL"
            )
        if transport.get("url") or transport["type"] != OUR_TRANSPORT:
            return destination_of(transport, origin)
    if not env.get("OPENLINEAGE_URL"):
        raise SettingError(
            "nothing says where lineage events go; set OPENLINEAGE_URL, for example http://127.0.0.1:5000, "
            "or write transport settings into openlineage.yml"
        )
    return destination_of(
        {
            "url": env["OPENLINEAGE_URL"],
            "endpoint": env.get("OPENLINEAGE_ENDPOINT") or ENDPOINT,
            "auth": {"type": "api_key", "apikey": key} if (key := env.get("OPENLINEAGE_API_KEY")) else None,
        },
        "OPENLINEAGE_URL",
    )


def read_namespace(env: Mapping[str, str]) -> str:
    """The namespace of jobs whose source does not name one."""
    return env.get("OPENLINEAGE_NAMESPACE", "").strip() or DEFAULT_NAMESPACE


def destination_of(transport: Mapping[str, Any], origin: str) -> Destination:
    """The destination that settings of an http transport describe, in any of OpenLineage's spellings."""
    given = _lowered(transport)
    url, headers = _split_url(given.get("url"), origin)
    headers |= _authorization(_group(given, "auth", origin), origin)
    more = _group(given, "headers", origin) or _group(given, "customheaders", origin)
    headers |= {str(name): str(value) for name, value in more.items()}
    for name, value in headers.items():
        if not (f"{name}{value}".isascii() and f"{name}{value}".isprintable()):
            raise SettingError(f"the header {name!r} or the key in {origin} has a character that no header may have")
    milliseconds, seconds = given.get("timeoutinmillis"), given.get("timeout")
    ssl = _lowered(_group(given, "sslcontext", origin))
    certificate = (str(ssl["clientcertpath"]), ssl.get("clientkeypath")) if ssl.get("clientcertpath") else None
    return Destination(
        url,
        str(given.get("endpoint") or ENDPOINT).strip("/"),
        headers,
        _positive(milliseconds, "timeoutInMillis", origin) / 1000
        if milliseconds is not None
        else _positive(10 if seconds is None else seconds, "timeout", origin),
        gzip=str(given.get("compression") or "gzip").lower() == "gzip",
        verify=str(given.get("verify", True)).lower() != "false",
        ca_file=ssl.get("cacertpath"),
        certificate=certificate,
    )


def find_file(env: Mapping[str, str], cwd: Path) -> Path | None:
    """The openlineage.yml in use; None if there is none."""
    if named := env.get("OPENLINEAGE_CONFIG"):
        file = cwd / Path(named).expanduser()
        if not file.is_file():
            raise SettingError(f"no file at {named!r}, which OPENLINEAGE_CONFIG names; create it or correct the path")
        return file
    home = Path(env.get("HOME") or Path.home())
    places = (cwd / "openlineage.yml", home / ".openlineage" / "openlineage.yml")
    return next((place for place in places if place.is_file()), None)


def _dynamic(env: Mapping[str, str]) -> dict[str, Any]:
    """What OPENLINEAGE__TRANSPORT__A__B=value says: {a: {b: value}}, where a value may be JSON."""
    found: dict[str, Any] = {}
    # In this order a whole group given as JSON replaces its single parts, as it does in OpenLineage's client.
    for name in sorted((name for name in env if name.startswith(f"{DYNAMIC}TRANSPORT__")), reverse=True):
        *groups, last = name.removeprefix(f"{DYNAMIC}TRANSPORT__").lower().split("__")
        place = found
        for group in groups:
            inner = place.setdefault(group, {})
            place = inner if isinstance(inner, dict) else {}
        try:
            place[last] = json.loads(env[name])
        except ValueError:
            place[last] = env[name]
    return _lowered(found)


def _merged(weaker: Mapping[str, Any], stronger: Mapping[str, Any]) -> dict[str, Any]:
    """Both, group by group, so that a file may leave the key to the environment."""
    both = {**weaker, **stronger}
    for name in weaker.keys() & stronger.keys():
        if isinstance(weaker[name], dict) and isinstance(stronger[name], dict):
            both[name] = {**weaker[name], **stronger[name]}
    return both


def _lowered(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Names without case and underscores: apiKey, api_key and APIKEY are one."""
    return {_plain(str(name)): value for name, value in settings.items()}


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _split_url(url: object, origin: str) -> tuple[str, dict[str, str]]:
    try:
        parts = urlsplit(str(url or "").strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        shown = repr(hide_password(str(url))) if url else "missing"
        raise SettingError(f"url is {shown} in {origin}; expected an address such as http://127.0.0.1:5000")
    headers = {}
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path.rstrip('/')}", headers


def _group(given: Mapping[str, Any], name: str, origin: str) -> Mapping[str, Any]:
    group = given.get(name) or {}
    if not isinstance(group, Mapping):
        raise SettingError(f"{name} is {type(group).__name__} in {origin}; expected settings below it")
    return group


def _authorization(auth: Mapping[str, Any], origin: str) -> dict[str, str]:
    if not auth:
        return {}
    given = _lowered(auth)
    key = given.get("apikey")
    if given.get("type") != "api_key" or not key:
        raise SettingError(f"auth is of type {given.get('type')!r} in {origin}; expected type api_key with an apiKey")
    return {"Authorization": f"Bearer {key}"}


def _positive(value: object, name: str, origin: str) -> float:
    try:
        if (number := float(str(value))) > 0:
            return number
    except ValueError:
        pass
    raise SettingError(f"{name} is {value!r} in {origin}; expected a number above 0")
