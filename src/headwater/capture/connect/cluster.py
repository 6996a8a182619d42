"""Connect clusters to watch, as a person writes them: URL, or NAME=URL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import Struct

from headwater.errors import SettingError
from headwater.settings import hide_password

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(https?://.*)")
EXAMPLE = "http://localhost:8083"


class Cluster(Struct, frozen=True):
    """A cluster by the address of one of its workers; `suffix` ends the namespace of its jobs."""

    name: str
    url: str
    suffix: str = ""


def parse_clusters(written: Iterable[str]) -> tuple[Cluster, ...]:
    """The clusters of a list of URL and NAME=URL.

    The connectors of the first one without a name are jobs of the namespace that is set; those of every other
    cluster are in that namespace followed by / and the cluster's name, which is HOST:PORT where none was given.
    """
    found: list[Cluster] = []
    plain = True
    for each in (item.strip() for item in written):
        if not each:
            continue
        match = _NAMED.fullmatch(each)
        name, url = (match[1], match[2]) if match else ("", each)
        address = _address(url)
        named = name or address
        found.append(Cluster(named, url.rstrip("/"), "" if plain and not name else named))
        plain = plain and bool(name)
    _check_names(found)
    return tuple(found)


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, None
    if parts.scheme not in ("http", "https") or not host:
        raise SettingError(
            f"{hide_password(url)!r} is no Connect cluster; expected an address such as {EXAMPLE}, "
            f"with a name in front if there are several: eu={EXAMPLE}"
        )
    return f"{host}:{port or (443 if parts.scheme == 'https' else 80)}"


def _check_names(clusters: list[Cluster]) -> None:
    names = [cluster.name for cluster in clusters]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"two Connect clusters are named {name!r}; give each a name of its own: NAME=URL")
