"""What is reported of a connector, as OpenLineage events: the job, the run and what is special about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from headwater import __version__
from headwater.capture.connect.flow import Flow
from headwater.capture.connect.life_cycle import DELETED, RECONFIGURED, RESTARTED, Report
from headwater.capture.connect.redaction import redact, redact_text, secrets_of
from headwater.capture.connect.status import State, Status, cause
from headwater.capture.leases import lease_facet
from headwater.capture.run_events import RunOf, facet, job_type_facet
from headwater.openlineage.events import PRODUCER

Json = dict[str, Any]

PAGE = f"{PRODUCER}/blob/main/docs/connect.md"
CONNECTOR, SETTINGS, FLOW = "headwater_connector", "headwater_connectorSettings", "headwater_flow"
UNREACHABLE = "UNREACHABLE"
# What is said of a run of which nothing is to be seen any more.
WITHOUT_SIGHT = {DELETED: "DELETED", RECONFIGURED: "RECONFIGURED", RESTARTED: "RESTARTED"}
LONGEST_TRACE = 20_000  # characters
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Job(Struct, frozen=True):
    """A connector as a job, and what is told of it."""

    namespace: str
    name: str
    cluster: str
    connector: str
    config: dict[str, str]
    version: str = ""  # of the worker


def event(
    report: Report,
    job: Job,
    lease_seconds: int,
    *,
    inputs: Sequence[Json] = (),
    outputs: Sequence[Json] = (),
    flow: Flow | None = None,
) -> Json:
    """The event for a report, without any secret of the connector's settings."""
    hidden = secrets_of(job.config)
    run_facets: Json = {CONNECTOR: connector_facet(report, job, hidden)}
    job_facets: Json = {"jobType": job_type_facet("CONNECTOR", "STREAMING", "KAFKA_CONNECT")}
    if not report.run.ended:
        run_facets |= lease_facet(lease_seconds)
    if report.type == "START":
        job_facets[SETTINGS] = _our_facet("settings", config=redact(job.config))
        run_facets["processing_engine"] = facet(
            "1-1-1/ProcessingEngineRunFacet",
            name="Kafka Connect",
            version=job.version,
            openlineageAdapterVersion=__version__,
        )
    if report.type == "FAIL" and report.seen is not None:
        run_facets["errorMessage"] = error_facet(report.seen.status, hidden)
    if flow is not None:
        run_facets[FLOW] = _our_facet("flow", **flow.as_json())
    at = _EPOCH + timedelta(microseconds=report.time)
    run = RunOf(report.run.id, job.namespace, job.name)
    return run.event(report.type, run_facets, job_facets, inputs, outputs, now=lambda: at)


def connector_facet(report: Report, job: Job, hidden: Sequence[str]) -> Json:
    """How the connector is: one word, its tasks, and what an operator should know besides."""
    seen = report.seen
    content: Json = {
        "state": seen.state if seen is not None else WITHOUT_SIGHT.get(report.reason, UNREACHABLE),
        "cluster": job.cluster,
        "name": job.connector,
        "class": job.config.get("connector.class", ""),
    }
    if report.reason:
        content["reason"] = redact_text(report.reason, hidden)
    if seen is not None:
        content["type"] = seen.status.type
        content["tasks"] = [
            {"id": task.id, "state": task.state, "worker": task.worker_id}
            | ({"error": redact_text(task.cause, hidden)} if task.cause else {})
            for task in seen.status.tasks
        ]
        if seen.state == State.STALLED:
            content["stalled"] = redact_text(seen.stalled, hidden)
    return _our_facet("states", **content)


def error_facet(status: Status, hidden: Sequence[str]) -> Json:
    """The worker's trace as the reason of a failure; the message is the last cause, where the trouble began."""
    trace = redact_text(status.trace, hidden)
    return facet(
        "1-0-1/ErrorMessageRunFacet",
        message=redact_text(cause(status.trace), hidden) or "the worker gives no reason; see its log",
        programmingLanguage="JAVA",
        stackTrace=trace if len(trace) <= LONGEST_TRACE else f"{trace[:LONGEST_TRACE]}\n… the rest is left out",
    )


def _our_facet(section: str, **content: Any) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": f"{PAGE}#{section}", **content}
