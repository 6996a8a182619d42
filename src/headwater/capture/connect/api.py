"""The connectors over HTTP, for the web app and for programs: /api/v2/connectors. No secret is in any answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from headwater.capture.connect.answers import ConnectError, Fault, InvalidConnector, Plugin
from headwater.capture.connect.files import Connector, texts
from headwater.capture.connect.redaction import MASK, redact, redact_json, restored
from headwater.capture.connect.roster import Roster
from headwater.capture.connect.view import ClusterView, ConnectorDetail, ConnectorView, connector_view, metrics
from headwater.errors import HeadwaterError
from headwater.server.health import TEXT_FORMAT
from headwater.server.http import JSON, Answer, Call, HttpError, Param, Route
from headwater.server.marquez.answers import read_body

if TYPE_CHECKING:
    from headwater.capture.connect.worker import Worker

T = TypeVar("T")

PATH = "/api/v2/connectors"
ONE = PATH + "/{cluster}/{name}"
# A rebalance after a change takes seconds; whoever waits for an answer should not wait longer than for one.
PATIENCE = 10.0
HINT = (
    "no Connect cluster is watched; start the server with --connect http://localhost:8083, set HEADWATER_CONNECT, "
    'or write connect = ["http://localhost:8083"] into headwater.toml'
)


class Connectors(Struct):
    """Every watched cluster and its connectors; `hint` says what to do where there is no cluster."""

    clusters: list[ClusterView]
    connectors: list[ConnectorView]
    hint: str = ""


class Proposed(Struct):
    """Settings to be checked; what is hidden in them stands for what the connector has now."""

    config: dict[str, Any]
    name: str = ""


class SettingFault(Struct):
    """What is wrong with one setting."""

    key: str
    messages: list[str]


class Checked(Struct):
    """What the worker finds wrong; nothing is wrong without errors."""

    errors: list[SettingFault]


class Changed(Struct):
    """What was asked for is done, or under way; `changed` is false where there was nothing to do."""

    cluster: str
    name: str
    changed: bool = True


def connector_routes(agent: Roster) -> tuple[Route, ...]:
    """The routes over an agent, or over a roster that is empty."""

    async def get_connectors(_call: Call) -> Connectors:
        """Every connector of every watched cluster: state, tasks, topics, flow, and its run in the lineage."""
        return Connectors(agent.clusters(), agent.connectors(), "" if agent.watchers else HINT)

    async def get_connector(call: Call) -> ConnectorDetail:
        """One connector with its settings, secrets hidden, and its offsets."""
        cluster, name = call.path["cluster"], call.path["name"]
        watched = agent.find(cluster, name)
        view = connector_view(cluster, agent.watcher(cluster).namespace, watched)
        offsets = await ask(cluster, lambda worker: worker.offsets(name))
        return ConnectorDetail(**asdict(view), config=redact(watched.config), offsets=redact_json(offsets))

    async def get_plugins(call: Call) -> list[Plugin]:
        """The kinds of connectors that a cluster can run."""
        return await ask(call.path["cluster"], lambda worker: worker.plugins())

    async def post_validate(call: Call) -> Checked:
        """Have the worker check settings, without changing anything."""
        require_json(call)
        proposed = read_body(call, Proposed)
        cluster = call.path["cluster"]
        wished = Connector(proposed.name or str(proposed.config.get("name", "")), settings_of(proposed.config))
        return Checked(listed(await ask(cluster, lambda worker: worker.faults(unhidden(wished, worker)))))

    async def put_connector(call: Call) -> Changed:
        """Create a connector or change its settings: {"config": {…}}, or the settings alone. 422 says what is wrong."""
        require_json(call)
        cluster, name = call.path["cluster"], call.path["name"]
        body = read_body(call, dict[str, Any])
        config = body["config"] if isinstance(body.get("config"), dict) else body
        wished = Connector(name, settings_of(config))
        changed = await ask(cluster, lambda worker: worker.put(unhidden(wished, worker)))
        agent.watcher(cluster).wake()
        return Changed(cluster, name, changed)

    async def delete_connector(call: Call) -> Changed:
        """Take a connector away."""
        return await change(call, lambda worker, name: worker.delete(name, missing_ok=False))

    async def put_pause(call: Call) -> Changed:
        """Let a connector's tasks wait."""
        return await change(call, lambda worker, name: worker.pause(name))

    async def put_resume(call: Call) -> Changed:
        """Let a paused or stopped connector go on."""
        return await change(call, lambda worker, name: worker.resume(name))

    async def put_stop(call: Call) -> Changed:
        """End a connector's tasks; its settings and offsets stay."""
        return await change(call, lambda worker, name: worker.stop(name))

    async def post_restart(call: Call) -> Changed:
        """Start a connector and its tasks again, or only those that failed."""
        failed = bool(call.get("failed"))
        done = await change(call, lambda worker, name: worker.restart(name, failed_only=failed))
        watched = agent.watcher(done.cluster).connectors.get(done.name)
        # With some of its tasks running, what failed joins the run that goes on.
        if not failed or (watched is not None and not watched.is_open):
            agent.watcher(done.cluster).note_restart(done.name)
        return done

    async def get_metrics(_call: Call) -> Answer:
        """State, records per second and lag of every connector, as Prometheus reads them."""
        return Answer("".join(metrics(agent.clusters(), agent.connectors())).encode(), media_type=TEXT_FORMAT)

    async def change(call: Call, action: Callable[[Worker, str], None]) -> Changed:
        require_json(call)
        cluster, name = call.path["cluster"], call.path["name"]
        await ask(cluster, lambda worker: action(worker, name))
        agent.watcher(cluster).wake()
        return Changed(cluster, name)

    async def ask(cluster: str, question: Callable[[Worker], T]) -> T:
        from headwater.capture.connect.worker import Worker

        url = agent.watcher(cluster).cluster.url

        def asking() -> T:
            with Worker(url, patience=PATIENCE) as worker:
                return question(worker)

        try:
            return await asyncio.to_thread(asking)
        except ConnectError as error:
            raise refusal(error) from error

    routes = (
        Route("GET", PATH, get_connectors, "every connector", answer=Connectors),
        Route("GET", ONE, get_connector, "a connector", answer=ConnectorDetail),
        Route("PUT", ONE, put_connector, "create or change a connector", body=dict[str, Any], answer=Changed),
        Route("DELETE", ONE, delete_connector, "delete a connector", answer=Changed),
        Route("PUT", f"{ONE}/pause", put_pause, "pause a connector", answer=Changed),
        Route("PUT", f"{ONE}/resume", put_resume, "resume a connector", answer=Changed),
        Route("PUT", f"{ONE}/stop", put_stop, "stop a connector", answer=Changed),
        Route("POST", f"{ONE}/restart", post_restart, "restart a connector", params=(FAILED,), answer=Changed),
        Route("GET", PATH + "/{cluster}/plugins", get_plugins, "what a cluster can run", answer=list[Plugin]),
        Route("POST", PATH + "/{cluster}/validate", post_validate, "check settings", body=Proposed, answer=Checked),
        Route(
            "GET", "/metrics/connectors", get_metrics, "connectors for Prometheus", answer=str, media_type=TEXT_FORMAT
        ),
    )
    return tuple(tagged(route) for route in routes)


FAILED = Param("failed", bool, False, help="only the tasks that failed")


def tagged(route: Route) -> Route:
    """The route among the others about connectors."""
    return Route(**{**asdict(route), "params": route.params, "tag": "connectors"})


def require_json(call: Call) -> None:
    """415 unless the request says that it is JSON, which a page of another site cannot without being asked first."""
    if call.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HttpError(415, f"a change needs the header Content-Type: {JSON}")


def settings_of(config: dict[str, Any]) -> dict[str, str]:
    """Settings as they were sent, as the texts that a worker keeps; 422 if one cannot be."""
    try:
        found = texts(config, "the settings")
    except HeadwaterError as error:
        raise HttpError(422, str(error)) from error
    found.pop("name", None)
    return found


def unhidden(wished: Connector, worker: Worker) -> Connector:
    """A connector with what is hidden in its settings as the worker has it now; 422 if it has no such thing."""
    if not any(MASK in value for value in wished.config.values()):
        return wished
    config = restored(wished.config, worker.config(wished.name) or {})
    hidden = [key for key, value in config.items() if value == MASK]
    if hidden:
        raise HttpError(422, f"{', '.join(hidden)}: hidden, and the worker has no such value to keep; write it out")
    return Connector(wished.name, config)


def listed(faults: Sequence[Fault]) -> list[SettingFault]:
    """Faults as they are answered."""
    return [SettingFault(fault.key, list(fault.messages)) for fault in faults]


def refusal(error: ConnectError) -> HttpError:
    """What a caller is told of a worker that did not do what was asked."""
    if isinstance(error, InvalidConnector):
        return HttpError(422, {"code": 422, "message": str(error), "errors": [asdict(f) for f in listed(error.faults)]})
    status = error.status if error.status in (400, 404, 409) else 502
    return HttpError(status, str(error))
