"""A Kafka Connect worker over its REST API: check a connector, bring it there, wait for it, take it away."""

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from headwater.errors import HeadwaterError
from headwater.pipeline.connectors.files import Connector

TICK = 0.25
TIMEOUT = 30.0
# A rebalance takes seconds; a worker that starts with its plug-ins to load takes most of a minute.
PATIENCE = 90.0
# Words of an answer that will be another one in a moment.
PASSING = ("timed out", "rebalance")


class ConnectError(HeadwaterError):
    """The worker did not do what was asked of it."""


class InvalidConnector(ConnectError):
    """The worker finds fault with a connector's settings."""


class ConnectorFailed(ConnectError):
    """A connector does not run."""


@dataclass(frozen=True)
class Task:
    """What one task of a connector is doing, and why it stopped if it did."""

    number: int
    state: str
    cause: str = ""


class Worker(AbstractContextManager["Worker"]):
    """A worker at an address; whatever it says is shown without the secrets."""

    def __init__(self, url: str, secrets: Iterable[str] = (), patience: float = PATIENCE) -> None:
        self.url = url
        self.secrets = tuple(secrets)
        self.patience = patience
        self.client = httpx.Client(base_url=url, timeout=TIMEOUT)

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def names(self) -> list[str]:
        """The connectors that the worker has."""
        return sorted(self.ask("GET", "/connectors"))

    def validate(self, connector: Connector) -> None:
        """Have the worker check a connector's settings; InvalidConnector lists each fault by its key."""
        kind = connector.config.get("connector.class", "")
        if not kind:
            raise InvalidConnector(f"connector {connector.name!r} has no connector.class")
        answer = self.ask(
            "PUT",
            f"/connector-plugins/{quote(kind)}/config/validate",
            {**connector.config, "name": connector.name},
        )
        faults = [
            f"  {item['value']['name']}: {self.hide(error)}"
            for item in answer["configs"]
            # A setting that a connector defines without checking it has no value here.
            for error in (item["value"] or {"errors": ()})["errors"]
        ]
        if faults:
            raise InvalidConnector(f"the worker refuses connector {connector.name!r}:\n" + "\n".join(faults))

    def apply(self, connector: Connector) -> None:
        """Check a connector, bring it to the worker if it is new or changed, and wait until all its tasks run."""
        before = self.ask("GET", f"/connectors/{quote(connector.name)}/config", missing_ok=True)
        # The same settings once more would still have the worker start the connector again.
        if before != {**connector.config, "name": connector.name}:
            self.validate(connector)
            self.ask("PUT", f"/connectors/{quote(connector.name)}/config", connector.config)
        self.wait_running(connector.name)

    def restart(self, name: str) -> None:
        """Start the failed tasks of a connector again."""
        self.ask("POST", f"/connectors/{quote(name)}/restart?includeTasks=true&onlyFailed=true")

    def delete(self, name: str) -> None:
        """Take a connector away, if it is there."""
        self.ask("DELETE", f"/connectors/{quote(name)}", missing_ok=True)

    def tasks(self, name: str) -> list[Task]:
        """What each task of a connector does. The connector's own state is not told: it is RUNNING through failures."""
        answer = self.ask("GET", f"/connectors/{quote(name)}/status", missing_ok=True) or {"tasks": []}
        return [Task(task["id"], task["state"], cause(self.hide(task.get("trace", "")))) for task in answer["tasks"]]

    def offsets(self, name: str) -> list[dict[str, Any]]:
        """How far a connector has come, as the worker tells it."""
        answer = self.ask("GET", f"/connectors/{quote(name)}/offsets", missing_ok=True) or {"offsets": []}
        found: list[dict[str, Any]] = answer["offsets"]
        return found

    def wait_running(self, name: str) -> None:
        """Wait until all tasks run; one that had failed is started again once. Raise ConnectorFailed if they do not."""
        deadline = time.monotonic() + self.patience
        restarted = 0.0
        while True:
            tasks = self.tasks(name)
            if tasks and all(task.state == "RUNNING" for task in tasks):
                return
            failed = [task for task in tasks if task.state == "FAILED"]
            # A failure that was there before the settings changed stays until the task is started again.
            if failed and not restarted:
                restarted = time.monotonic()
                self.restart(name)
            elif failed and time.monotonic() - restarted > 2:
                raise ConnectorFailed(
                    f"connector {name!r} failed: {failed[0].cause}; see the worker's log for the rest"
                )
            if time.monotonic() > deadline:
                states = ", ".join(task.state for task in tasks) or "no tasks"
                raise ConnectorFailed(f"connector {name!r} did not run within {self.patience:.0f} s: {states}")
            time.sleep(TICK)

    def check(self, name: str) -> None:
        """Raise ConnectorFailed if a task of a connector has failed."""
        for task in self.tasks(name):
            if task.state == "FAILED":
                raise ConnectorFailed(f"connector {name!r} failed: {task.cause}; see the worker's log for the rest")

    def ask(self, method: str, path: str, body: Mapping[str, str] | None = None, missing_ok: bool = False) -> Any:
        """The worker's answer, waiting while it starts, shares out its work anew, or is too busy to answer."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                response = self.client.request(method, path, json=body)
                if response.is_success:
                    return response.json() if response.content else None
                if response.status_code == httpx.codes.NOT_FOUND and missing_ok:
                    return None
                trouble = f"{response.status_code}: {self.hide(said(response))}"
                # A rebalance is told by 409 from some requests, and by 500 and its name from others.
                passing = response.status_code == httpx.codes.CONFLICT or any(w in trouble.lower() for w in PASSING)
            except httpx.TransportError as error:
                trouble, passing = str(error) or type(error).__name__, True
            if not passing or time.monotonic() > deadline:
                raise ConnectError(f"{method} {path} at the Connect worker {self.url}: {trouble}")
            time.sleep(TICK)

    def hide(self, text: str) -> str:
        """Text without the secrets: a worker's answer may repeat what it filled in."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def said(response: httpx.Response) -> str:
    """What an answer says went wrong."""
    try:
        return str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        return response.text[:300]


def cause(trace: str) -> str:
    """The last cause in a Java stack trace, which is where the trouble began."""
    causes = [line.removeprefix("Caused by: ") for line in trace.splitlines() if line.startswith("Caused by: ")]
    return (causes[-1:] or trace.splitlines()[:1] or [""])[0].strip()
