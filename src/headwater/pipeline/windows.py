"""Totals of event-time windows in plain Python: a second opinion on what the stream supplier-stats says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SIZE = timedelta(seconds=5)
# The stream waits 5 s for rows out of order and 5 s more for late ones before it closes a window.
DELAY = timedelta(seconds=10)


@dataclass(frozen=True, order=True)
class Window:
    """A stretch of time, told by its start, and a supplier; a supplier that is not known is the empty text."""

    start: datetime
    supplier: str

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%d %H:%M:%S} {self.supplier or 'no supplier'}"


@dataclass(frozen=True)
class Total:
    """What was sold in a window; without a price in it the total is None, as SQL's sum is."""

    price: Decimal | None
    count: int

    def __str__(self) -> str:
        return f"{self.price} in {self.count} orders"


@dataclass(frozen=True)
class Sale:
    """What counts of an order."""

    bid_time: datetime
    supplier: str | None
    price: Decimal | None


def totals(sales: Iterable[Sale], size: timedelta = SIZE, delay: timedelta = DELAY) -> dict[Window, Total]:
    """The total of every window that is closed once all the sales are seen: the rest may still gain rows."""
    prices: dict[Window, Decimal | None] = {}
    counts: dict[Window, int] = {}
    newest = EPOCH
    for sale in sales:
        window = Window(sale.bid_time - (sale.bid_time - EPOCH) % size, sale.supplier or "")
        before = prices.get(window)
        prices[window] = before if sale.price is None else (before or Decimal(0)) + sale.price
        counts[window] = counts.get(window, 0) + 1
        newest = max(newest, sale.bid_time)
    return {
        window: Total(prices[window], count)
        for window, count in counts.items()
        if window.start + size <= newest - delay
    }


def disagreements(expected: Mapping[Window, Total], said: Iterable[tuple[Window, Total]]) -> Iterator[str]:
    """Each window on which the stream and the calculation differ; the stream may say the same thing twice."""
    answers: dict[Window, set[Total]] = {}
    for window, total in said:
        answers.setdefault(window, set()).add(total)
    for window in sorted(expected.keys() | answers.keys()):
        if not (found := answers.get(window)):
            yield f"{window}: not there; expected {expected[window]}"
        elif window not in expected:
            yield f"{window}: {' and '.join(map(str, found))}; expected nothing"
        elif found != {expected[window]}:
            yield f"{window}: {' and '.join(map(str, found))}; expected {expected[window]}"
