"""orders-generator: writes random orders and bids into the shop, at a steady rate or all at once."""

import argparse
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from threading import Event
from types import FrameType

import psycopg

from headwater.errors import HeadwaterError
from headwater.pipeline.orders import Clock, Order, random_orders, spread_clock
from headwater.pipeline.settings import load_pipeline_settings
from headwater.pipeline.shop import Batch, Shop, newest_order, number, open_shop, write

DEFAULT_RATE = 10.0
TICK = 0.1
LARGEST_BATCH = 500
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
# The driver gives no code for a connection that is refused, only the server's words.
REFUSALS = ("password authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry")
log = logging.getLogger("orders-generator")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to write: orders a second, how many (None is without end), and whether to wait between them."""

    rate: float = DEFAULT_RATE
    orders: int | None = None
    seed: int | None = None
    fast: bool = False


@dataclass
class Pace:
    """How many orders are due: counted from one start, so that a slow write delays but never lowers the rate."""

    rate: float
    monotonic: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget what is due: after an outage the rate goes on, without a burst of what was missed."""
        self.started, self.done = self.monotonic(), 0

    def due(self) -> int:
        """Orders that should have been written by now and are not."""
        return int((self.monotonic() - self.started) * self.rate) + 1 - self.done

    def wait(self) -> float:
        """Seconds until the next write: short steps at a high rate, the gap between two orders at a low one."""
        return max(TICK, self.started + self.done / self.rate - self.monotonic())


class ShopError(HeadwaterError):
    """The shop turned us away, and will again."""


@dataclass
class Work:
    """How far a plan has come; it outlives the connection it is done over."""

    plan: Plan
    orders: Iterator[Order]
    pace: Pace
    written: int = 0
    pending: Batch | None = None

    @property
    def finished(self) -> bool:
        return self.written == self.plan.orders

    def due(self) -> int:
        """How many orders to write now, in one transaction."""
        left = LARGEST_BATCH if self.plan.orders is None else self.plan.orders - self.written
        return min(LARGEST_BATCH, left if self.plan.fast else min(left, self.pace.due()))

    def step(self, shop: Shop) -> None:
        """Write what is due. A batch that a lost connection left in doubt is written again, under the same keys."""
        if self.pending is None and (due := self.due()) > 0:
            self.pending = number(shop, list(islice(self.orders, due)))
        if self.pending is not None:
            write(shop, self.pending)
            self.written += len(self.pending.orders)
            self.pace.done += len(self.pending.orders)
            self.pending = None


def generate(shop_url: str, plan: Plan, stop: Event) -> int:
    """Write orders until the plan is done or stop is set, over lost connections too; return how many."""
    work: Work | None = None
    pause = FIRST_PAUSE
    while not stop.is_set():
        try:
            with open_shop(shop_url) as shop:
                if work is None:
                    orders = random_orders(Random(plan.seed), clock_of(plan, newest_order(shop)))
                    work = Work(plan, orders, Pace(plan.rate))
                log.info("connected to the shop")
                pause = FIRST_PAUSE
                work.pace.restart()
                while not (stop.is_set() or work.finished):
                    work.step(shop)
                    if work.due() <= 0 and not work.finished:
                        stop.wait(work.pace.wait())
                break
        except psycopg.OperationalError as error:
            if any(reason in str(error) for reason in REFUSALS):
                raise ShopError(f"the shop refuses the connection: {first_line(error)}; check shop.url") from error
            log.warning("no connection to the shop, trying again in %.1f s: %s", pause, first_line(error))
            stop.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
    return work.written if work else 0


def clock_of(plan: Plan, newest: datetime | None) -> Clock:
    """The time of each order: now, or in a fast plan as if the orders had come at the rate and the last just now.

    A fast plan's orders are never older than the newest in the shop: supplier-stats would count them as late.
    """
    now = datetime.now(UTC)
    if not plan.fast or not plan.orders:
        return lambda: datetime.now(UTC)
    first = now - timedelta(seconds=plan.orders / plan.rate)
    return spread_clock(min(now, max(first, newest or first)), now, plan.orders)


def first_line(error: Exception) -> str:
    """The first line of an error: the rest are hints for someone who connects by hand."""
    return str(error).strip().partition("\n")[0]


def positive(kind: type[float] | type[int]) -> Callable[[str], float]:
    """A parser of numbers above zero, for argparse."""

    def parse(text: str) -> float:
        if not 0 < (value := kind(text)) < float("inf"):
            raise argparse.ArgumentTypeError(f"{text!r} is not a number above zero")
        return value

    parse.__name__ = "number above zero"
    return parse


def parse_plan(argv: Sequence[str] | None) -> tuple[str | None, Plan]:
    """The settings file and the plan that the command line names."""
    parser = argparse.ArgumentParser(prog="orders-generator", description=__doc__)
    parser.add_argument("--settings", help="the pipeline's settings file; default: HEADWATER_PIPELINE")
    parser.add_argument("--rate", type=positive(float), default=DEFAULT_RATE, help="orders a second (%(default)g)")
    parser.add_argument("--orders", type=positive(int), help="stop after this many; default: never")
    parser.add_argument("--seed", type=int, help="the same seed makes the same orders")
    parser.add_argument("--fast", action="store_true", help="write --orders at once, with the times of the rate")
    given = parser.parse_args(argv)
    if given.fast and given.orders is None:
        parser.error("--fast needs --orders")
    return given.settings, Plan(rate=given.rate, orders=given.orders, seed=given.seed, fast=given.fast)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the generator; SIGTERM and Ctrl-C end it after the batch that is being written."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stop = Event()

    def end(signum: int, frame: FrameType | None) -> None:
        stop.set()

    path, plan = parse_plan(argv)
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, end)
    try:
        settings = load_pipeline_settings(path)
        written = generate(settings.shop.url, plan, stop)
    except HeadwaterError as error:
        print(error, file=sys.stderr)
        return 1
    log.info("%d orders written", written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
