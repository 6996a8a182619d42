"""Edges between jobs and datasets: which hold now, and what may replace them."""

from __future__ import annotations

import pytest

from headwater.openlineage.events import Event
from headwater.store.database import Database
from tests.assertions import assert_consistent, assert_edges, observable, the_run
from tests.events import facet, job_event, moment, run_event, source
from tests.store.folding import empty, fold, fold_batches

CASES: dict[str, tuple[list[Event], list[str]]] = {
    "inputs and outputs accumulate over a run": (
        [
            run_event("START", inputs=["orders"], at=1),
            run_event("RUNNING", inputs=["customers"], at=2),
            run_event("COMPLETE", outputs=["report"], at=3),
        ],
        ["customers, orders -> load -> report"],
    ),
    "a running job has its edges at once": (
        [run_event("START", at=1), run_event("RUNNING", inputs=["orders"], outputs=["report"], at=2)],
        ["orders -> load -> report"],
    ),
    "a bare COMPLETE removes nothing": (
        [run_event("START", inputs=["orders"], outputs=["report"], at=1), run_event("COMPLETE", at=2)],
        ["orders -> load -> report"],
    ),
    "a bare START of the next run removes nothing": (
        [run_event("COMPLETE", 1, inputs=["orders"], outputs=["report"], at=1), run_event("START", 2, at=2)],
        ["orders -> load -> report"],
    ),
    "a whole bare run removes nothing": (
        [
            run_event("COMPLETE", 1, inputs=["orders"], outputs=["report"], at=1),
            run_event("START", 2, at=2),
            run_event("FAIL", 2, at=3),
        ],
        ["orders -> load -> report"],
    ),
    "the next run that names a dataset replaces the edges": (
        [
            run_event("COMPLETE", 1, inputs=["orders"], outputs=["report"], at=1),
            run_event("START", 2, inputs=["orders_v2"], at=2),
        ],
        ["orders_v2 -> load"],
    ),
    "an older run that arrives late does not replace the edges": (
        [
            run_event("COMPLETE", 2, inputs=["new"], at=5),
            run_event("COMPLETE", 1, inputs=["old"], outputs=["gone"], at=1),
        ],
        ["new -> load"],
    ),
    "a run is as old as its start, not its end": (
        [
            run_event("START", 1, inputs=["long"], at=1),
            run_event("START", 2, inputs=["short"], at=2),
            run_event("COMPLETE", 2, at=3),
            run_event("COMPLETE", 1, at=9),
        ],
        ["short -> load"],
    ),
    "a late START can make a run older than it seemed": (
        [
            run_event("COMPLETE", 1, inputs=["long"], at=9),
            run_event("START", 2, inputs=["short"], at=2),
            run_event("START", 1, at=1),
        ],
        ["short -> load"],
    ),
    "a late event of the newest run adds to the edges": (
        [
            run_event("COMPLETE", 1, outputs=["report"], at=9),
            run_event("START", 1, inputs=["orders"], at=1),
        ],
        ["orders -> load -> report"],
    ),
    "a JobEvent has edges": ([job_event(inputs=["orders"], outputs=["report"])], ["orders -> load -> report"]),
    "a newer JobEvent replaces the edges of a run": (
        [run_event("COMPLETE", inputs=["old"], at=1), job_event(inputs=["new"], at=2)],
        ["new -> load"],
    ),
    "an older JobEvent does not": (
        [run_event("COMPLETE", inputs=["new"], at=2), job_event(inputs=["old"], at=1)],
        ["new -> load"],
    ),
    "a newer run replaces the edges of a JobEvent": (
        [job_event(inputs=["old"], at=1), run_event("START", inputs=["new"], at=2)],
        ["new -> load"],
    ),
    "a bare JobEvent removes nothing": (
        [run_event("COMPLETE", inputs=["orders"], at=1), job_event(at=2)],
        ["orders -> load"],
    ),
    "one dataset may be read and written": (
        [run_event("COMPLETE", inputs=["orders"], outputs=["orders"])],
        ["orders -> load -> orders"],
    ),
    "jobs do not share edges": (
        [run_event("START", 1, "a", inputs=["x"]), run_event("START", 2, "b", outputs=["x"])],
        ["x -> a", "b -> x"],
    ),
    "a run that is renamed takes its edges along": (
        [run_event("START", 1, "old", inputs=["x"], at=1), run_event("COMPLETE", 1, "new", outputs=["y"], at=2)],
        ["x -> new -> y"],
    ),
    "the job it leaves goes back to its run before": (
        [
            run_event("COMPLETE", 2, "old", inputs=["w"], at=0),
            run_event("START", 1, "old", inputs=["x"], at=1),
            run_event("COMPLETE", 1, "new", at=2),
        ],
        ["w -> old", "x -> new"],
    ),
    "an old event of a renamed run adds to the new name": (
        [run_event("COMPLETE", 1, "new", outputs=["y"], at=2), run_event("START", 1, "old", inputs=["x"], at=1)],
        ["x -> new -> y"],
    ),
    "runs that start together are told apart by their id": (
        [run_event("START", 1, inputs=["first"], at=1), run_event("START", 2, inputs=["second"], at=1)],
        ["second -> load"],
    ),
}


@pytest.mark.parametrize(("events", "expected"), CASES.values(), ids=CASES.keys())
def test_a_job_s_edges_are_those_of_its_latest_run_that_named_any(
    database: Database, events: list[Event], expected: list[str]
) -> None:
    for batches in ([[event] for event in events], [[event] for event in reversed(events)], [events]):
        empty(database)
        fold_batches(database, batches)
        assert_edges(database, *expected)
        assert_consistent(database)


def test_a_run_remembers_when_it_first_named_a_dataset(database: Database) -> None:
    fold(database, run_event("COMPLETE", outputs=["x"], at=5), run_event("RUNNING", outputs=["x"], at=3))
    assert the_run(database)["io"] == {("output", ("db", "x"), moment(3))}
    assert the_run(database)["named"] == moment(3)


def test_a_job_event_is_no_run(database: Database) -> None:
    fold(database, job_event(inputs=["x"]))
    (declared,) = observable(database)["runs"].values()
    assert declared["declared"]
    (job,) = observable(database)["jobs"].values()
    assert job["latest run"] is None


# -- explicit lineage between jobs -----------------------------------------------------------------


def test_an_explicit_entry_for_another_job_links_the_jobs_it_names(database: Database) -> None:
    entry = {**source("load", kind="JOB"), "inputs": [source("transform", kind="JOB")]}
    fold(database, run_event("START", 1, "orchestrator", job_facets={"lineage": facet(entries=[entry])}))
    links = observable(database)["job links"]
    assert links == {(("etl", "transform"), ("etl", "load"), moment(0))}


def test_an_explicit_entry_for_another_job_gives_that_job_its_input(database: Database) -> None:
    entry = {**source("load", kind="JOB"), "inputs": [source("staging", "id")]}
    fold(database, run_event("START", 1, "orchestrator", job_facets={"lineage": facet(entries=[entry])}))
    assert_edges(database, "staging -> load")


def test_an_explicit_entry_for_the_event_s_own_job_gives_it_its_input(database: Database) -> None:
    entry = {"type": "JOB", "inputs": [source("transactions")]}
    fold(database, run_event("START", 1, "check", job_facets={"lineage": facet(entries=[entry])}))
    assert_edges(database, "transactions -> check")


def test_what_a_job_says_of_itself_comes_before_what_others_say_of_it(database: Database) -> None:
    entry = {**source("load", kind="JOB"), "inputs": [source("hearsay")]}
    others = run_event("START", 1, "orchestrator", at=9, job_facets={"lineage": facet(entries=[entry])})
    own = run_event("START", 2, "load", inputs=["orders"], at=1)
    for events in ([others, own], [own, others]):
        empty(database)
        fold(database, *events)
        assert_edges(database, "orders -> load")
