"""Runs: their life cycle, their times, whose they are, and the tree they make."""

from __future__ import annotations

import pytest

from headwater.openlineage.events import format_time, parse_time, run_uuid
from headwater.store.database import Database
from tests.assertions import observable, the_job, the_run
from tests.events import moment, parent, run_event, run_id
from tests.store.folding import empty, fold, fold_batches

# Events as TYPE@second in the order in which they arrive, and what the run is then: state, start, end.
LIVES = {
    "a run that has only started is running": ("START@1", "RUNNING", 1, None),
    "a run is running from its first RUNNING on": ("RUNNING@1", "RUNNING", 1, None),
    "a run known only by OTHER has not begun": ("OTHER@1", "NEW", 1, None),
    "OTHER changes nothing of a running one": ("START@1 OTHER@2", "RUNNING", 1, None),
    "OTHER changes nothing of a finished one": ("START@1 COMPLETE@2 OTHER@3", "COMPLETED", 1, 2),
    "OTHER before START does not hold it back": ("OTHER@1 START@2", "RUNNING", 1, None),
    "a completed run": ("START@1 RUNNING@2 COMPLETE@3", "COMPLETED", 1, 3),
    "a failed run": ("START@1 FAIL@3", "FAILED", 1, 3),
    "an aborted run": ("START@1 ABORT@3", "ABORTED", 1, 3),
    "only COMPLETE is a whole life": ("COMPLETE@3", "COMPLETED", 3, 3),
    "only FAIL is a whole life": ("FAIL@3", "FAILED", 3, 3),
    "a late START does not reopen a finished run": ("COMPLETE@3 START@1", "COMPLETED", 1, 3),
    "a late RUNNING does not reopen a finished run": ("START@1 COMPLETE@3 RUNNING@2", "COMPLETED", 1, 3),
    "RUNNING after COMPLETE by time does not reopen it": ("START@1 COMPLETE@3 RUNNING@4", "COMPLETED", 1, 3),
    "START after COMPLETE by time does not reopen it": ("COMPLETE@3 START@4", "COMPLETED", 3, 3),
    "FAIL then COMPLETE stays FAIL": ("START@1 FAIL@2 COMPLETE@3", "FAILED", 1, 2),
    "FAIL then COMPLETE stays FAIL if COMPLETE comes first": ("COMPLETE@3 FAIL@2", "FAILED", 2, 2),
    "COMPLETE then FAIL stays COMPLETE": ("START@1 COMPLETE@2 FAIL@3", "COMPLETED", 1, 2),
    "COMPLETE then FAIL stays COMPLETE if FAIL comes first": ("FAIL@3 COMPLETE@2", "COMPLETED", 2, 2),
    "ABORT then COMPLETE stays ABORT": ("ABORT@2 COMPLETE@3", "ABORTED", 2, 2),
    "FAIL and COMPLETE at one instant is FAIL": ("COMPLETE@2 FAIL@2", "FAILED", 2, 2),
    "COMPLETE and FAIL at one instant is FAIL": ("FAIL@2 COMPLETE@2", "FAILED", 2, 2),
    "ABORT and COMPLETE at one instant is ABORT": ("COMPLETE@2 ABORT@2", "ABORTED", 2, 2),
    "the earliest event is the start": ("RUNNING@5 START@4 OTHER@2", "RUNNING", 2, None),
    "START twice keeps the earlier": ("START@3 START@1", "RUNNING", 1, None),
    "the earliest of two ends is the end": ("COMPLETE@4 COMPLETE@3", "COMPLETED", 3, 3),
}


@pytest.mark.parametrize(("arriving", "state", "start", "end"), LIVES.values(), ids=LIVES.keys())
@pytest.mark.parametrize("together", [False, True], ids=["one by one", "in one batch"])
def test_a_run_follows_event_time_and_its_life_cycle(
    database: Database, arriving: str, state: str, start: int, end: int | None, together: bool
) -> None:
    said = [word.split("@") for word in arriving.split()]
    events = [run_event(kind, at=int(at)) for kind, at in said]
    fold_batches(database, [events] if together else [[event] for event in events])
    run = the_run(database)
    assert (run["state"], run["started"], run["ended"]) == (state, moment(start), None if end is None else moment(end))
    assert run["updated"] == max(moment(int(at)) for _, at in said)


@pytest.mark.parametrize("kind", ["start", "Start", "START"])
def test_the_type_of_an_event_may_be_written_in_any_case(database: Database, kind: str) -> None:
    fold(database, run_event(kind))
    assert the_run(database)["state"] == "RUNNING"


def test_an_event_without_a_type_is_of_no_special_type(database: Database) -> None:
    whole = run_event("OTHER")
    assert whole.type == "OTHER"
    fold(database, whole)
    assert the_run(database)["state"] == "NEW"


# -- whose run -------------------------------------------------------------------------------------


def test_a_job_s_latest_run_is_the_one_that_started_last(database: Database) -> None:
    fold(database, run_event("START", 2, at=5), run_event("COMPLETE", 1, at=9), run_event("START", 1, at=1))
    assert the_job(database)["latest run"] == run_id(2).replace("-", "")


def test_a_job_lives_from_its_earliest_event_to_its_latest(database: Database) -> None:
    fold(database, run_event("START", 2, at=5), run_event("START", 1, at=1), run_event("COMPLETE", 1, at=9))
    job = the_job(database)
    assert (job["created"], job["updated"]) == (moment(1), moment(9))


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_run_under_two_job_names_belongs_to_the_newest(database: Database, newest_first: bool) -> None:
    events = [run_event("START", 1, "old name", at=1), run_event("COMPLETE", 1, "new name", at=2)]
    fold(database, *(events[::-1] if newest_first else events))
    assert the_run(database)["job"] == ("etl", "new name")
    assert the_job(database, "new name")["latest run"] == run_id(1).replace("-", "")
    assert the_job(database, "old name")["latest run"] is None


# -- run ids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", ["nightly/2026-01-31", "run #7 🚀", "42", "0" * 32, "-" * 36])
def test_a_run_id_that_is_no_uuid_is_kept_and_always_means_the_same_run(database: Database, sent: str) -> None:
    fold(database, run_event("START", sent, at=1), run_event("COMPLETE", sent, at=2))
    (run,) = observable(database)["runs"].items()
    assert run[0] == run_uuid(sent).hex()
    assert run[1]["external id"] == sent
    assert run[1]["state"] == "COMPLETED"


def test_a_uuid_in_capitals_is_the_same_run(database: Database) -> None:
    sent = "ABCDEF01-2345-6789-ABCD-EF0123456789"
    fold(database, run_event("START", sent, at=1), run_event("COMPLETE", sent.lower(), at=2))
    (run,) = observable(database)["runs"].values()
    assert (run["state"], run["external id"]) == ("COMPLETED", None)


# -- parents ---------------------------------------------------------------------------------------

HIERARCHY = [
    run_event("START", 1, "dag", at=0),
    run_event("START", 2, "dag.task", at=1, facets={"parent": parent(1, "dag")}),
    run_event("START", 3, "spark", at=2, facets={"parent": parent(2, "dag.task", root=(1, "dag"))}),
    run_event("START", 4, "spark.write", at=3, facets={"parent": parent(3, "spark", root=(1, "dag"))}),
]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_parents_and_roots_make_a_tree_whoever_comes_first(database: Database, order: list[int]) -> None:
    fold(database, *(HIERARCHY[index] for index in order))
    tree = {run: the_run(database, run) for run in (1, 2, 3, 4)}
    hexes = {run: run_id(run).replace("-", "") for run in tree}
    assert [tree[run]["parent"] for run in tree] == [None, hexes[1], hexes[2], hexes[3]]
    assert [tree[run]["root"] for run in tree] == [None, None, hexes[1], hexes[1]]
    jobs = [the_job(database, name)["parent"] for name in ("dag", "dag.task", "spark", "spark.write")]
    assert jobs == [None, ("etl", "dag"), ("etl", "dag.task"), ("etl", "spark")]


def test_a_parent_known_only_by_its_child_has_a_job_and_has_not_started(database: Database) -> None:
    fold(database, HIERARCHY[1])
    placeholder = the_run(database, 1)
    assert (placeholder["state"], placeholder["started"], placeholder["job"]) == ("NEW", None, ("etl", "dag"))
    assert the_job(database, "dag")["latest run"] is None


def test_a_parent_s_own_events_say_whose_run_it_is(database: Database) -> None:
    child = run_event("START", 2, at=9, facets={"parent": parent(1, "what the child calls it")})
    own = run_event("START", 1, "dag", at=1)
    for events in ([child, own], [own, child]):
        empty(database)
        fold(database, *events)
        assert the_run(database, 1)["job"] == ("etl", "dag")


def test_a_run_is_not_its_own_parent_or_root(database: Database) -> None:
    fold(database, run_event("START", 1, facets={"parent": parent(1, "load", root=(1, "load"))}))
    run = the_run(database)
    assert (run["parent"], run["root"], the_job(database)["parent"]) == (None, None, None)


def test_the_newest_word_on_a_parent_holds(database: Database) -> None:
    fold(
        database,
        run_event("COMPLETE", 3, at=5, facets={"parent": parent(2, "right")}),
        run_event("START", 3, at=1, facets={"parent": parent(1, "wrong")}),
    )
    assert the_run(database, 3)["parent"] == run_id(2).replace("-", "")


def test_a_parent_that_breaks_its_schema_harms_nothing(database: Database) -> None:
    fold(database, run_event("START", 1, facets={"parent": {"run": {"runId": 7}}}))
    assert the_run(database)["parent"] is None


# -- event times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123456Z"),
        ("2026-01-31T14:00:00.5+02:00", "2026-01-31T12:00:00.500Z"),
        ("2026-01-31T06:30:00-0530", "2026-01-31T12:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_event_times_are_kept_to_the_microsecond_in_utc(database: Database, sent: str, stored: str) -> None:
    fold(database, run_event("START", at=sent))
    assert format_time(the_run(database)["started"]) == stored
    assert the_run(database)["started"] == parse_time(stored)
