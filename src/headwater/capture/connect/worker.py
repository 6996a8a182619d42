"""A Kafka Connect worker over its REST API: what runs there, and how to change it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
import msgspec
from msgspec import Struct

from headwater.capture.connect.answers import (
    ConnectError,
    ConnectorFailed,
    Fault,
    InvalidConnector,
    Listed,
    Plugin,
    Root,
)
from headwater.capture.connect.files import Connector
from headwater.capture.connect.redaction import redact_text, secrets_of
from headwater.capture.connect.status import State, Status, Task
from headwater.settings import hide_password

TICK = 0.25
TIMEOUT = 30.0
# A rebalance takes seconds; a worker that starts with its plug-ins to load takes most of a minute.
PATIENCE = 90.0
# Words of an answer that will be another one in a moment.
PASSING = ("timed out", "rebalance")
REFUSALS = (401, 403)
HINTS = {
    None: "; see that it runs, or name another with --connect or HEADWATER_CONNECT",
    401: "; give user and password in its address",
    403: "; give user and password in its address",
}

T = TypeVar("T")


class _Value(Struct, frozen=True):
    name: str
    errors: tuple[str, ...] = ()


class _Checked(Struct, frozen=True):
    # A setting that a connector defines without checking it has no value here.
    value: _Value | None = None


class _Validation(Struct, frozen=True):
    configs: tuple[_Checked, ...] = ()


class _Offsets(Struct, frozen=True):
    offsets: list[dict[str, Any]] = []


class _Topics(Struct, frozen=True):
    topics: list[str] = []


class Worker(AbstractContextManager["Worker"]):
    """A worker at an address; whatever it says is shown without the secrets."""

    def __init__(
        self, url: str, secrets: Iterable[str] = (), patience: float = PATIENCE, timeout: float = TIMEOUT
    ) -> None:
        self.url = hide_password(url)
        self.secrets = tuple(secrets)
        self.patience = patience
        self.client = httpx.Client(base_url=url, timeout=timeout)

    def __exit__(self, *_: object) -> None:
        self.client.close()

    # -- what runs there ---------------------------------------------------------------------------

    def root(self) -> Root:
        """Which worker this is, and of which Kafka cluster."""
        return self.read("/", Root)

    def look(self) -> dict[str, Listed]:
        """Every connector with its status and its settings, in one request.

        A worker that has just started may leave connectors out: ask `names` before one is believed to be gone.
        """
        return self.read("/connectors?expand=status&expand=info", dict[str, Listed])

    def names(self) -> list[str]:
        """The connectors that the worker has."""
        return sorted(self.read("/connectors", list[str]))

    def config(self, name: str) -> dict[str, str] | None:
        """The settings of a connector, with its name among them and secrets in clear; None if there is no such."""
        return self.find(f"/connectors/{quote(name, safe='')}/config", dict[str, str])

    def status(self, name: str) -> Status | None:
        """How a connector is; None if there is no such."""
        return self.find(f"/connectors/{quote(name, safe='')}/status", Status)

    def tasks(self, name: str) -> tuple[Task, ...]:
        """What each task of a connector does. The connector's own state is not told: it is RUNNING through failures."""
        found = self.status(name)
        return () if found is None else tuple(msgspec.structs.replace(t, trace=self.hide(t.trace)) for t in found.tasks)

    def topics(self, name: str) -> list[str]:
        """The topics that a connector has used since it was created or they were reset."""
        found = self.find(f"/connectors/{quote(name, safe='')}/topics", dict[str, _Topics]) or {}
        return sorted({topic for each in found.values() for topic in each.topics})

    def offsets(self, name: str) -> list[dict[str, Any]]:
        """How far a connector has come, as the worker tells it."""
        found = self.find(f"/connectors/{quote(name, safe='')}/offsets", _Offsets)
        return [] if found is None else found.offsets

    def plugins(self, *, everything: bool = False) -> list[Plugin]:
        """What the worker can run: connectors, or also converters, transforms and predicates."""
        return self.read(f"/connector-plugins?connectorsOnly={str(not everything).lower()}", list[Plugin])

    # -- changing it -------------------------------------------------------------------------------

    def faults(self, connector: Connector) -> list[Fault]:
        """What the worker's own validator finds wrong, by key."""
        kind = connector.config.get("connector.class", "")
        if not kind:
            return [Fault("connector.class", ("it is missing; it says which connector to run",))]
        answer = self.fetch(
            "PUT",
            f"/connector-plugins/{quote(kind, safe='')}/config/validate",
            {**connector.config, "name": connector.name},
        )
        checked = self.decode(answer, _Validation).configs
        hidden = secrets_of(connector.config)
        return [
            Fault(item.value.name, tuple(redact_text(self.hide(error), hidden) for error in item.value.errors))
            for item in checked
            if item.value is not None and item.value.errors
        ]

    def validate(self, connector: Connector) -> None:
        """Have the worker check a connector's settings; InvalidConnector lists each fault by its key."""
        if found := self.faults(connector):
            raise InvalidConnector(connector.name, found)

    def put(self, connector: Connector) -> bool:
        """Check a connector and bring it to the worker if it is new or changed; whether it was."""
        # The same settings once more would still have the worker start the connector again.
        if self.config(connector.name) == {**connector.config, "name": connector.name}:
            return False
        self.validate(connector)
        self.fetch("PUT", f"/connectors/{quote(connector.name, safe='')}/config", connector.config)
        return True

    def apply(self, connector: Connector) -> None:
        """`put` a connector, and wait until all its tasks run."""
        self.put(connector)
        self.wait_running(connector.name)

    def pause(self, name: str) -> None:
        """Let a connector's tasks wait; they keep what they hold."""
        self.fetch("PUT", f"/connectors/{quote(name, safe='')}/pause")

    def resume(self, name: str) -> None:
        """Let a paused or stopped connector go on."""
        self.fetch("PUT", f"/connectors/{quote(name, safe='')}/resume")

    def stop(self, name: str) -> None:
        """End a connector's tasks; its settings and offsets stay."""
        self.fetch("PUT", f"/connectors/{quote(name, safe='')}/stop")

    def restart(self, name: str, *, failed_only: bool = True) -> None:
        """Start a connector and its tasks again, or those of them that failed."""
        flags = f"includeTasks=true&onlyFailed={str(failed_only).lower()}"
        self.fetch("POST", f"/connectors/{quote(name, safe='')}/restart?{flags}")

    def delete(self, name: str, *, missing_ok: bool = True) -> None:
        """Take a connector away."""
        self.fetch("DELETE", f"/connectors/{quote(name, safe='')}", missing_ok=missing_ok)

    def wait_running(self, name: str) -> None:
        """Wait until all tasks run; one that had failed is started again once. Raise ConnectorFailed if they do not."""
        deadline = time.monotonic() + self.patience
        restarted = 0.0
        while True:
            tasks = self.tasks(name)
            if tasks and all(task.state == State.RUNNING for task in tasks):
                return
            failed = [task for task in tasks if task.state == State.FAILED]
            # A failure that was there before the settings changed stays until the task is started again.
            if failed and not restarted:
                restarted = time.monotonic()
                self.restart(name)
            elif failed and time.monotonic() - restarted > 2:
                raise failure(name, failed[0])
            if time.monotonic() > deadline:
                states = ", ".join(task.state for task in tasks) or "no tasks"
                raise ConnectorFailed(f"connector {name!r} did not run within {self.patience:.0f} s: {states}")
            time.sleep(TICK)

    def check(self, name: str) -> None:
        """Raise ConnectorFailed if a task of a connector has failed."""
        for task in self.tasks(name):
            if task.state == State.FAILED:
                raise failure(name, task)

    # -- asking ------------------------------------------------------------------------------------

    def read(self, path: str, kind: type[T]) -> T:
        """The answer to GET path."""
        return self.decode(self.fetch("GET", path), kind)

    def find(self, path: str, kind: type[T]) -> T | None:
        """The answer to GET path; None if there is no such thing."""
        answer = self.fetch("GET", path, missing_ok=True)
        return None if answer is None else self.decode(answer, kind)

    def decode(self, answer: bytes | None, kind: type[T]) -> T:
        """An answer as the given type; ConnectError if it is not one, or was cut short."""
        try:
            return msgspec.json.decode(answer or b"", type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ConnectError(
                f"the answer of {self.url} is not one of a Connect worker ({error}); "
                f"check the address, and what stands between here and there",
                200,
            ) from error

    def fetch(
        self, method: str, path: str, body: Mapping[str, str] | None = None, *, missing_ok: bool = False
    ) -> bytes | None:
        """The worker's answer, waiting while it starts, shares out its work anew, or is too busy to answer."""
        deadline = time.monotonic() + self.patience
        while True:
            status: int | None = None
            try:
                response = self.client.request(method, path, json=body)
                status = response.status_code
                if response.is_success:
                    return response.content
                if status == httpx.codes.NOT_FOUND and missing_ok:
                    return None
                trouble = f"{status}: {redact_text(self.hide(said(response)), secrets_of(body or {}))}"
                # A rebalance is told by 409 from some requests, and by 500 and its name from others.
                passing = status == httpx.codes.CONFLICT or any(word in trouble.lower() for word in PASSING)
            except httpx.TransportError as error:
                trouble, passing = str(error) or type(error).__name__, True
            if not passing or time.monotonic() > deadline:
                hint = HINTS.get(status, "")
                raise ConnectError(f"{method} {path} at the Connect worker {self.url}: {trouble}{hint}", status)
            time.sleep(TICK)

    def hide(self, text: str) -> str:
        """Text without the secrets: a worker's answer may repeat what it filled in."""
        return redact_text(text, self.secrets)


def failure(name: str, task: Task) -> ConnectorFailed:
    """That a task failed, and why."""
    return ConnectorFailed(f"connector {name!r} failed: {task.cause}; see the worker's log for the rest")


def said(response: httpx.Response) -> str:
    """What an answer says went wrong."""
    try:
        return str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        return response.text[:300]
