"""Window totals, calculated by hand in the tests."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from headwater.pipeline.windows import Sale, Total, Window, disagreements, totals

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sale(second: float, supplier: str | None = "Alice", price: str | None = "1.10") -> Sale:
    return Sale(NOON + timedelta(seconds=second), supplier, None if price is None else Decimal(price))


def window(second: int, supplier: str = "Alice") -> Window:
    return Window(NOON + timedelta(seconds=second), supplier)


def test_a_window_holds_its_start_and_not_its_end_and_prices_add_up_exactly() -> None:
    sales = [sale(0), sale(4.999, price="2.20"), sale(5, price="0.10"), sale(3, "Bob"), sale(60)]
    assert totals(sales) == {
        window(0): Total(Decimal("3.30"), 2),
        window(0, "Bob"): Total(Decimal("1.10"), 1),
        window(5): Total(Decimal("0.10"), 1),
    }


@pytest.mark.parametrize(("newest", "closed"), [(14.999, 0), (15, 1), (19, 1), (20, 2)])
def test_a_window_is_closed_ten_seconds_after_its_end(newest: float, closed: int) -> None:
    assert len(totals([sale(0), sale(5), sale(newest)])) == closed


def test_the_order_of_sales_does_not_matter() -> None:
    sales = [sale(second, price=f"{second}.01") for second in range(60)]
    assert totals(sales) == totals(reversed(sales))


def test_a_sale_without_a_price_counts_and_a_window_of_such_has_no_total() -> None:
    assert totals([sale(0, price=None), sale(1), sale(60)])[window(0)] == Total(Decimal("1.10"), 2)
    assert totals([sale(0, price=None), sale(60)])[window(0)] == Total(None, 1)


def test_a_sale_without_a_supplier_has_windows_of_its_own() -> None:
    assert totals([sale(0, None), sale(0), sale(60)]).keys() == {window(0), window(0, "")}


def test_without_sales_there_are_no_windows() -> None:
    assert totals([]) == {}


def test_a_window_that_the_stream_tells_twice_alike_is_no_disagreement() -> None:
    total = Total(Decimal("1.10"), 1)
    assert list(disagreements({window(0): total}, [(window(0), total), (window(0), total)])) == []


def test_each_kind_of_disagreement_is_told() -> None:
    one, two = Total(Decimal("1.10"), 1), Total(Decimal("2.20"), 2)
    expected = {window(0): one, window(5): one, window(10): one}
    said = [(window(5), two), (window(10), one), (window(10), two), (window(15, ""), one)]
    told = list(disagreements(expected, said))
    assert told[0] == "2026-03-01 12:00:00 Alice: not there; expected 1.10 in 1 orders"
    assert told[1] == "2026-03-01 12:00:05 Alice: 2.20 in 2 orders; expected 1.10 in 1 orders"
    assert told[2].startswith("2026-03-01 12:00:10 Alice: ")
    assert told[3] == "2026-03-01 12:00:15 no supplier: 1.10 in 1 orders; expected nothing"
