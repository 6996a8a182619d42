"""What the OpenLineage agent gets wrong, put right on its way in: an event becomes the events it should have been."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from headwater.capture.ending import Ending
from headwater.capture.run_events import error_facets
from headwater.capture.spark.micro_batches import ENDS, Event, MicroBatches
from headwater.openlineage.naming import NO_ALIASES, SPELLINGS, kafka_namespace

MOST_REMEMBERED = 10_000


class Repairs:
    """The transform of the agent's relay.

    `parent` is the facet of the application that all of it is part of; `streaming` says whether a stream runs in it.
    """

    def __init__(
        self,
        parent: Mapping[str, Any],
        aliases: Mapping[str, str] = NO_ALIASES,
        streaming: Callable[[], bool] = lambda: False,
    ) -> None:
        self._parent, self._aliases = parent, aliases
        self._sift = MicroBatches(streaming)
        self._runs: OrderedDict[str, Known] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> list[Event]:
        """The events to deliver for one that the agent sent."""
        # The application's run is reported from outside the JVM, where it can be seen how the program ended.
        if job_type(event) == "APPLICATION" or is_bookkeeping(event):
            return []
        with self._lock:
            return [made for kept in self._sift(event) for made in self._repair(kept)]

    def _repair(self, event: Event) -> list[Event]:
        run_id = event["run"]["runId"]
        better = with_parent(with_error(with_whole_numbers(with_one_spelling(event, self._aliases))), self._parent)
        self._runs[run_id], made = in_order(self._runs.pop(run_id, NEW), better)
        if len(self._runs) > MOST_REMEMBERED:
            self._runs.popitem(last=False)
        return made


# -- one run after the other -----------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """What the events of a run have said so far."""

    started: bool = False
    ended: bool = False
    inputs: tuple[Event, ...] = ()
    outputs: tuple[Event, ...] = ()


NEW = Known()


def in_order(known: Known, event: Event) -> tuple[Known, list[Event]]:
    """A run starts once, ends once, and does not forget what it reads and writes."""
    kind = event.get("eventType")
    if known.ended or (kind == "START" and known.started):
        return known, []
    # A table that is dropped is gone at the end, and the agent then guesses where it was.
    dropped = event["job"]["name"].endswith(".drop_table") and known.outputs
    whole = {
        **event,
        "inputs": event.get("inputs") or list(known.inputs),
        "outputs": (not dropped and event.get("outputs")) or list(known.outputs),
    }
    inputs, outputs = (tuple(map(without_counts, whole[side])) for side in ("inputs", "outputs"))
    made = [whole]
    if kind != "START" and not known.started:
        facets = {name: value for name, value in event["run"].get("facets", {}).items() if name not in FINAL}
        run = {**event["run"], "facets": facets}
        made.insert(0, {**event, "eventType": "START", "run": run, "inputs": list(inputs), "outputs": list(outputs)})
    if kind in ENDS:
        return replace(NEW, started=True, ended=True), made
    return Known(True, False, inputs, outputs), made


FINAL = ("errorMessage", "spark.exception")


def without_counts(dataset: Event) -> Event:
    """A dataset without what holds for one event only."""
    return {name: value for name, value in dataset.items() if name not in ("inputFacets", "outputFacets")}


def job_type(event: Event) -> object:
    """What kind of job an event is about."""
    return ((event["job"].get("facets") or {}).get("jobType") or {}).get("jobType")


def is_bookkeeping(event: Event) -> bool:
    """Whether an event is about what Delta does for itself: it reads the log of a table as if that were one."""
    names = [str(each.get("name", "")) for side in ("inputs", "outputs") for each in event.get(side) or []]
    return bool(names) and all(name.rpartition("/")[2] == "_delta_log" for name in names)


def with_parent(event: Event, parent: Mapping[str, Any]) -> Event:
    """The event as part of the application's run, which is not the run that the agent made up."""
    run = {**event["run"], "facets": {**(event["run"].get("facets") or {}), "parent": parent}}
    return {**event, "run": run}


# -- facets ----------------------------------------------------------------------------------------


def with_error(event: Event) -> Event:
    """The agent's own facet about an exception, said in the standard's way too."""
    facets = event["run"].get("facets") or {}
    stack = str((facets.get("spark.exception") or {}).get("stackTrace") or "")
    if not stack or "errorMessage" in facets:
        return event
    said = error_facets(Ending("FAIL", stack.partition("\n")[0].strip(), stack), "JAVA")
    return {**event, "run": {**event["run"], "facets": {**facets, **said}}}


REPORTS = ("icebergScanReport", "icebergCommitReport")


def with_whole_numbers(event: Event) -> Event:
    """Iceberg's reports with the whole numbers that they had before the agent made them floating."""
    return {
        **event,
        "inputs": [_with_reports(dataset, "inputFacets") for dataset in event.get("inputs") or []],
        "outputs": [_with_reports(dataset, "outputFacets") for dataset in event.get("outputs") or []],
    }


def _with_reports(dataset: Event, group: str) -> Event:
    facets = dataset.get(group) or {}
    if not any(name in facets for name in REPORTS):
        return dataset
    version = str(((dataset.get("facets") or {}).get("version") or {}).get("datasetVersion", ""))
    mended = {name: _report(value, version) if name in REPORTS else value for name, value in facets.items()}
    return {**dataset, group: mended}


def _report(report: Event, version: str) -> Event:
    """A report whose snapshot is the dataset's version, to the last digit; where that is not known, without one."""
    whole: Event = _whole(report)
    lossy = report.get("snapshotId")
    if isinstance(lossy, float):
        exact = int(version) if re.fullmatch(r"-?\d+", version) else None
        if exact is not None and float(exact) == lossy:
            whole["snapshotId"] = exact
        elif abs(lossy) > MOST_EXACT:
            del whole["snapshotId"]
    return whole


MOST_EXACT = 2**53  # beyond this a floating number has lost digits


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


# -- names -----------------------------------------------------------------------------------------


def with_one_spelling(event: Event, aliases: Mapping[str, str] = NO_ALIASES) -> Event:
    """Every dataset under the name that other engines give it, wherever an event names one."""
    sides = {side: [_renamed(dataset, aliases) for dataset in event.get(side) or []] for side in ("inputs", "outputs")}
    return {**event, **sides}


def _renamed(dataset: Event, aliases: Mapping[str, str]) -> Event:
    facets = dict(dataset.get("facets") or {})
    if lineage := facets.get("columnLineage"):
        facets["columnLineage"] = _renamed_columns(lineage, aliases)
    if links := facets.get("symlinks"):
        named = [_spelled(link, aliases) for link in links.get("identifiers") or []]
        facets["symlinks"] = {**links, "identifiers": named}
    if source := facets.get("dataSource"):
        uri = {name: one_spelling(str(source[name]), aliases) for name in ("name", "uri") if source.get(name)}
        facets["dataSource"] = {**source, **uri}
    return {**_spelled(dataset, aliases), "facets": facets}


def _renamed_columns(lineage: Event, aliases: Mapping[str, str]) -> Event:
    fields = {
        column: {**claim, "inputFields": [_spelled(each, aliases) for each in claim.get("inputFields") or []]}
        for column, claim in (lineage.get("fields") or {}).items()
    }
    whole = [_spelled(each, aliases) for each in lineage.get("dataset") or []]
    return {**lineage, "fields": fields, **({"dataset": whole} if whole else {})}


def _spelled(named: Event, aliases: Mapping[str, str]) -> Event:
    return {**named, "namespace": one_spelling(str(named.get("namespace", "")), aliases)}


def one_spelling(namespace: str, aliases: Mapping[str, str] = NO_ALIASES) -> str:
    """A namespace as naming.py has it: s3a://bucket is s3://bucket, and a Kafka cluster has one server."""
    scheme, separator, rest = namespace.partition("://")
    if scheme == "kafka" and rest:
        return kafka_namespace(rest, aliases)
    return f"{SPELLINGS[scheme]}://{rest}" if separator and scheme in SPELLINGS else namespace
