"""The web app: its built files, cached for as long as their names last, under a strict content-security policy."""

import gzip
from functools import cache
from pathlib import Path

from headwater.server.http import Answer, Call, HttpError, Route

BUILT = Path(__file__).parent.parent / "web"
# A place of the app is one path segment, so that relative addresses work wherever a proxy puts it.
PLACES = ("jobs", "datasets", "runs", "streams", "connectors", "events", "diagnostics")
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SAFE = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "vary": "accept-encoding"}
FOR_EVER = "public, max-age=31536000, immutable"

NOT_BUILT = """<!doctype html><html lang=en><meta charset=utf-8><title>Headwater</title>
<h1>The web app is not built</h1>
<p>The server works; only its pages are missing. In a clone of the repository, build them with <code>make ui</code>
and load this page again. A published package has them.</p>
<p>The API is described at <a href=docs>docs</a>.</p></html>"""


async def get_page(call: Call) -> Answer:
    """The page of every place in the app."""
    headers = SAFE | {"content-security-policy": CONTENT_SECURITY_POLICY, "cache-control": "no-cache"}
    if not (BUILT / "index.html").is_file():
        return Answer(NOT_BUILT.encode(), 404, headers, MEDIA_TYPES[".html"])
    return _file(call, "index.html", headers)


async def get_icon(call: Call) -> Answer:
    return _file(call, "favicon.svg", SAFE | {"cache-control": "max-age=86400"})


async def get_asset(call: Call) -> Answer:
    """A file whose name has the hash of its content."""
    return _file(call, f"assets/{call.path['name']}", SAFE | {"cache-control": FOR_EVER})


def _file(call: Call, name: str, headers: dict[str, str]) -> Answer:
    file = BUILT / name
    media_type = MEDIA_TYPES.get(file.suffix)
    # A name is one segment, but one that was encoded may hold any character.
    if media_type is None or not file.is_file() or BUILT not in file.resolve().parents:
        raise HttpError(404, f"the web app has no file {name!r}; load the page again, it may be of an older version")
    packed = "gzip" in call.headers.get("accept-encoding", "")
    content = _content(file, file.stat().st_mtime_ns, packed)
    return Answer(content, headers=headers | ({"content-encoding": "gzip"} if packed else {}), media_type=media_type)


@cache
def _content(file: Path, _changed: int, packed: bool) -> bytes:
    content = file.read_bytes()
    return gzip.compress(content, 9, mtime=0) if packed else content


ROUTES = (
    *(Route("GET", f"/{place}", get_page, "a place in the web app") for place in ("", *PLACES)),
    Route("GET", "/favicon.svg", get_icon, "the web app's icon"),
    Route("GET", "/assets/{name}", get_asset, "a file of the web app"),
)
