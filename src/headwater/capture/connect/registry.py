"""A schema registry with Confluent's API, which Apicurio has too: the newest schema of a subject."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Literal, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec
from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.settings import hide_password

TIMEOUT = 5.0
DEEPEST = 20  # of references that refer to others
Kind = Literal["AVRO", "PROTOBUF", "JSON"]
T = TypeVar("T")


class RegistryError(HeadwaterError):
    """The registry cannot be asked, or refuses."""


class Registered(Struct, frozen=True):
    """A version of a subject, with the texts of what it refers to by the names that it uses."""

    version: int
    kind: Kind
    text: str
    references: Mapping[str, str]


class _Reference(Struct):
    name: str
    subject: str
    version: int


class _Schema(Struct, rename="camel"):
    schema: str
    version: int = 0
    schema_type: str | None = None
    references: list[_Reference] | None = None


class Registry(AbstractContextManager["Registry"]):
    """A registry at an address, which may have user and password in it."""

    def __init__(self, url: str, user: str = "", password: str = "", token: str = "") -> None:
        self.url = hide_password(confluent_api(url))
        headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        auth = httpx.BasicAuth(user, password) if user else None
        self._client = httpx.Client(base_url=confluent_api(url), timeout=TIMEOUT, auth=auth, headers=headers)

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def subjects(self) -> list[str]:
        """Every subject."""
        return self._decode(self._get("/subjects") or b"[]", list[str])

    def newest(self, subject: str) -> int:
        """The number of a subject's newest version; 0 if it has none."""
        answer = self._get(f"/subjects/{quote(subject, safe='')}/versions")
        return max(self._decode(answer, list[int]), default=0) if answer else 0

    def schema(self, subject: str, version: int) -> Registered | None:
        """A version of a subject, with all that it refers to; None if it is gone."""
        found = self._version(subject, version)
        if found is None:
            return None
        references: dict[str, str] = {}
        self._add_references(found, references, DEEPEST)
        return Registered(version, _kind(found.schema_type), found.schema, references)

    def _add_references(self, schema: _Schema, found: dict[str, str], depth: int) -> None:
        for reference in schema.references or ():
            if reference.name in found or not depth:
                continue
            if (referred := self._version(reference.subject, reference.version)) is not None:
                found[reference.name] = referred.schema
                self._add_references(referred, found, depth - 1)

    def _version(self, subject: str, version: int) -> _Schema | None:
        answer = self._get(f"/subjects/{quote(subject, safe='')}/versions/{version}")
        return None if answer is None else self._decode(answer, _Schema)

    def _get(self, path: str) -> bytes | None:
        try:
            response = self._client.get(path)
        except httpx.TransportError as error:
            raise RegistryError(
                f"the schema registry at {self.url} does not answer ({str(error) or type(error).__name__}); "
                f"columns stay as they were until it does"
            ) from error
        if response.status_code == httpx.codes.NOT_FOUND:
            return None
        if response.status_code in (401, 403):
            raise RegistryError(
                f"the schema registry at {self.url} refuses us ({response.status_code}); "
                f"name it with user and password: --registry or HEADWATER_REGISTRY=http://USER:PASSWORD@HOST:PORT"
            )
        if response.is_error:
            raise RegistryError(f"the schema registry at {self.url} answered {response.status_code} to GET {path}")
        return response.content

    def _decode(self, answer: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RegistryError(
                f"the answer of {self.url} is not one of a schema registry ({error}); "
                f"name where its Confluent API begins with --registry"
            ) from error


def confluent_api(url: str) -> str:
    """Where the Confluent API begins: Apicurio's own API is beside it."""
    base = url.split(",")[0].strip().rstrip("/")
    path = urlsplit(base).path
    for own in ("/apis/registry/v2", "/apis/registry/v3"):
        if path.endswith(own):
            return base.removesuffix(own) + "/apis/ccompat/v7"
    return base


def _kind(written: str | None) -> Kind:
    match (written or "AVRO").upper():
        case "PROTOBUF":
            return "PROTOBUF"
        case "JSON":
            return "JSON"
    return "AVRO"
