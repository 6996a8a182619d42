"""A small client of a schema registry with the Confluent API, on the standard library alone."""

import base64
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from headwater.errors import HeadwaterError
from headwater.pipeline.settings import Registry

TIMEOUT = 10.0
# A registry that restarts is back within this many tries; pauses double from the first.
TRIES = 6
FIRST_PAUSE = 0.25


class RegistryError(HeadwaterError):
    """The registry cannot be reached or refuses what was asked."""


class UnknownSchema(RegistryError):
    """The registry answers, and does not have the subject, version or id."""


@dataclass(frozen=True)
class Schema:
    """One registered schema."""

    id: int
    text: str
    type: str = "AVRO"


@dataclass(frozen=True)
class SchemaRegistry:
    """The registry that the settings name; it keeps no connection."""

    settings: Registry

    def schema(self, schema_id: int) -> Schema:
        """The schema with this id; UnknownSchema if there is none."""
        answer = self._ask("GET", f"/schemas/ids/{schema_id}")
        return Schema(schema_id, answer["schema"], answer.get("schemaType") or "AVRO")

    def versions(self, subject: str, newest: int) -> list[Schema]:
        """The newest versions of a subject, oldest first; none if the subject is not there yet."""
        try:
            numbers = self._ask("GET", f"/subjects/{quote(subject, safe='')}/versions")
        except UnknownSchema:
            return []
        return [self._version(subject, number) for number in sorted(numbers)[-newest:]]

    def register(self, subject: str, schema: str) -> int:
        """Register a schema under a subject, again if need be, and return its id."""
        path = f"/subjects/{quote(subject, safe='')}/versions"
        return int(self._ask("POST", path, {"schema": schema})["id"])

    def _version(self, subject: str, number: int) -> Schema:
        answer = self._ask("GET", f"/subjects/{quote(subject, safe='')}/versions/{number}")
        return Schema(answer["id"], answer["schema"], answer.get("schemaType") or "AVRO")

    def _ask(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        """One request; what may pass by itself is tried again."""
        pause = FIRST_PAUSE
        for last in [*[False] * (TRIES - 1), True]:
            try:
                return self._request(method, path, body)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 404:
                        raise UnknownSchema(f"the schema registry has no {path}") from error
                    if error.code < 500 or last:
                        raise RegistryError(refusal(error, method, self.settings.url + path)) from error
            except (OSError, ValueError) as error:
                if last:
                    reason = getattr(error, "reason", error)
                    message = f"no answer from the schema registry at {self.settings.url}: {reason}; is it running?"
                    raise RegistryError(message) from error
            time.sleep(pause)
            pause *= 2
        raise AssertionError("the last try returns or raises")

    def _request(self, method: str, path: str, body: dict[str, str] | None) -> Any:
        headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if self.settings.username:
            login = f"{self.settings.username}:{self.settings.password}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(login).decode('ascii')}"
        if body is not None:
            headers["Content-Type"] = "application/vnd.schemaregistry.v1+json"
        data = None if body is None else json.dumps(body).encode()
        url = self.settings.url.rstrip("/") + path
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)


def refusal(error: urllib.error.HTTPError, method: str, url: str) -> str:
    """What the registry said no to, and what to do about it."""
    if error.code in (401, 403):
        return f"the schema registry refuses the login ({error.code}); check registry.username and registry.password"
    said = error.read(500).decode("utf-8", "replace")
    return f"the schema registry answered {error.code} to {method} {url}: {said}"
