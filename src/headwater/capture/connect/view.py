"""Connectors as they are shown: in the API, in the web app and on the command line. No secret is in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from headwater.capture.connect.flow import Flow
from headwater.capture.connect.redaction import redact_text, secrets_of
from headwater.capture.connect.status import cause
from headwater.capture.connect.watched import Watched
from headwater.openlineage.events import format_time

ClusterState = Literal["ok", "unreachable", "refused"]


class TaskView(Struct):
    """One task; `error` is the cause of its failure."""

    id: int
    state: str
    worker: str
    error: str | None = None


class ClusterView(Struct):
    """A Connect cluster, and whether it answers."""

    name: str
    url: str
    state: ClusterState
    detail: str = ""
    version: str = ""


class JobName(Struct):
    """The job that a connector is in the lineage."""

    namespace: str
    name: str


class TopicView(Struct):
    """A topic of a connector, and how records go through it."""

    topic: str
    recordsPerSecond: float | None = None
    lag: int | None = None


class ConnectorView(Struct, rename={"kind": "class"}):
    """A connector as it is now; `error` says why it failed or what shows that it has stalled."""

    cluster: str
    name: str
    kind: str
    type: str
    state: str
    tasks: list[TaskView]
    topics: list[str]
    job: JobName
    runId: str | None
    recordsPerSecond: float | None
    lag: int | None
    error: str | None
    since: str | None
    flow: list[TopicView]


class ConnectorDetail(ConnectorView, kw_only=True):
    """A connector with its settings, in which secrets are hidden, and how far it has come."""

    config: dict[str, str]
    offsets: list[dict[str, Any]]


def connector_view(cluster: str, namespace: str, watched: Watched) -> ConnectorView:
    """A connector as it was at the last look."""
    hidden = secrets_of(watched.config)
    flow = watched.pulse.flow if watched.pulse is not None and watched.is_open else Flow()
    error = watched.stalled or cause(watched.status.trace)
    return ConnectorView(
        cluster=cluster,
        name=watched.name,
        kind=watched.config.get("connector.class", ""),
        type=watched.status.type,
        state=watched.seen.state,
        tasks=[
            TaskView(task.id, task.state, task.worker_id, redact_text(task.cause, hidden) if task.cause else None)
            for task in watched.status.tasks
        ],
        topics=list(watched.topics),
        job=JobName(namespace, watched.job or watched.name),
        runId=watched.run.id if watched.run is not None else None,
        recordsPerSecond=flow.records_per_second,
        lag=flow.lag,
        error=redact_text(error, hidden) if error else None,
        since=format_time(watched.run.since) if watched.run is not None else None,
        flow=[TopicView(each.topic, each.records_per_second, each.lag) for each in flow.topics],
    )


GAUGES = (
    ("headwater_connector_records_per_second", "records that a connector moves in a second", "recordsPerSecond"),
    ("headwater_connector_lag", "records of a sink's topics that it has not taken yet", "lag"),
)


def metrics(clusters: Iterable[ClusterView], connectors: Iterable[ConnectorView]) -> Iterator[str]:
    """The same figures as Prometheus reads them."""
    yield "# HELP headwater_connect_up whether a Connect cluster answers\n# TYPE headwater_connect_up gauge\n"
    for cluster in clusters:
        yield f'headwater_connect_up{{cluster="{_label(cluster.name)}"}} {int(cluster.state == "ok")}\n'
    found = list(connectors)
    yield "# HELP headwater_connector_state how a connector is\n# TYPE headwater_connector_state gauge\n"
    for each in found:
        yield f'headwater_connector_state{{{_who(each)},state="{_label(each.state)}"}} 1\n'
    for name, help, field in GAUGES:
        yield f"# HELP {name} {help}\n# TYPE {name} gauge\n"
        for each in found:
            for topic in each.flow:
                if (value := getattr(topic, field)) is not None:
                    yield f'{name}{{{_who(each)},topic="{_label(topic.topic)}"}} {value}\n'


def _who(connector: ConnectorView) -> str:
    return f'cluster="{_label(connector.cluster)}",connector="{_label(connector.name)}"'


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
