"""Events kept in memory while the disk takes none: few, and in the order they came."""

import heapq
from collections.abc import Iterator, Sequence
from itertools import count, islice

from headwater.capture.records import Rank, Record, first

MEMORY_BYTES = 32 * 1024 * 1024


class Memory:
    """A bounded queue. When it is full the oldest RUNNING events give way first, as on disk."""

    def __init__(self, limit: int = MEMORY_BYTES) -> None:
        self._limit, self._size, self._numbers = limit, 0, count()
        self._events: tuple[dict[int, bytes], ...] = tuple({} for _ in Rank)

    def __len__(self) -> int:
        return sum(map(len, self._events))

    def append(self, rank: Rank, body: bytes) -> int:
        """Keep an event; how many others, or it, were dropped for it."""
        number, dropped = next(self._numbers), 0
        self._events[rank][number] = body
        self._size += len(body)
        while self._size > self._limit:
            lowest = next(events for events in self._events if events)
            self._size -= len(lowest.pop(next(iter(lowest))))
            dropped += 1
        return dropped

    def peek(self, events: int, size: int = MEMORY_BYTES) -> list[Record]:
        """The oldest events, so many and about so many bytes; `end` is the number by which to settle each."""
        return first(self._in_order(events), events, size)

    def settle(self, records: Sequence[Record]) -> None:
        """Let go of events; one that was dropped meanwhile is gone already."""
        for record in records:
            if (body := self._events[record.rank].pop(record.end, None)) is not None:
                self._size -= len(body)

    def _in_order(self, events: int) -> Iterator[Record]:
        numbered = (
            [(number, rank, body) for number, body in islice(kept.items(), events)]
            for rank, kept in enumerate(self._events)
        )
        for number, rank, body in heapq.merge(*numbered):
            yield Record(rank, body, number)
