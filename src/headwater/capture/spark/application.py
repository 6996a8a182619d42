"""The run of a Spark application: the parent of everything that happens in it, from attach to the end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from headwater.capture.emitter import Emitter
from headwater.capture.ending import COMPLETED, Ending, when_process_ends
from headwater.capture.leases import leases_of
from headwater.capture.run_events import RunOf, error_facets, facet, job_type_facet, new_run_id, parent_facet
from headwater.capture.spark.settings import SparkSettings
from headwater.openlineage.events import PRODUCER

log = logging.getLogger(__name__)


class Application:
    """A run that has started, and is kept alive until `end`; how the process ends it is reported otherwise."""

    def __init__(self, emitter: Emitter, settings: SparkSettings, facets: Mapping[str, Any]) -> None:
        self._emitter, self._parent = emitter, settings.parent
        self.run = RunOf(new_run_id(), settings.namespace, settings.app_name)
        self._facets = {**facets, **({"parent": settings.parent} if settings.parent else {})}
        self._leases = leases_of(emitter)
        self.ended = False
        self._send("START")
        self._leases.hold(self.run.run_id, lambda: self._send("RUNNING"))
        self._forget: Callable[[], None] = when_process_ends(self.end)

    def parent_facet(self) -> dict[str, Any]:
        """The facet for runs that are part of this one."""
        root = self._parent.get("root") if self._parent else None
        return parent_facet(self.run.run_id, self.run.namespace, self.run.name, root)

    def end(self, ending: Ending = COMPLETED) -> None:
        """Report the end; only the first one counts."""
        if self.ended:
            return
        self.ended = True
        self._forget()
        self._leases.release(self.run.run_id)
        self._emitter.emit(self.run.event(ending.kind, {**self._facets, **error_facets(ending)}, self._job_facets()))

    def _send(self, kind: str) -> None:
        self._emitter.emit(self.run.event(kind, {**self._facets, **self._leases.facet()}, self._job_facets()))

    def _job_facets(self) -> dict[str, Any]:
        return {"jobType": job_type_facet("APPLICATION", "NONE", "SPARK")}


# What the agent says of an application, and where Spark has it.
ENGINE_SETTINGS = {
    "spark.master": "master",
    "spark.app.name": "appName",
    "spark.submit.deployMode": "deployMode",
    "spark.driver.host": "driverHost",
}


# Where Spark itself looks for the History Server.
HISTORY_SETTING = "spark.yarn.historyServer.address"


def engine_facets(
    version: str, conf: Mapping[str, str], application_id: str, user: str, ui: str | None = None
) -> dict[str, Any]:
    """What is known of the engine and the application, as the agent says it, with the pages that show it."""
    details = {said: conf[name] for name, said in ENGINE_SETTINGS.items() if conf.get(name)}
    if ui:
        details["uiWebUrl"] = ui
    if history := conf.get(HISTORY_SETTING, "").rstrip("/"):
        address = history if "://" in history else f"http://{history}"
        details["historyUrl"] = f"{address}/history/{application_id}"
    schema = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet"
    return {
        "processing_engine": facet("1-1-1/ProcessingEngineRunFacet", version=version, name="spark"),
        "spark_applicationDetails": {
            "_producer": PRODUCER,
            "_schemaURL": schema,
            **details,
            "applicationId": application_id,
            "userName": user,
        },
    }
