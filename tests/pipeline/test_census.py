"""What the shop holds, as the census tells it."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from headwater.pipeline.census import export_shop, sales, shop_days, shop_keys, shop_tally, table_tallies, window_total
from headwater.pipeline.shop import Shop, open_shop
from headwater.pipeline.windows import Total, Window, totals
from tests.pipeline.connectors.test_files import SETTINGS
from tests.pipeline.test_windows import NOON

pytestmark = pytest.mark.postgres


@pytest.fixture
def shop(new_postgres_database: Callable[[], str]) -> Iterator[Shop]:
    with open_shop(new_postgres_database()) as shop:
        shop.execute(
            "INSERT INTO orders VALUES ('order-1', '2026-03-01 23:59:59.999', 1.10, 'lamp', 'Alice'), "
            "('order-2', '2026-03-02 00:00:00', 2.20, NULL, 'Bob'), "
            "('order-3', '2026-03-02 10:00:00', NULL, 'a, b', NULL)"
        )
        yield shop


def test_the_shop_is_counted(shop: Shop) -> None:
    tally = shop_tally(shop, "orders")
    assert (tally.rows, tally.keys, tally.price) == (3, 3, Decimal("3.30"))
    empty = shop_tally(shop, "bids")
    assert (empty.rows, empty.keys, empty.price) == (0, 0, Decimal(0))
    assert shop_keys(shop, "orders") == ["order-1", "order-2", "order-3"]


def test_days_are_those_that_have_orders(shop: Shop) -> None:
    assert shop_days(shop) == [date(2026, 3, 1), date(2026, 3, 2)]


def test_the_shop_is_exported_as_csv(shop: Shop, tmp_path: Path) -> None:
    export_shop(shop, tmp_path)
    assert (tmp_path / "orders.csv").read_text().splitlines() == [
        "order_id,bid_time,price,item,supplier",
        "order-1,2026-03-01 23:59:59.999,1.10,lamp,Alice",
        "order-2,2026-03-02 00:00:00,2.20,,Bob",
        'order-3,2026-03-02 10:00:00,,"a, b",',
    ]
    assert (tmp_path / "bids.csv").read_text() == "bid_id,bid_time,price,item,supplier\n"


def test_sales_are_what_windows_are_made_of(shop: Shop) -> None:
    assert [total.price for total in totals(sales(shop)).values()] == [Decimal("1.10"), Decimal("2.20")]


def test_a_record_of_the_stream_is_a_window_and_its_total() -> None:
    record = {"window_start": NOON, "window_end": NOON, "supplier": None, "total_price": Decimal("1.10"), "count": 2}
    assert window_total(record) == (Window(NOON, ""), Total(Decimal("1.10"), 2))


def test_the_report_of_the_job_becomes_tallies() -> None:
    found = {"rows": 3, "keys": 3, "price": "3.30", "differences": []}
    stats = {"rows": 2, "price": "1.10", "differences": ["Bob 2026-03-02 0 2.20 1 is missing"]}
    places = ("demo_ib.default.orders", "demo_ib.default.bids")
    tallies = table_tallies({**dict.fromkeys(places, found), "demo_ib.default.supplier_stats": stats}, SETTINGS)
    assert [(tally.what, tally.rows, tally.keys) for tally in tallies] == [
        ("orders", 3, 3),
        ("orders", 2, None),
        ("bids", 3, 3),
    ]
    assert tallies[1].differences == ("Bob 2026-03-02 0 2.20 1 is missing",)
