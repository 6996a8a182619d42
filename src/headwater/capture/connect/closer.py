"""A closer look at connectors, a few at a time: their datasets and their flow, and what of it is new."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from headwater.capture.connect.answers import ConnectError
from headwater.capture.connect.chores import Chores
from headwater.capture.connect.details import Details
from headwater.capture.connect.flow import Flow
from headwater.capture.connect.redaction import redact_text, secrets_of
from headwater.capture.connect.watched import Watched
from headwater.openlineage.events import content_hash

log = logging.getLogger(__name__)

FLOW_SECONDS = 10.0
FLOW_EVENT_SECONDS = 60.0
# Connectors that are looked at each time: after a change, and without one. Without brokers it is one.
AT_CHANGE, STEADY = 100, 20
# Soon after a start topics and schemas come into being.
PAUSES = (5.0, 5.0, 10.0, 20.0, 40.0, 60.0)


class Listener(Protocol):
    """Whoever reports what is found."""

    def tell(self, watched: Watched, **found: object) -> None:
        """Datasets (inputs, outputs) or a flow are new."""

    def reconsider(self, watched: Watched) -> None:
        """It does nothing, or does something again."""


class Closer:
    """Whose turn it is, and what to do then."""

    def __init__(self, details: Details, listener: Listener, every: float, clock: Callable[[], float]) -> None:
        self._details, self._listener, self._every, self._clock = details, listener, every, clock
        self._lookups: Chores[str] = Chores()
        self._looks: Chores[str] = Chores()
        self._said: set[str] = set()

    def add(self, name: str) -> None:
        """Look at a connector at once, because something of it is new."""
        self._lookups.add(name, self._clock())
        self._looks.add(name, self._clock())

    def drop(self, name: str) -> None:
        """Look at a connector no more."""
        self._lookups.drop(name)
        self._looks.drop(name)

    def look(self, connectors: Mapping[str, Watched], open_runs: int) -> None:
        """Look at the connectors whose turn it is: however many there are, about as many each time."""
        now, steady = self._clock(), STEADY if self._details.has_broker else 1
        for name in self._lookups.take(now, AT_CHANGE):
            self._turn(connectors.get(name), self._look_up, self._lookups, open_runs * self._every / STEADY)
        for name in self._looks.take(now, steady):
            least = max(FLOW_SECONDS, open_runs * self._every / steady)
            self._turn(connectors.get(name), self._measure, self._looks, least)

    def _turn(
        self, watched: Watched | None, look: Callable[[Watched], float], queue: Chores[str], least: float
    ) -> None:
        if watched is None or not watched.is_open:
            return
        pause = self._every
        try:
            pause = max(least, look(watched))
        except ConnectError as error:
            log.debug("%s", error)  # a rebalance; if it is more, the next look at everything says so
        except Exception as error:
            said = redact_text(repr(error), secrets_of(watched.config))
            self._say_once(f"a closer look at connector {watched.name!r} failed ({said}); its state is watched on")
            pause = PAUSES[-1]
        # A few seconds more or less, so that those which began together do not stay together.
        queue.add(watched.name, self._clock() + pause * random.uniform(0.9, 1.1))

    def _look_up(self, watched: Watched) -> float:
        """Tell a connector's datasets if they are others than before; seconds until they should be looked up again."""
        inputs, outputs = self._details.datasets(watched)
        content = content_hash(msgspec.json.encode((inputs, outputs)))
        if (inputs or outputs) and content != watched.sent:
            watched.sent, watched.lookups = content, 0
            self._listener.tell(watched, inputs=inputs, outputs=outputs)
        pause = PAUSES[min(watched.lookups, len(PAUSES) - 1)]
        watched.lookups += 1
        return self._every if watched.topics else pause

    def _measure(self, watched: Watched) -> float:
        """Look at a connector's offsets; seconds until they should be looked at again."""
        stalled = watched.stalled
        self._details.look(watched)
        if bool(stalled) != bool(watched.stalled):
            if watched.stalled:
                log.warning("connector %r does nothing: %s", watched.name, watched.stalled)
            self._listener.reconsider(watched)
        if watched.pulse is not None:
            self._tell_flow(watched, watched.pulse.flow)
        return FLOW_SECONDS

    def _tell_flow(self, watched: Watched, flow: Flow) -> None:
        """Tell a connector's flow if it is another than a minute ago."""
        now = self._clock()
        new = flow.records_per_second is not None and flow != watched.flow_sent
        if new and now - watched.flow_sent_at >= FLOW_EVENT_SECONDS:
            watched.flow_sent, watched.flow_sent_at = flow, now
            self._listener.tell(watched, flow=flow)

    def _say_once(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            log.warning("%s", message)
