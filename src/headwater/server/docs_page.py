"""The API as one page to read: plain HTML that loads nothing from anywhere, without any script."""

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import Any

Json = dict[str, Any]

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: #2563b0; --ink: CanvasText }
@media (prefers-color-scheme: dark) { :root { --link: #7db2f0 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 62rem; margin: 0 auto; padding: 1.5rem }
h1 { margin: 0 } h2 { margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line) }
a { color: var(--link) } code, .path { font: 13px/1.5 ui-monospace, monospace }
nav { columns: 3 14rem; padding: 1rem 0 } nav a { display: block }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .1rem .7rem }
details[open] { padding-bottom: .7rem } summary { cursor: pointer; padding: .3rem 0 }
.method { display: inline-block; width: 4.2rem; font-weight: 600 } .what { float: right; opacity: .75 }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600; opacity: .75 }
td, th { padding: .15rem .8rem .15rem 0; vertical-align: top; border-top: 1px solid var(--soft) }
"""

_digest = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def render(document: Json) -> str:
    """The page of an OpenAPI document."""
    info = document["info"]
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{escape(info['title'])} API</title><style>{STYLE}</style>"
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])} "
        "For programs: <a href='openapi.json'>openapi.json</a>.</p>"
        + "".join(_contents(document))
        + "".join(_sections(document))
        + "".join(_types(document))
        + "</html>"
    )


def _contents(document: Json) -> Iterator[str]:
    yield "<nav>"
    for tag in document["tags"]:
        yield f"<a href='#{_anchor(tag['name'])}'>{escape(tag['name'])}</a>"
    yield "<a href='#types'>Types</a></nav>"


def _sections(document: Json) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"<h2 id='{_anchor(tag['name'])}'>{escape(tag['name'])}</h2>"
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    yield from _operation(method, path, operation)


def _operation(method: str, path: str, operation: Json) -> Iterator[str]:
    yield f"<details><summary><span class=method>{method.upper()}</span><span class=path>{escape(path)}</span>"
    yield f"<span class=what>{escape(operation['summary'])}</span></summary>"
    yield f"<p>{escape(operation['description'])}</p>"
    if operation["parameters"]:
        yield "<table><tr><th>parameter<th>in<th>type<th>meaning</tr>"
        for p in operation["parameters"]:
            must = " (required)" if p["required"] else ""
            yield f"<tr><td><code>{escape(p['name'])}</code><td>{p['in']}<td>{_type(p['schema'])}"
            yield f"<td>{escape(p.get('description', ''))}{must}</tr>"
        yield "</table>"
    if body := operation.get("requestBody"):
        yield f"<p>Body: {_content(body['content'])}</p>"
    for status, response in operation["responses"].items():
        yield f"<p>{status}: {escape(response['description'])} {_content(response.get('content', {}))}</p>"
    yield "</details>"


def _types(document: Json) -> Iterator[str]:
    yield "<h2 id=types>Types</h2>"
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield f"<details id='type-{_anchor(name)}'><summary><code>{escape(name)}</code>"
        yield f"<span class=what>{escape(schema.get('title', ''))}</span></summary>"
        yield f"<p>{escape(schema.get('description', ''))}</p><table>"
        for field, kind in schema.get("properties", {}).items():
            optional = "" if field in schema.get("required", ()) else " (may be absent)"
            yield f"<tr><td><code>{escape(field)}</code><td>{_type(kind)}{optional}</tr>"
        yield "</table></details>"


def _content(content: Json) -> str:
    return ", ".join(f"{_type(part['schema'])} as <code>{escape(kind)}</code>" for kind, part in content.items())


def _type(schema: Json) -> str:
    """A schema in a few words, with links to the types it names."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"<a href='#type-{_anchor(name)}'>{escape(name)}</a>"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "enum" in schema:
        default = f" ({escape(str(schema['default']))})" if "default" in schema else ""
        return " | ".join(escape(str(value)) for value in schema["enum"]) + default
    kind = schema.get("type", "any JSON")
    if kind == "array":
        inner = schema.get("items")
        return f"list of {_type(inner)}" if isinstance(inner, dict) else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_type(schema['additionalProperties'])}"
    default = f" ({escape(str(schema['default']))})" if schema.get("default") not in (None, [], {}) else ""
    return escape(str(kind)) + default


def _anchor(name: str) -> str:
    return escape(name.replace(": ", "-").replace(" ", "-"), quote=True)
