"""Runs that are given up: what a note of it does to a run's state, whatever else arrives, in whatever order."""

from itertools import permutations

import pytest

from headwater.openlineage.events import Event
from headwater.store import leases
from headwater.store.database import Database
from headwater.store.tables import lease as lease_table
from tests.assertions import observable
from tests.events import NOON, lease, lost, moment, run_event, run_id
from tests.store.folding import empty, fold

START = run_event("START", at=0)
BEAT = run_event("RUNNING", at=10)


def state(database: Database) -> str:
    (run,) = observable(database)["runs"].values()
    return str(run["state"])


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([START, run_event("OTHER", at=40, facets=lost(0))], "LOST"),
        ([START, BEAT, run_event("OTHER", at=40, facets=lost(10))], "LOST"),
        ([START, BEAT, run_event("OTHER", at=40, facets=lost(0))], "RUNNING"),
        ([START, run_event("OTHER", at=40, facets=lost(0)), run_event("RUNNING", at=60)], "RUNNING"),
        ([START, run_event("OTHER", at=40, facets=lost(0)), run_event("OTHER", at=60)], "RUNNING"),
        ([START, run_event("OTHER", at=40, facets=lost(0)), run_event("COMPLETE", at=60)], "COMPLETED"),
        ([START, run_event("FAIL", at=5), run_event("OTHER", at=40, facets=lost(5))], "FAILED"),
        (
            [
                START,
                run_event("OTHER", at=40, facets=lost(0)),
                BEAT,
                run_event("OTHER", at=50, facets=lost(10)),
            ],
            "LOST",
        ),
    ],
)
def test_a_run_is_lost_until_something_newer_is_heard_of_it(
    database: Database, events: list[Event], expected: str
) -> None:
    for order in permutations(events):
        empty(database)
        fold(database, *order)
        assert state(database) == expected, [event.type for event in order]


def test_a_note_without_a_readable_time_is_only_an_event(database: Database) -> None:
    broken = lost(0)
    broken["headwater_lost"]["lastSeen"] = "yesterday"
    fold(database, START, run_event("OTHER", at=40, facets=broken))
    assert state(database) == "RUNNING"


def test_a_lease_runs_from_when_the_event_arrives(database: Database) -> None:
    fold(database, run_event("START", at=-3600, facets=lease(30)))  # folded at NOON
    with database.read() as db:
        assert leases.lapsed(db, NOON + 29_000_000) == []
        (found,) = leases.lapsed(db, NOON + 30_000_000)
    assert (found.uuid, found.state, found.job, found.seconds) == (run_id(1), "RUNNING", "load", 30)
    assert (found.last_seen, found.until) == (moment(-3600), moment(30))


def test_what_is_noted_of_a_lapsed_lease_makes_the_run_lost(database: Database) -> None:
    fold(database, run_event("START", 1, facets=lease(30)), run_event("START", "nightly #1", facets=lease(60)))
    with database.read() as db:
        notes = [leases.lost_note(one) for one in leases.lapsed(db, moment(60))]
    fold(database, *notes)
    assert {run["state"] for run in observable(database)["runs"].values()} == {"LOST"}


def test_an_ended_run_takes_no_lease(database: Database) -> None:
    fold(database, run_event("COMPLETE", facets=lease(30)))
    with database.read() as db:
        assert db.execute(lease_table.select()).all() == []


def test_a_renewed_lease_is_not_released(database: Database) -> None:
    fold(database, run_event("START", 1, facets=lease(30)), run_event("START", 2, facets=lease(30)))
    with database.read() as db:
        lapsed = leases.lapsed(db, moment(30))
    ids = [one.run_id for one in lapsed]
    with database.engine.connect().execution_options(writes=True) as db, db.begin():
        leases.renew(db, ids[0], 30, moment(20))
        leases.release(db, ids, moment(30))
    with database.read() as db:
        assert [one.run_id for one in leases.lapsed(db, moment(50))] == [ids[0]]


def test_a_server_that_starts_gives_every_run_its_full_time(database: Database) -> None:
    fold(database, run_event("START", facets=lease(30)))
    with database.engine.connect().execution_options(writes=True) as db, db.begin():
        leases.extend_all(db, moment(600))
    with database.read() as db:
        assert leases.lapsed(db, moment(629)) == []
        assert len(leases.lapsed(db, moment(630))) == 1
