"""How fast records go through a connector and how many wait, from two looks at offsets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

Positions = Mapping[tuple[str, int], int]  # by topic and partition

# Sinks commit their offsets once a minute unless told otherwise; a shorter window would see nothing, then a flood.
WINDOW_SECONDS = 90.0


class TopicFlow(Struct, frozen=True):
    """One topic of a connector."""

    topic: str
    records_per_second: float | None = None
    lag: int | None = None


class Flow(Struct, frozen=True):
    """A connector and each of its topics; None is what is not known."""

    records_per_second: float | None = None
    lag: int | None = None
    topics: tuple[TopicFlow, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The content of the run facet `headwater_flow`."""
        return {
            "recordsPerSecond": self.records_per_second,
            "lag": self.lag,
            "topics": [
                {"topic": each.topic, "recordsPerSecond": each.records_per_second, "lag": each.lag}
                for each in self.topics
            ],
        }


class Pulse:
    """What was seen of a connector's offsets lately, and when they last moved. Times are seconds of one clock."""

    def __init__(self, began: float) -> None:
        self.moved = began
        self.behind: float | None = None  # since when records wait
        self.missing: float | None = None  # since when a topic is not there
        self.flow = Flow()
        self.ends: Positions | None = None
        self._looks: deque[tuple[float, Positions]] = deque()
        self._noted = ""

    def look(self, at: float, positions: Positions, ends: Positions | None = None) -> None:
        """Take a look into account. `ends` are those of the topics, for a connector that reads them."""
        if self._looks and self._looks[-1][1] != positions:
            self.moved = at
        while len(self._looks) > 1 and self._looks[1][0] <= at - WINDOW_SECONDS:
            self._looks.popleft()
        self._looks.append((at, positions))
        self.ends = ends
        self.flow = flow_of(self._looks[0], self._looks[-1], ends)
        self.behind = (self.behind or at) if ends is not None and records_wait(positions, ends) else None

    def look_again(self, at: float) -> None:
        """Nothing is new, which is known without asking."""
        self.look(at, self._looks[-1][1] if self._looks else {}, self.ends)

    def note(self, at: float, sign: str) -> None:
        """Take any other sign of life into account: one that changes, moves."""
        if self._noted and sign != self._noted:
            self.moved = at
        self._noted = sign

    def miss(self, at: float, missing: bool) -> float:
        """Note whether a topic is not there; seconds for which it was not."""
        self.missing = (self.missing or at) if missing else None
        return 0.0 if self.missing is None else at - self.missing

    def behind_for(self, at: float) -> float:
        """Seconds in which records waited and none was taken."""
        return 0.0 if self.behind is None else at - max(self.moved, self.behind)


def flow_of(first: tuple[float, Positions], last: tuple[float, Positions], ends: Positions | None) -> Flow:
    """The flow between two looks, by topic and in all."""
    seconds = last[0] - first[0]
    before, now = totals(first[1]), totals(last[1])
    lags = {} if ends is None else lag_of(last[1], ends)
    topics = tuple(
        TopicFlow(topic, _rate(before, now, topic, seconds), lags.get(topic)) for topic in sorted({*now, *lags})
    )
    rates = [each.records_per_second for each in topics if each.records_per_second is not None]
    return Flow(round(sum(rates), 2) if rates else None, sum(lags.values()) if lags else None, topics)


def _rate(before: Mapping[str, int], now: Mapping[str, int], topic: str, seconds: float) -> float | None:
    if seconds <= 0 or topic not in before or topic not in now:
        return None
    # Less than before: the topic was made anew, or the offsets were set back.
    return round(max(0, now[topic] - before[topic]) / seconds, 2)


def totals(positions: Positions) -> dict[str, int]:
    """Offsets summed by topic."""
    found: dict[str, int] = {}
    for (topic, _), offset in positions.items():
        found[topic] = found.get(topic, 0) + offset
    return found


def lag_of(positions: Positions, ends: Positions) -> dict[str, int]:
    """Records that wait, by topic; all of a partition that was never read from."""
    found: dict[str, int] = {}
    for (topic, partition), end in ends.items():
        found[topic] = found.get(topic, 0) + max(0, end - positions.get((topic, partition), 0))
    return found


def records_wait(positions: Positions, ends: Positions) -> bool:
    """Whether a record surely waits: the last offset of a partition may be the mark of a transaction's end."""
    return any(end - positions.get(place, 0) > 1 for place, end in ends.items())


def sink_positions(offsets: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int], int]:
    """The offsets of a sink, as GET /connectors/NAME/offsets tells them; what is not of a topic is left out."""
    found: dict[tuple[str, int], int] = {}
    for each in offsets:
        match each:
            case {
                "partition": {"kafka_topic": str(topic), "kafka_partition": int(partition)},
                "offset": {"kafka_offset": int(offset)},
            }:
                found[topic, partition] = offset
    return found
