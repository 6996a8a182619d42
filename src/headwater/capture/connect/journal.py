"""What the agent knows of a cluster's runs, written down across its restarts, and the events that it sends of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from headwater.capture.connect.cluster import Cluster
from headwater.capture.connect.events import Job, event
from headwater.capture.connect.life_cycle import Report, Run
from headwater.capture.connect.memory import Memory, Remembered
from headwater.capture.connect.watched import Watched
from headwater.capture.emitter import Emitter
from headwater.capture.leases import Leases
from headwater.settings import hide_password

log = logging.getLogger(__name__)

# Each lease is renewed by a request of its own, so many runs have longer ones.
RUNS_A_SECOND, LONGEST_LEASE = 4, 600


class Place(Struct, frozen=True):
    """Where the agent sends and keeps what it learns."""

    emitter: Emitter
    leases: Leases
    directory: Path  # of what it remembers


class Outgoing(NamedTuple):
    """An event that is ready, of which connector and why."""

    connector: str
    report: Report
    content: dict[str, Any]


class Journal(AbstractContextManager["Journal"]):
    """The runs of one cluster. `again` has the connectors whose runs the server had given up."""

    def __init__(self, cluster: Cluster, place: Place, namespace: str) -> None:
        self.namespace = "/".join(filter(None, (namespace, cluster.suffix)))
        self.again: set[str] = set()
        self._cluster, self._place = cluster, place
        self._memory: Memory | None = None
        self._known = Remembered()
        self._runs: dict[str, Run] = {}
        self._version = ""
        self._dirty = False
        self._trouble = ""

    def __exit__(self, *_: object) -> None:
        """Let go: if no agent comes back, the leases of the runs that are open run out."""
        for run in self._runs.values():
            self._place.leases.release(run.id)
        if self._memory is not None:
            self._memory.__exit__()

    def open(self) -> None:
        """Take hold of what was written down; AlreadyWatched while another agent has it."""
        if self._memory is None:
            self._memory = Memory(self._place.directory, self._cluster)
            self._known = self._memory.load()
            self._runs = dict(self._known.runs)

    def greet(self, kafka_cluster_id: str, version: str) -> Mapping[str, Run]:
        """The runs that are known of this Kafka cluster; of another one behind the same address there are none."""
        self._version = version
        if self._known.kafka_cluster_id not in ("", kafka_cluster_id):
            log.warning("another Kafka cluster is behind %s now; its connectors have new runs", self._shown)
            for run in self._runs.values():
                self._place.leases.release(run.id)
            self._runs, self._dirty = {}, True
        self._known = Remembered(kafka_cluster_id, self._runs)
        return self._runs

    def remember(self, name: str, run: Run | None) -> None:
        """Note a connector's run; None if there is nothing to remember."""
        if self._runs.get(name) != run:
            self._dirty = True
            if run is None:
                del self._runs[name]
            else:
                self._runs[name] = run

    def outgoing(self, watched: Watched, report: Report, **more: Any) -> Outgoing:
        """The event for a report, with datasets or a flow."""
        name = report.run.job or watched.name
        job = Job(self.namespace, name, self._cluster.name, watched.name, watched.config, self._version)
        return Outgoing(watched.name, report, event(report, job, self._place.leases.seconds, **more))

    def send(self, outgoing: Iterable[Outgoing]) -> None:
        """Send events; what is known is written down in between, so that a crash doubles no run and loses no end."""
        listed = list(outgoing)
        begun = {each.report.run.id for each in listed if not each.report.run.ended}
        for each in listed:
            if each.report.run.id not in begun:
                self._emit(each)
        self._save()
        for each in listed:
            if each.report.run.id in begun:
                self._emit(each)

    def set_lease(self, open_runs: int) -> None:
        """Make leases long enough for so many runs."""
        wanted = min(LONGEST_LEASE, open_runs // RUNS_A_SECOND)
        self._place.leases.seconds = max(self._place.leases.seconds, wanted)

    @property
    def _shown(self) -> str:
        return hide_password(self._cluster.url)

    def _emit(self, outgoing: Outgoing) -> None:
        run = outgoing.report.run
        self._place.emitter.emit(outgoing.content)
        if run.ended:
            self._place.leases.release(run.id)
        else:
            self._place.leases.hold(run.id, partial(self.again.add, outgoing.connector))

    def _save(self) -> None:
        if not self._dirty or self._memory is None:
            return
        try:
            self._memory.save(self._known)
            self._dirty, self._trouble = False, ""
        except OSError as error:
            if str(error) != self._trouble:
                log.warning("what is known of %s cannot be kept: %s; see to %s", self._shown, error, self._memory.file)
            self._trouble = str(error)
