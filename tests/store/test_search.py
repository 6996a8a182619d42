"""Finding names by any part of them, on each database."""

import pytest

from headwater.store.database import Database
from headwater.store.read.search import find
from tests.events import run_event
from tests.store.folding import fold

JOBS = ("orders_daily", "daily_orders_v2", "Suppliers", "100%_sure", "a_b", "axb", "naïve_日本語_job", "ab")


def names(database: Database, query: str, enough: int = 1_000) -> list[str]:
    with database.read() as connection:
        return [match.name for match in find(connection, query, ["job"], enough=enough)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("orders", ["orders_daily", "daily_orders_v2"]),
        ("SUPPLIERS", ["Suppliers"]),
        ("daily_orders_v2", ["daily_orders_v2"]),
        ("_v2", ["daily_orders_v2"]),
        ("a_b", ["a_b"]),
        ("日本語", ["naïve_日本語_job"]),
        ("ïve_日", ["naïve_日本語_job"]),
        ("ders%aily", ["orders_daily"]),
        ("ab", ["ab"]),
        ("nothing_like_it", []),
        ("ordersdaily", []),
        ("   ", []),
    ],
)
def test_any_part_of_a_name_finds_it(database: Database, query: str, found: list[str]) -> None:
    fold(database, *(run_event("START", number, name) for number, name in enumerate(JOBS)))
    assert names(database, query) == found


def test_a_part_that_very_many_names_have_is_answered_with_enough_of_them(database: Database) -> None:
    fold(database, *(run_event("START", number, f"etl_{number}_load") for number in range(30)))
    assert len(names(database, "_load", enough=10)) == 10
    assert len(names(database, "_load", enough=50)) == 30
