"""Random orders: what the stream looks like, told by a seed and a clock that the test sets."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice
from random import Random

import pytest

from headwater.pipeline.orders import ITEMS, LATENESS, SUPPLIERS, Order, random_orders, spread_clock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def orders(count: int, seed: int = 7) -> list[Order]:
    return list(islice(random_orders(Random(seed), lambda: NOON), count))


def test_the_same_seed_and_clock_make_the_same_orders() -> None:
    assert orders(50) == orders(50)
    assert orders(50) != orders(50, seed=8)


def test_every_supplier_and_item_occurs_and_so_do_missing_items_and_prices() -> None:
    made = orders(5_000)
    assert {order.supplier for order in made} == set(SUPPLIERS)
    assert {order.item for order in made} == {*ITEMS, None}
    assert any(order.price is None for order in made)


def test_prices_are_exact_cents_that_fit_the_narrowest_column() -> None:
    for order in orders(1_000):
        for bid in (order, *order.bids):
            assert bid.price is None or (Decimal("1.00") <= bid.price < 10**8 and bid.price.as_tuple().exponent == -2)


def test_orders_come_out_of_order_but_never_late() -> None:
    times = [order.bid_time for order in orders(1_000)]
    assert times != sorted(times)
    assert all(NOON - LATENESS - timedelta(milliseconds=1) <= moment <= NOON for moment in times)
    assert all(moment.microsecond % 1000 == 0 for moment in times)


def test_the_bids_of_an_order_are_for_its_item_and_ask_for_more() -> None:
    made = orders(1_000)
    assert {len(order.bids) for order in made} == {0, 1, 2}
    for order in made:
        for bid in order.bids:
            assert bid.item == order.item
            assert bid.price
            assert bid.price > (order.price or 0)


def test_a_spread_clock_goes_from_first_to_last_in_even_steps_and_stays() -> None:
    clock = spread_clock(NOON, NOON + timedelta(seconds=10), 5)
    seconds = [(clock() - NOON).total_seconds() for _ in range(7)]
    assert seconds == [2, 4, 6, 8, 10, 10, 10]


def test_a_spread_clock_cannot_run_backwards() -> None:
    with pytest.raises(ValueError, match="cannot spread 5 readings"):
        spread_clock(NOON, NOON - timedelta(seconds=1), 5)
