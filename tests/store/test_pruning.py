"""Pruning: history goes, what lineage is now stays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from headwater.openlineage.events import Event, decode_event
from headwater.settings import load_settings
from headwater.store import tables
from headwater.store.database import Database
from headwater.store.pruning import Pruned, prune
from headwater.store.writer import Writer
from tests.assertions import (
    assert_consistent,
    assert_edges,
    assert_lineage,
    column_edges,
    edges,
    observable,
    the_dataset,
)
from tests.events import columns, dataset, facet, moment, parent, run_event, run_id, schema, version
from tests.store.folding import empty, fold, fold_batches
from tests.store.worlds import History, histories

FIXTURES = Path(__file__).parent.parent / "fixtures" / "events"


def story(run: int, at: float, source: str = "orders") -> list[Event]:
    """One run of one job that reads a table and writes another."""
    made = dataset(
        "stats",
        schema=schema(id="int"),
        version=version(str(run)),
        columnLineage=columns({"total": [f"{source}.price"]}),
        notes=facet(text=f"{run} " * 500),
    )
    return [
        run_event("START", run, inputs=[source], at=at, facets={"notes": facet(text="y" * 500)}),
        run_event("COMPLETE", run, outputs=[made], at=at + 1),
    ]


def current(database: Database) -> Any:
    """What lineage is now, whatever history there is."""
    picture = observable(database)
    nodes = {name: found["node"] for name, found in picture["datasets"].items()}
    latest = {name: job["latest run"] for name, job in picture["jobs"].items()}
    return edges(database), column_edges(database), nodes, latest, picture["symlinks"], picture["job links"]


def test_old_events_and_runs_go_and_current_lineage_stays(database: Database) -> None:
    fold(database, *story(1, at=0), *story(2, at=10), *story(3, at=20, source="sales"))
    before = current(database)
    assert prune(database, moment(15)) == Pruned(events=4, runs=2, diagnostics=0)
    assert current(database) == before
    assert_edges(database, "sales -> load -> stats")
    assert_lineage(database, "sales.price -> stats.total")
    picture = observable(database)
    assert set(picture["runs"]) == {run_id(3).replace("-", "")}
    assert len(picture["events"]) == 2
    assert_consistent(database)


def test_the_last_run_stays_however_old_it_is(database: Database) -> None:
    fold(database, *story(1, at=0), *story(2, at=10))
    before = current(database)
    assert prune(database, moment(1_000)).runs == 1
    assert current(database) == before
    assert len(observable(database)["events"]) == 0


def test_the_run_that_the_edges_come_from_stays_behind_newer_bare_ones(database: Database) -> None:
    fold(database, *story(1, at=0), *(run_event("COMPLETE", run, at=run * 10) for run in (2, 3)))
    before = current(database)
    prune(database, moment(1_000))
    assert current(database) == before
    assert set(observable(database)["runs"]) == {run_id(run).replace("-", "") for run in (1, 3)}


def test_a_parent_stays_while_a_child_does(database: Database) -> None:
    fold(
        database,
        run_event("START", 1, "dag", at=0),
        run_event("COMPLETE", 2, "dag", at=5),
        run_event("START", 3, "task", at=100, facets={"parent": parent(1, "dag")}),
    )
    prune(database, moment(50))
    assert run_id(1).replace("-", "") in observable(database)["runs"]


def test_a_write_that_stays_keeps_its_run(database: Database) -> None:
    fold(
        database,
        run_event("COMPLETE", 2, inputs=["orders"], at=10),
        run_event("COMPLETE", 1, outputs=["stats"], at=0),
    )
    prune(database, moment(5))
    fold(database, run_event("START", 3, "other", at=20))
    writers = {made[0] for made in the_dataset(database, "stats")["versions"]}
    assert writers <= {run_id(1).replace("-", "")}


def test_the_number_of_an_event_is_never_given_twice(database: Database) -> None:
    fold(database, run_event("START", 1, at=10), run_event("START", 1, at=0))
    prune(database, moment(5))
    fold(database, run_event("START", 2, at=20))
    with database.read() as connection:
        ids = [row.id for row in connection.execute(select(tables.event.c.id).order_by(tables.event.c.id))]
    assert ids == [1, 3]


def test_a_trial_tells_what_would_go_and_takes_nothing(database: Database) -> None:
    fold(database, *story(1, at=0), *story(2, at=10), run_event("START", 9, "a", at=0, facets={"odd": {}}))
    before = observable(database)
    told = prune(database, moment(15), dry_run=True)
    assert observable(database) == before
    assert prune(database, moment(15)) == told


def test_pruning_twice_finds_nothing_more(database: Database) -> None:
    fold(database, *story(1, at=0), *story(2, at=10))
    prune(database, moment(5))
    once = observable(database)
    assert prune(database, moment(5)) == Pruned(0, 0, 0)
    assert observable(database) == once


def test_a_writer_goes_on_beside_it(database: Database) -> None:
    writer = Writer(database, load_settings({}, {}, Path("/")))
    writer.start()
    try:
        asyncio.run(writer.write([*story(1, at=0), *story(2, at=10)]))
        prune(database, moment(1_000))
        asyncio.run(writer.write([*story(1, at=0), *story(3, at=30)]))
    finally:
        writer.close()
    assert_consistent(database)
    assert_edges(database, "orders -> load -> stats")
    assert_lineage(database, "orders.price -> stats.total")


@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(histories(), st.sampled_from([0.5, 1.5, 2.5, 100]))
def test_pruning_never_changes_what_lineage_is_now(sqlite: Database, history: History, at: float) -> None:
    empty(sqlite)
    fold_batches(sqlite, [history.world])
    before = current(sqlite)
    prune(sqlite, moment(at))
    assert current(sqlite) == before
    assert_consistent(sqlite)
    fold_batches(sqlite, [history.world[:2]])
    assert_consistent(sqlite)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_real_history_can_be_pruned(database: Database, share: float) -> None:
    lines = (FIXTURES / "spark-agent-4.1.1-stream.jsonl").read_bytes().splitlines()
    events = [decode_event(line) for line in lines]
    fold_batches(database, [events])
    before = current(database)
    times = sorted(event.time for event in events)
    pruned = prune(database, times[int(len(times) * share)])
    assert pruned.events > 0
    assert current(database) == before
    assert_consistent(database)
