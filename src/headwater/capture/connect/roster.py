"""Every watched connector, to be looked at: with no cluster it is empty, and needs nothing that watches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING

from headwater.capture.connect.view import ClusterView, ConnectorView, connector_view
from headwater.capture.connect.watched import Watched
from headwater.errors import HeadwaterError
from headwater.settings import hide_password

if TYPE_CHECKING:
    from headwater.capture.connect.watcher import Watcher


class UnknownConnector(HeadwaterError):
    """A cluster or connector that is not there."""

    status = 404


class Roster:
    """The watchers by the names of their clusters, and what they see."""

    def __init__(self, watchers: Mapping[str, Watcher]) -> None:
        self.watchers = watchers

    def clusters(self) -> list[ClusterView]:
        """Every cluster, and whether it answers."""
        return [
            ClusterView(name, hide_password(each.cluster.url), each.state, each.detail, each.root.version)
            for name, each in self.watchers.items()
        ]

    def connectors(self) -> list[ConnectorView]:
        """Every connector of every cluster, as it was at the last look."""
        return [
            connector_view(name, watcher.namespace, watched)
            for name, watcher in self.watchers.items()
            for watched in _seen(watcher)
        ]

    def watcher(self, cluster: str) -> Watcher:
        """The watcher of a cluster; UnknownConnector if there is no such cluster."""
        if cluster not in self.watchers:
            known = ", ".join(self.watchers) or "none; set connect or HEADWATER_CONNECT"
            raise UnknownConnector(f"no Connect cluster {cluster!r} is watched; there are: {known}")
        return self.watchers[cluster]

    def find(self, cluster: str, name: str) -> Watched:
        """A connector; UnknownConnector if there is no such."""
        watched = self.watcher(cluster).connectors.get(name)
        if watched is None or not watched.info_text:
            raise UnknownConnector(
                f"no connector {name!r} in Connect cluster {cluster!r}; GET /api/v2/connectors lists them"
            )
        return watched


def _seen(watcher: Watcher) -> Iterator[Watched]:
    """Those that this agent has seen itself, by name."""
    for _, watched in sorted(watcher.connectors.items(), key=itemgetter(0)):
        if watched.info_text:
            yield watched
