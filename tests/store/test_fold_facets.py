"""Facets: kept as they were sent, the newest of each name; broken ones are kept too, and told."""

from __future__ import annotations

import random
import threading
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from headwater.openlineage.events import BadEvent, Event, decode_event
from headwater.store import tables
from headwater.store.database import Database
from headwater.store.packing import unpack
from tests.assertions import observable, the_facet, the_run
from tests.events import dataset, dataset_event, facet, job_event, run_event
from tests.openlineage.test_facets import EXAMPLES
from tests.store.folding import empty, fold, fold_batches


def diagnostics(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(select(tables.diagnostic).order_by(tables.diagnostic.c.id)))


def with_raw(event: Event, raw: bytes) -> Event:
    """The event with these bytes in place of its "HERE"."""
    return decode_event(event.body.replace(b'"HERE"', raw))


# -- verbatim --------------------------------------------------------------------------------------


def test_every_standard_facet_is_read_back_byte_for_byte(database: Database) -> None:
    event = run_event(
        "COMPLETE",
        1,
        facets=EXAMPLES["run"],
        job_facets=EXAMPLES["job"],
        inputs=[dataset("orders", input_facets=EXAMPLES["input"])],
        outputs=[dataset("stats", output_facets=EXAMPLES["output"], **EXAMPLES["dataset"])],
    )
    fold(database, event)
    owners: dict[str, Any] = {
        "run": "run",
        "job": "job",
        "dataset": "stats",
        "input": (1, "orders"),
        "output": (1, "stats"),
    }
    for owner, named in EXAMPLES.items():
        for name, body in named.items():
            assert the_facet(database, owners[owner], name) == msgspec.json.encode(body), f"{owner} {name}"
    assert diagnostics(database) == []


ODD = {
    "spaces and order": b'{ "z" : 1 ,\n\t"a" : [ ] }',
    "numbers as written": b'{"a":1.10,"b":1E+2,"c":-0,"d":123456789012345678901234567890,"e":0.1000000000000000055}',
    "escapes as written": b'{"a":"\\u00e9\\/\\u0000","b":"\xc3\xa9"}',
    "equal keys": b'{"a":1,"a":2}',
    "a string": b'"just text"',
    "a number": b"7",
    "null": b"null",
    "an empty object": b"{}",
    "a NUL in text": b'{"a":"x\\u0000y"}',
    "longer than a row": b'{"a":"' + bytes(random.Random(1).choices(b"abcdefgh", k=100_000)) + b'"}',
}


@pytest.mark.parametrize("raw", ODD.values(), ids=ODD.keys())
def test_a_facet_of_one_s_own_is_kept_byte_for_byte(database: Database, raw: bytes) -> None:
    fold(
        database,
        with_raw(
            run_event(
                "START",
                1,
                facets={"odd": "HERE"},
                job_facets={"odd": "HERE"},
                inputs=[{**dataset("orders"), "facets": {"odd": "HERE"}, "inputFacets": {"odd": "HERE"}}],
            ),
            raw,
        ),
    )
    for owner in ("run", "job", "orders", (1, "orders")):
        assert the_facet(database, owner, "odd") == raw


def test_the_event_itself_is_kept_byte_for_byte(database: Database) -> None:
    small, large = run_event("START", 1), run_event("START", 2, facets={"odd": facet(text="é🚀" * 50_000)})
    fold(database, small, large)
    with database.read() as connection:
        bodies = {unpack(row.body) for row in connection.execute(select(tables.event.c.body))}
    assert bodies == {small.body, large.body}


NAMES = ["", "a.b", "a:b", "🚀", "nul \0", "_deleted", "x" * 5_000, "X" * 5_000, "'"]


def test_facets_may_have_hostile_names(database: Database) -> None:
    broken: dict[str, Any] = {name: {"n": index} for index, name in enumerate(NAMES)}
    fold(
        database, run_event("START", 1, facets=broken, job_facets=broken, outputs=[dataset("x", output_facets=broken)])
    )
    facets = observable(database)["facets"]
    for kind in (tables.RUN, tables.JOB, tables.OUTPUT_FACET):
        kept = [body for key, (_, body) in facets.items() if key[0] == kind]
        assert sorted(kept) == sorted(msgspec.json.encode(body) for body in broken.values())


# -- the newest of each name -----------------------------------------------------------------------


@pytest.mark.parametrize("newest_first", [False, True])
def test_the_newest_value_of_a_facet_holds(database: Database, newest_first: bool) -> None:
    events = [
        run_event("START", 1, job_facets={"sql": facet(query="old"), "ownership": facet(owners=[])}, at=1),
        run_event("START", 2, job_facets={"sql": facet(query="new")}, at=2),
    ]
    fold(database, *(events[::-1] if newest_first else events))
    assert the_facet(database, "job", "sql") == msgspec.json.encode(facet(query="new"))
    assert the_facet(database, "job", "ownership") is not None


def test_a_deleted_facet_leaves_only_its_tombstone(database: Database) -> None:
    gone = facet(_deleted=True)
    events = [
        dataset_event(dataset("x", documentation=facet(description="old")), at=1),
        dataset_event(dataset("x", documentation=gone), at=2),
    ]
    for arriving in (events, events[::-1]):
        empty(database)
        fold(database, *arriving)
        assert the_facet(database, "x", "documentation") == msgspec.json.encode(gone)
    fold(database, dataset_event(dataset("x", documentation=facet(description="new")), at=3))
    assert b"new" in (the_facet(database, "x", "documentation") or b"")
    assert diagnostics(database) == []


def test_facets_of_one_use_of_a_dataset_belong_to_the_run(database: Database) -> None:
    fold(
        database,
        run_event("COMPLETE", 1, outputs=[dataset("x", output_facets={"outputStatistics": facet(rowCount=1)})], at=1),
        run_event("COMPLETE", 2, outputs=[dataset("x", output_facets={"outputStatistics": facet(rowCount=2)})], at=2),
    )
    assert b'"rowCount":1' in (the_facet(database, (1, "x"), "outputStatistics") or b"")
    assert b'"rowCount":2' in (the_facet(database, (2, "x"), "outputStatistics") or b"")


@pytest.mark.parametrize("absent", [None, {}])
def test_no_facets_are_no_facets(database: Database, absent: Any) -> None:
    part = {"namespace": "db", "name": "x", "facets": absent, "inputFacets": absent, "outputFacets": absent}
    fold(database, run_event("START", 1, inputs=[part], outputs=[part]), job_event(inputs=[part]))
    assert observable(database)["facets"] == {}


# -- what is told ----------------------------------------------------------------------------------


def test_a_facet_that_breaks_its_schema_is_kept_and_told(database: Database) -> None:
    fold(
        database,
        run_event("START", 1, facets={"nominalTime": facet(start="now")}, job_facets={"odd": {"a": 1}}),
    )
    assert the_facet(database, "run", "nominalTime") is not None
    told = [(row.kind, row.field) for row in diagnostics(database)]
    assert told == [("invalid-facet", "run.facets.nominalTime"), ("invalid-facet", "job.facets.odd")]
    assert "nominalStartTime" in diagnostics(database)[0].message


def test_content_that_is_fine_under_one_name_is_still_checked_under_another(database: Database) -> None:
    content = facet(start="now")
    fold(
        database, run_event("START", 1, facets={"own": content}), run_event("START", 2, facets={"nominalTime": content})
    )
    assert [row.field for row in diagnostics(database)] == ["run.facets.nominalTime"]


def test_a_duplicate_is_told_and_changes_nothing(database: Database) -> None:
    event = run_event("START", 1, inputs=["x"])
    fold(database, event)
    before = observable(database)
    fold_batches(database, [[event, event], [event]])
    assert observable(database) == before
    assert [row.kind for row in diagnostics(database)] == ["duplicate"] * 3


def test_a_duplicate_inside_one_batch_is_told(database: Database) -> None:
    event = run_event("START", 1, inputs=["x"])
    fold_batches(database, [[event, event]])
    assert [row.kind for row in diagnostics(database)] == ["duplicate"]
    assert len(observable(database)["events"]) == 1


def test_events_out_of_order_are_told(database: Database) -> None:
    fold(database, run_event("COMPLETE", 1, at=5), run_event("START", 1, at=1), run_event("START", 2, at=0))
    (told,) = diagnostics(database)
    assert (told.kind, told.field) == ("out-of-order", "eventTime")
    assert "4.000 s" in told.message


# -- depth -----------------------------------------------------------------------------------------


def test_a_facet_as_deep_as_the_decoder_takes_is_stored(database: Database) -> None:
    """The decoder's limit depends on how deep the caller stands; whoever stores must bear whatever was taken."""
    deepest: list[Event] = []

    def decode() -> None:
        for depth in range(1_200, 800, -1):
            deep = b'{"a":' * depth + b"1" + b"}" * depth
            try:
                deepest.append(
                    with_raw(run_event("START", outputs=[_deep("HERE")], job_facets={"lineage": "HERE"}), deep)
                )
            except (BadEvent, RecursionError):
                continue
            return

    thread = threading.Thread(target=decode)  # a thread starts at the top of a new stack
    thread.start()
    thread.join()
    fold(database, *deepest)
    assert the_run(database)["state"] == "RUNNING"


def _deep(raw: Any) -> Any:
    names = ("schema", "columnLineage", "lineage", "symlinks", "version", "lifecycleStateChange", "dataSource", "odd")
    return {**dataset("x"), "facets": dict.fromkeys(names, raw)}
