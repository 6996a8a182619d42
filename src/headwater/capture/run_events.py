"""Events about a run, as this package's own agents send them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from headwater.capture.ending import Ending
from headwater.openlineage.events import PRODUCER, SCHEMA_URL

Facets = Mapping[str, Any]
SPEC = "https://openlineage.io/spec/facets"


def facet(schema: str, **fields: Any) -> dict[str, Any]:
    """A facet of the standard, such as facet("1-0-1/ErrorMessageRunFacet", message=…)."""
    name = schema.partition("/")[2]
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/{schema}.json#/$defs/{name}", **fields}


def parent_facet(run_id: str, namespace: str, name: str, root: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The facet by which a run names the one that it is part of, and the one that all of it is part of."""
    ref = {"run": {"runId": run_id}, "job": {"namespace": namespace, "name": name}}
    return facet("1-2-0/ParentRunFacet", **ref, root=root or ref)


def job_type_facet(kind: str, processing: str, integration: str) -> dict[str, Any]:
    """The facet that says what kind of thing a job is."""
    return facet("2-0-4/JobTypeJobFacet", processingType=processing, integration=integration, jobType=kind)


def error_facets(ending: Ending, language: str = "PYTHON") -> dict[str, Any]:
    """The facet of an ending that has something to say; none for one that has not."""
    if not ending.message:
        return {}
    stack = {"stackTrace": ending.stack} if ending.stack else {}
    return {
        "errorMessage": facet(
            "1-0-1/ErrorMessageRunFacet", message=ending.message, programmingLanguage=language, **stack
        )
    }


@dataclass(frozen=True)
class RunOf:
    """One run of a job."""

    run_id: str
    namespace: str
    name: str

    def event(
        self,
        kind: str,
        run_facets: Facets,
        job_facets: Facets,
        inputs: Iterable[Mapping[str, Any]] = (),
        outputs: Iterable[Mapping[str, Any]] = (),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> dict[str, Any]:
        """An event about it, at this moment."""
        return {
            "eventType": kind,
            "eventTime": now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "producer": PRODUCER,
            "schemaURL": f"{SCHEMA_URL}#/$defs/RunEvent",
            "run": {"runId": self.run_id, "facets": dict(run_facets)},
            "job": {"namespace": self.namespace, "name": self.name, "facets": dict(job_facets)},
            "inputs": list(inputs),
            "outputs": list(outputs),
        }


def new_run_id() -> str:
    """An id for a run: of version 7, so that later runs come later in any order of ids."""
    milliseconds = int(datetime.now(UTC).timestamp() * 1000)
    number = (milliseconds & (1 << 48) - 1) << 80 | uuid.uuid4().int & (1 << 76) - 1
    return str(uuid.UUID(int=number & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62))
