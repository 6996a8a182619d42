"""Datasets that look like one under two names: spellings of one address that nothing has joined."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from headwater.openlineage.naming import SPELLINGS

T = TypeVar("T")
SCHEMES = {**SPELLINGS, "postgresql": "postgres", "thrift": "hive"}
HERE = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "[::1]", "host.docker.internal"})
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)(.*)", re.DOTALL)


def lookalikes(datasets: Iterable[tuple[T, str, str]]) -> list[list[T]]:
    """Groups of those (id, namespace, name) whose addresses are the same, spelled differently."""
    groups: dict[str, list[T]] = defaultdict(list)
    for id, namespace, name in datasets:
        groups[spelling(namespace, name)].append(id)
    return [group for group in groups.values() if len(group) > 1]


def spelling(namespace: str, name: str) -> str:
    """One text for every usual way to write an address: s3a is s3, 127.0.0.1 is localhost, slashes count once."""
    return f"{_namespace(namespace)}/{name.strip('/').lower()}".replace("//", "/")


@lru_cache(maxsize=4096)
def _namespace(namespace: str) -> str:
    lowered = namespace.strip().lower()
    match = _ADDRESS.fullmatch(lowered)
    if match is None:
        return lowered.rstrip("/")
    scheme, authority, path = match.groups()
    host, colon, port = authority.partition(":") if not authority.startswith("[") else (authority, "", "")
    place = "localhost" if host in HERE else _short(host)
    return f"{SCHEMES.get(scheme, scheme)}:{place}{colon}{port}{path}".rstrip("/")


def _short(host: str) -> str:
    """A host without its domain; an IP address has none, and a bucket's name may have dots of its own."""
    first, _, domain = host.partition(".")
    return first if domain in ("local", "internal", "localdomain", "svc.cluster.local") else host
