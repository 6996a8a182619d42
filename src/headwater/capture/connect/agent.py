"""The Kafka Connect agent: watches any number of clusters, and says how their connectors are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from headwater.capture.connect.cluster import Cluster, parse_clusters
from headwater.capture.connect.details import Sources
from headwater.capture.connect.journal import Place
from headwater.capture.connect.roster import Roster
from headwater.capture.connect.watcher import EVERY_SECONDS, Watcher
from headwater.capture.destination import read_namespace
from headwater.capture.emitter import Emitter, open_emitter
from headwater.capture.leases import leases_of
from headwater.capture.place import outbox_directory


class Agent(Roster, AbstractContextManager["Agent"]):
    """Watches from `with` to its end; a cluster is watched by one agent at a time."""

    def __init__(
        self,
        clusters: Sequence[Cluster],
        emitter: Emitter,
        directory: Path,
        namespace: str,
        sources: Sources,
        *,
        every: float = EVERY_SECONDS,
    ) -> None:
        place = Place(emitter, leases_of(emitter), directory)
        super().__init__({each.name: Watcher(each, place, namespace, sources, every=every) for each in clusters})

    def __enter__(self) -> Agent:
        for watcher in self.watchers.values():
            watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        for watcher in self.watchers.values():
            watcher.close()


def open_agent(
    clusters: Iterable[str],
    *,
    namespace: str = "",
    registry: str = "",
    bootstrap: str = "",
    emitter: Emitter | None = None,
    env: Mapping[str, str] | None = None,
) -> Agent:
    """An agent for clusters as URL or NAME=URL; what is not given is as the environment says."""
    env = os.environ if env is None else env
    sources = Sources(registry or env.get("HEADWATER_REGISTRY", ""), bootstrap or env.get("KAFKA_BOOTSTRAP", ""))
    return Agent(
        parse_clusters(clusters),
        emitter or open_emitter(env),
        # Beside the outbox, which is where this machine keeps what is not sent yet.
        outbox_directory(env).parent / "connect",
        namespace or read_namespace(env),
        sources,
    )
