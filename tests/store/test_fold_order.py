"""The promise of the fold: the order, the number and the grouping of arrivals leave no trace."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from headwater.openlineage.events import Event, decode_event
from headwater.store.database import Database
from tests.assertions import Picture, assert_consistent, observable
from tests.store.folding import empty, fold_batches
from tests.store.worlds import Arrival, History, cut, histories

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures" / "events").glob("*.jsonl"))
GENEROUS = settings(
    deadline=None,
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


def arrive(database: Database, arrival: Arrival) -> Picture:
    """What is remembered after this arrival."""
    empty(database)
    for batches in arrival.starts:
        fold_batches(database, batches)
    assert_consistent(database)
    return observable(database)


def in_order(world: list[Event]) -> Arrival:
    return Arrival([[[event] for event in world]])


def all_at_once(world: list[Event]) -> Arrival:
    return Arrival([[world]])


@GENEROUS
@given(histories(simple=True, most=8))
def test_any_arrival_of_plain_events_leaves_the_same_state(sqlite: Database, history: History) -> None:
    assert arrive(sqlite, history.arrival) == arrive(sqlite, in_order(history.world))


@GENEROUS
@given(histories())
def test_any_arrival_of_events_with_facets_leaves_the_same_state(sqlite: Database, history: History) -> None:
    expected = arrive(sqlite, in_order(history.world))
    assert arrive(sqlite, history.arrival) == expected
    assert arrive(sqlite, all_at_once(history.world)) == expected


@settings(GENEROUS, max_examples=40)
@given(histories())
def test_a_writer_that_forgets_all_the_time_remembers_the_same(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch, history: History
) -> None:
    expected = arrive(sqlite, in_order(history.world))
    with monkeypatch.context() as patch:
        patch.setattr("headwater.store.memory._KEEP", 1)
        assert arrive(sqlite, history.arrival) == expected


@pytest.mark.postgres
@settings(GENEROUS, max_examples=12)
@given(histories())
def test_both_databases_remember_the_same(shared_postgres: Database, sqlite: Database, history: History) -> None:
    assert arrive(shared_postgres, history.arrival) == arrive(sqlite, in_order(history.world))


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_a_real_stream_of_events_may_arrive_in_any_order(sqlite: Database, fixture: Path) -> None:
    world = [decode_event(line) for line in fixture.read_bytes().splitlines()]
    expected = arrive(sqlite, all_at_once(world))
    for seed in range(3):
        assert arrive(sqlite, shuffled(world, seed)) == expected


@pytest.mark.postgres
def test_a_real_stream_of_events_is_remembered_alike_by_both_databases(
    shared_postgres: Database, sqlite: Database
) -> None:
    world = [decode_event(line) for path in FIXTURES for line in path.read_bytes().splitlines()]
    assert arrive(shared_postgres, shuffled(world, seed=7)) == arrive(sqlite, all_at_once(world))


def shuffled(world: list[Event], seed: int) -> Arrival:
    """The events in a random order, some of them twice, in batches of random size, with restarts."""
    choice = random.Random(seed)
    order = [*world, *choice.sample(world, k=len(world) // 5)]
    choice.shuffle(order)
    sizes = [choice.randint(1, 40) for _ in range(20)]
    return Arrival(cut(cut(order, sizes), [choice.randint(1, 6) for _ in range(5)]))
