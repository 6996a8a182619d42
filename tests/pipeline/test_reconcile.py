"""Verdicts: when a place agrees with the shop, and what is said when it does not."""

import json
from decimal import Decimal

import pytest

from headwater.pipeline.reconcile import Tally, compare_keys, in_words, reconcile

SHOP = Tally(what="orders", place="shop", rows=3, keys=3, price=Decimal("6.60"))


def verdict(**found: object) -> tuple[str, ...]:
    tally = Tally(**{"what": "orders", "place": "topic", "rows": 3, **found})  # type: ignore[arg-type]
    return reconcile([SHOP], [tally]).verdicts[1].wrong


def test_places_that_hold_the_same_agree() -> None:
    result = reconcile([SHOP], [Tally(what="orders", place="table", rows=3, keys=3, price=Decimal("6.6"))])
    assert result.agrees
    assert [verdict.agrees for verdict in result.verdicts] == [True, True]


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ({"rows": 2}, ("2 rows; expected 3",)),
        ({"rows": 4, "keys": 3}, ("4 rows; expected 3",)),
        ({"keys": 2}, ("2 different keys; expected 3",)),
        ({"price": Decimal("6.61")}, ("prices sum to 6.61; expected 6.60",)),
        ({"differences": ("order-1 is missing",)}, ("order-1 is missing",)),
        ({"rows": 4, "keys": 3, "repeats": True}, ()),
        ({"rows": 2, "repeats": True}, ("2 rows; expected 3",)),
    ],
)
def test_a_place_that_differs_says_how(found: dict[str, object], wrong: tuple[str, ...]) -> None:
    assert verdict(**found) == wrong


def test_one_place_that_differs_is_enough() -> None:
    bad = Tally(what="orders", place="topic", rows=2, differences=("order-1 is missing",))
    good = Tally(what="orders", place="table", rows=3)
    result = reconcile([SHOP], [good, bad])
    assert not result.agrees
    told = json.loads(json.dumps(result.as_json()))
    assert told["agrees"] is False
    assert [place["agrees"] for place in told["places"]] == [True, True, False]
    assert told["places"][2]["wrong"] == ["2 rows; expected 3", "order-1 is missing"]
    assert told["places"][0]["price"] == "6.60"


def test_an_empty_shop_agrees_with_empty_places() -> None:
    empty = Tally(what="orders", place="shop", rows=0, keys=0, price=Decimal(0))
    assert reconcile([empty], [Tally(what="orders", place="table", rows=0, keys=0, price=Decimal(0))]).agrees


def test_keys_that_are_missing_unknown_or_repeated_are_named() -> None:
    assert compare_keys(["a", "b", "c"], {"b": 2, "c": 1, "d": 1}) == (
        "a is missing",
        "d is not in the shop",
        "b is there 2 times",
    )


def test_of_many_differences_the_first_are_told_and_the_rest_counted() -> None:
    told = in_words(f"order-{n} is missing" for n in range(100))
    assert len(told) == 21
    assert told[-1] == "and 80 more"
