"""What the list of connectors does not tell: topics, schemas, offsets; of the worker, the registry and the brokers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

from msgspec import Struct

from headwater.capture.connect.answers import ConnectError
from headwater.capture.connect.broker import Broker, BrokerError, Record
from headwater.capture.connect.files import Connector
from headwater.capture.connect.flow import Positions, Pulse, sink_positions
from headwater.capture.connect.lineage import datasets_of, lineage_of, topics_wanted
from headwater.capture.connect.options import java_pattern
from headwater.capture.connect.stall import (
    SOURCE_SECONDS,
    heartbeat_evidence,
    heartbeat_topic,
    sink_evidence,
    source_evidence,
    topic_evidence,
)
from headwater.capture.connect.topic_schemas import Schemas
from headwater.capture.connect.watched import Watched
from headwater.capture.connect.worker import Worker
from headwater.openlineage.naming import kafka_namespace

log = logging.getLogger(__name__)

# Between two questions which topics a connector has used: the brokers tell when there may be another.
USED_SECONDS, USED_SECONDS_WITHOUT_BROKER = 3600.0, 300.0
METADATA_SECONDS = 10.0
BROKER_PAUSE = 60.0
# A source that is quiet is checked now and then: its database is asked whether it lets us in.
CHECK_SECONDS = 300.0
# Settings of connectors that name the brokers, which a worker does not tell.
BOOTSTRAP_SETTINGS = (
    "consumer.override.bootstrap.servers",
    "producer.override.bootstrap.servers",
    "schema.history.internal.kafka.bootstrap.servers",
    "database.history.kafka.bootstrap.servers",
)

Datasets = tuple[list[dict[str, Any]], list[dict[str, Any]]]


class Sources(Struct, frozen=True):
    """Where to ask, as far as a person said so; what connectors' settings tell is found without."""

    registry: str = ""
    bootstrap: str = ""


class Details(AbstractContextManager["Details"]):
    """Asks about one connector at a time, for one cluster."""

    def __init__(self, worker: Worker, sources: Sources, clock: Callable[[], float] = time.monotonic) -> None:
        self._worker, self._sources, self._clock = worker, sources, clock
        self._schemas = Schemas(sources.registry, clock, self._newest)
        self._broker: Broker | None = None
        self._broker_pause = float("-inf")
        self._broker_trouble = ""
        self._partitions: tuple[float, Mapping[str, Sequence[int]]] = (float("-inf"), {})
        self._checking = threading.Lock()  # one source at a time
        self._lists = 0  # how often the brokers' list of topics was another
        self.kafka_cluster_id = ""

    def __exit__(self, *_: object) -> None:
        self._schemas.__exit__()

    # -- datasets ----------------------------------------------------------------------------------

    def datasets(self, watched: Watched) -> Datasets:
        """Inputs and outputs of a connector with schemas and columns, as far as they are known by now."""
        if self._may_use_others(watched):
            watched.used = tuple(self._worker.topics(watched.name))
            watched.used_at, watched.used_among = self._clock(), self._lists
        watched.topics = self.topics(watched)
        schemas = {topic: self._schemas.of_topic(watched.config, topic) for topic in watched.topics}
        kind: Literal["source", "sink"] = "sink" if watched.status.type == "sink" else "source"
        namespace = self.namespace(watched.config)
        return datasets_of(lineage_of(watched.config, watched.topics, schemas, namespace, kind=kind))

    def _may_use_others(self, watched: Watched) -> bool:
        """Whether a connector may have used topics that we have not heard of; one that lists its topics has not."""
        if watched.config.get("topics", "").strip():
            return False
        self._all_partitions(watched.config)
        longest = USED_SECONDS if self._broker is not None else USED_SECONDS_WITHOUT_BROKER
        return not watched.used or watched.used_among != self._lists or self._clock() - watched.used_at >= longest

    def topics(self, watched: Watched) -> tuple[str, ...]:
        """The topics that a connector has used or that its settings name; heartbeats are not among them."""
        wanted = topics_wanted(watched.config, watched.status.type)
        found = {*watched.used, *wanted.topics}
        if wanted.pattern:
            pattern = java_pattern(wanted.pattern)  # where it is None, the topics in use must do
            found.update(t for t in self._all_partitions(watched.config) if pattern and pattern.fullmatch(t))
        return tuple(sorted(found - {heartbeat_topic(watched.config)}))

    def namespace(self, config: Mapping[str, str]) -> str:
        """The namespace of the topics: the brokers', or the cluster's id where nobody names a broker."""
        bootstrap = self.bootstrap(config)
        return kafka_namespace(bootstrap) if bootstrap else f"kafka://{self.kafka_cluster_id or 'unknown'}"

    def bootstrap(self, config: Mapping[str, str]) -> str:
        """The brokers' addresses."""
        named = (config.get(key, "") for key in BOOTSTRAP_SETTINGS)
        return self._sources.bootstrap or next((each for each in named if each and "${" not in each), "")

    @property
    def has_broker(self) -> bool:
        """Whether the brokers tell which topics move: then only connectors of those are asked for offsets."""
        return self._broker is not None

    # -- flow --------------------------------------------------------------------------------------

    def look(self, watched: Watched) -> None:
        """Bring a connector's flow up to date, and the evidence that it does nothing."""
        now = self._clock()
        if watched.pulse is None:
            watched.pulse = Pulse(now)
        if watched.status.type == "sink":
            self._look_at_sink(watched, watched.pulse, now)
        else:
            self._look_at_source(watched, watched.pulse, now)

    def _look_at_sink(self, watched: Watched, pulse: Pulse, now: float) -> None:
        ends = self._ends(watched.config, watched.topics)
        if ends is None or ends != pulse.ends or pulse.flow.lag != 0:
            pulse.look(now, sink_positions(self._worker.offsets(watched.name)), ends)
        else:
            pulse.look_again(now)
        there = self._all_partitions(watched.config)
        missing = [topic for topic in watched.topics if there and topic not in there]
        watched.stalled = topic_evidence(missing, pulse.miss(now, bool(missing))) or sink_evidence(
            pulse.flow, pulse.behind_for(now)
        )

    def _look_at_source(self, watched: Watched, pulse: Pulse, now: float) -> None:
        heartbeat = heartbeat_topic(watched.config)
        ends = self._ends(watched.config, [*watched.topics, *([heartbeat] if heartbeat else [])])
        if ends is None:
            pulse.note(now, repr(self._worker.offsets(watched.name)))
        else:
            pulse.look(now, {place: end for place, end in ends.items() if place[0] != heartbeat})
        beats = {place: end for place, end in (ends or {}).items() if place[0] == heartbeat}
        if beats:
            pulse.note(now, repr(beats))
        quiet = now - pulse.moved
        if quiet < SOURCE_SECONDS:
            watched.faults = ()
        elif now - watched.faults_at >= CHECK_SECONDS and self._checking.acquire(blocking=False):
            watched.faults_at = now
            threading.Thread(target=self._check, args=(watched,), daemon=True).start()
            return  # by the next look there is an answer, which says more than silence
        watched.stalled = source_evidence(quiet, watched.faults) or (
            heartbeat_evidence(watched.config, quiet) if beats else ""
        )

    def _check(self, watched: Watched) -> None:
        """Have the worker check a source's settings, beside everything else: it may have to wait for a database."""
        try:
            watched.faults = tuple(self._worker.faults(Connector(watched.name, watched.config)))
        except (ConnectError, RuntimeError) as error:  # RuntimeError: the watcher was closed meanwhile
            log.debug("the settings of connector %r could not be checked: %s", watched.name, error)
        finally:
            self._checking.release()

    # -- brokers -----------------------------------------------------------------------------------

    def _ends(self, config: Mapping[str, str], topics: Iterable[str]) -> Positions | None:
        """Where topics end; None if the brokers cannot be asked."""
        partitions = self._all_partitions(config)
        broker = self._open_broker(config)
        if broker is None:
            return None
        asked = [(topic, partition) for topic in topics for partition in partitions.get(topic, ())]
        try:
            return broker.ends(asked)
        except BrokerError as error:
            self._let_go(error)
            return None

    def _newest(self, topic: str) -> Record | None:
        """A record of a topic, if the brokers can be asked."""
        try:
            return None if self._broker is None else self._broker.newest(topic)
        except BrokerError as error:
            self._let_go(error)
            return None

    def _all_partitions(self, config: Mapping[str, str]) -> Mapping[str, Sequence[int]]:
        at, known = self._partitions
        broker = self._open_broker(config)
        if broker is None or self._clock() - at < METADATA_SECONDS:
            return known
        try:
            found = broker.partitions()
            self._lists += found.keys() != known.keys()
            self._partitions = (self._clock(), found)
        except BrokerError as error:
            self._let_go(error)
        return self._partitions[1]

    def _open_broker(self, config: Mapping[str, str]) -> Broker | None:
        if self._broker is None and self._clock() >= self._broker_pause and (bootstrap := self.bootstrap(config)):
            try:
                self._broker = Broker(bootstrap)
            except BrokerError as error:
                self._let_go(error)
        return self._broker

    def _let_go(self, error: BrokerError) -> None:
        self._broker, self._broker_pause = None, self._clock() + BROKER_PAUSE
        if str(error) != self._broker_trouble:
            log.warning("%s; lag and records per second are not known until then", error)
        self._broker_trouble = str(error)
