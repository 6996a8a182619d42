"""What is to be looked up next: each connector's turn comes, and never too many at once."""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Chores(Generic[K]):
    """A queue by time, in which each key is once, with the earliest time that was asked for."""

    def __init__(self) -> None:
        self._due: dict[K, float] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._due)

    def add(self, key: K, at: float) -> None:
        """Have a key come up at this time, or earlier if it would anyway."""
        if at < self._due.get(key, float("inf")):
            self._due[key] = at
            self._count += 1
            heapq.heappush(self._heap, (at, self._count, key))

    def drop(self, key: K) -> None:
        """Forget a key."""
        self._due.pop(key, None)

    def take(self, now: float, most: int) -> list[K]:
        """The keys whose time has come, so many at most; they are then not in the queue."""
        taken: list[K] = []
        while self._heap and self._heap[0][0] <= now and len(taken) < most:
            at, _, key = heapq.heappop(self._heap)
            if self._due.get(key) == at:
                del self._due[key]
                taken.append(key)
        return taken
