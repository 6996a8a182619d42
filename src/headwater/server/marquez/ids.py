"""How things are named to clients: ids, times and UUIDs, the same for the same content on every server."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1
from typing import Annotated

from msgspec import Meta, Struct

from headwater.openlineage.events import parse_time

# Text, because a page has thousands and making UUID objects would take longer than anything else about it.
Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]

_VARIANT = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
_SPACE = b"https://github.com/headwater-lineage/headwater\0"
_OFTEN = 8192  # of what is shown again and again, by one graph and by the next


class DatasetId(Struct, frozen=True, gc=False):
    """A dataset's namespace and name."""

    namespace: str
    name: str


class JobId(Struct, frozen=True, gc=False):
    """A job's namespace and name."""

    namespace: str
    name: str


class VersionId(Struct, frozen=True, gc=False):
    """A version of a job or a dataset."""

    namespace: str
    name: str
    version: Uuid


@lru_cache(maxsize=_OFTEN)
def moment(microseconds: int) -> datetime:
    """A stored time as clients see it."""
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)


def moment_or_none(microseconds: int | None) -> datetime | None:
    """A stored time, or nothing."""
    return None if microseconds is None else moment(microseconds)


def said_moment(text: str | None) -> datetime | None:
    """A time that somebody wrote; nothing if it is not one."""
    try:
        return None if text is None else moment(parse_time(text))
    except (ValueError, OverflowError):
        return None


def uuid_text(uuid: bytes | bytearray) -> Uuid:
    """Sixteen bytes as a UUID is written."""
    text = uuid.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def stable_uuid(kind: str, *parts: str) -> Uuid:
    """A version 5 UUID made of its arguments only."""
    text = "\0".join((kind, *parts)).encode("utf-8", "surrogatepass")
    h = sha1(_SPACE + text, usedforsecurity=False).hexdigest()
    return f"{h[:8]}-{h[8:12]}-5{h[13:16]}-{_VARIANT[h[16]]}{h[17:20]}-{h[20:32]}"


def job_uuid(namespace: str, name: str) -> Uuid:
    """The UUID of a job."""
    return stable_uuid("job", namespace, name)


@lru_cache(maxsize=_OFTEN)
def dataset_version_uuid(namespace: str, name: str, run: bytes | None, version: str) -> Uuid:
    """The UUID of a write, under the name it was reported with; without a run, of a state nobody wrote."""
    return stable_uuid("dataset version", namespace, name, run.hex() if run else "", version)


def job_version_uuid(namespace: str, name: str, datasets: Iterable[tuple[int, str, str]]) -> Uuid:
    """The UUID of a job that names just these (direction, namespace, name)."""
    return _job_version_uuid(namespace, name, tuple(sorted(datasets)))


@lru_cache(maxsize=_OFTEN)
def _job_version_uuid(namespace: str, name: str, datasets: tuple[tuple[int, str, str], ...]) -> Uuid:
    parts = [f"{direction}\0{space}\0{one}" for direction, space, one in datasets]
    return stable_uuid("job version", namespace, name, *parts)
