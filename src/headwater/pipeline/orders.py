"""Random orders and the bids they draw: a stream that depends on nothing but a seed and a clock."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

Clock = Callable[[], datetime]

SUPPLIERS = ("Alice", "Bob", "Carol", "Alex", "Joe", "James", "Jane", "Jack")
ITEMS = ("chair", "clock", "desk", "kettle", "lamp", "mirror", "mug", "rug", "shelf", "vase")
NAMELESS = 1 / 100
PRICELESS = 1 / 200
MOST_BIDS = 2
# Orders reach the shop out of order by at most this much, which is well within what supplier-stats waits for.
LATENESS = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Bid:
    """What one supplier asks for an item, and when."""

    bid_time: datetime
    price: Decimal | None
    item: str | None
    supplier: str


@dataclass(frozen=True, slots=True)
class Order(Bid):
    """A bid that was taken, and the other bids there were for the same item."""

    bids: tuple[Bid, ...] = ()


def random_orders(random: Random, clock: Clock) -> Iterator[Order]:
    """Orders without end; the clock is read once for each, and its time, in UTC, is the newest a bid can have."""
    while True:
        now = clock()
        item = None if random.random() < NAMELESS else random.choice(ITEMS)
        cents = random.randint(100, 99_999)
        bids = tuple(
            Bid(past(random, now), price(cents + random.randint(1, cents)), item, random.choice(SUPPLIERS))
            for _ in range(random.randint(0, MOST_BIDS))
        )
        paid = None if random.random() < PRICELESS else price(cents)
        yield Order(past(random, now), paid, item, random.choice(SUPPLIERS), bids)


def price(cents: int) -> Decimal:
    """An amount of money in cents as an exact decimal with two places."""
    return Decimal(cents).scaleb(-2)


def past(random: Random, now: datetime) -> datetime:
    """A moment shortly before now, in whole milliseconds, which is what a topic keeps of a time."""
    moment = now - LATENESS * random.random()
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def spread_clock(first: datetime, last: datetime, count: int) -> Clock:
    """A clock that takes count readings to go from first to last, and then stands still."""
    if last < first or count < 1:
        raise ValueError(f"cannot spread {count} readings from {first} to {last}")
    step = (last - first) / count
    readings = iter(range(1, count + 1))
    return lambda: first + step * next(readings, count)
