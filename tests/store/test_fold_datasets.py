"""Datasets: their schemas, versions, lives and names."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from headwater.openlineage.events import Event, decode_event
from headwater.store.database import Database
from tests.assertions import assert_consistent, assert_edges, is_gone, observable, the_dataset
from tests.events import (
    Json,
    Name,
    dataset,
    dataset_event,
    facet,
    lifecycle,
    moment,
    run_event,
    run_id,
    schema,
    symlinks,
    version,
)
from tests.store.folding import empty, fold, fold_batches

NARROW, WIDE = schema(id="int"), schema(id="int", price="float")


def hexed(run: int) -> str:
    return run_id(run).replace("-", "")


def columns_of(fields: bytes) -> list[str]:
    return [field["name"] for field in msgspec.json.decode(fields)]


def history(database: Database, name: str = "orders") -> list[tuple[list[str], int, int]]:
    """Column names of each schema a dataset had, with the first and the last time it was seen, oldest first."""
    seen = the_dataset(database, name)["schemas"]
    return sorted(((columns_of(fields), first, last) for fields, _, first, last, _ in seen), key=lambda row: row[1])


# -- schemas ---------------------------------------------------------------------------------------


def test_a_stable_schema_is_one_schema_however_often_it_is_said(database: Database) -> None:
    fold(
        database,
        *(run_event("COMPLETE", run, outputs=[dataset("orders", schema=NARROW)], at=run) for run in range(1, 6)),
        *(run_event("START", run, "read", inputs=[dataset("orders", schema=NARROW)], at=run) for run in (6, 7)),
        dataset_event(dataset("orders", schema=NARROW), at=8),
    )
    assert history(database) == [(["id"], moment(1), moment(8))]


def test_a_schema_that_changes_is_a_new_one(database: Database) -> None:
    fold(
        database,
        run_event("COMPLETE", 2, outputs=[dataset("orders", schema=WIDE)], at=2),
        run_event("COMPLETE", 1, outputs=[dataset("orders", schema=NARROW)], at=1),
    )
    assert history(database) == [(["id"], moment(1), moment(1)), (["id", "price"], moment(2), moment(2))]
    assert the_dataset(database, "orders")["fields"] == {"id", "price"}


def test_a_schema_that_comes_back_is_current_again(database: Database) -> None:
    fold(
        database,
        *(
            run_event("COMPLETE", run, outputs=[dataset("orders", schema=said)], at=run)
            for run, said in ((1, NARROW), (2, WIDE), (3, NARROW))
        ),
    )
    newest = max(history(database), key=lambda row: row[2])
    assert newest[0] == ["id"]
    written = {made[0]: columns_of(made[6]) for made in the_dataset(database, "orders")["versions"]}
    assert written == {hexed(1): ["id"], hexed(2): ["id", "price"], hexed(3): ["id"]}


@pytest.mark.parametrize(
    ("first", "second", "schemas"),
    [
        (schema(id="int"), facet(fields=[{"name": "id", "type": "int", "description": "the key"}]), 1),
        (schema(id="int"), facet(fields=[{"name": "id", "type": "int", "ordinal_position": 1}]), 1),
        (schema(id="int"), facet(fields=[{"type": "int", "name": "id"}]), 1),
        (schema(id="int"), schema(id="long"), 2),
        (schema(id="int", price="int"), schema(price="int", id="int"), 2),
        (schema(id="int"), facet(fields=[{"name": "id"}]), 2),
        (schema(id="int"), facet(fields=[{"name": "id", "type": "int", "fields": [{"name": "x"}]}]), 2),
        (schema(id="int"), facet(fields=[]), 1),
        (schema(id="int"), facet(fields=None), 1),
        (schema(id="int"), facet(), 1),
        (schema(id="int"), facet(_deleted=True), 1),
        (schema(id="int"), facet(fields=[{"type": "int"}]), 1),
        (schema(id="int"), facet(fields="id"), 1),
    ],
)  # fmt: skip
def test_names_types_nesting_and_order_make_a_schema_and_nothing_else(
    database: Database, first: Json, second: Json, schemas: int
) -> None:
    fold(
        database,
        dataset_event(dataset("orders", schema=first), at=1),
        dataset_event(dataset("orders", schema=second), at=2),
    )
    assert len(history(database)) == schemas


def test_a_reader_s_view_of_a_schema_is_told_from_a_writer_s(database: Database) -> None:
    events = [
        run_event("COMPLETE", 1, outputs=[dataset("orders", schema=WIDE)], at=1),
        run_event("COMPLETE", 2, "report", inputs=[dataset("orders", schema=NARROW)], at=2),
        run_event("COMPLETE", 3, "report", inputs=[dataset("orders", schema=WIDE)], at=3),
    ]
    for arriving in (events, events[::-1]):
        empty(database)
        fold(database, *arriving)
        seen = {tuple(columns_of(row[0])): row[4] for row in the_dataset(database, "orders")["schemas"]}
        assert seen == {("id", "price"): True, ("id",): False}


def test_nested_fields_are_kept(database: Database) -> None:
    nested = facet(fields=[{"name": "address", "type": "struct", "fields": [{"name": "city", "type": "string"}]}])
    fold(database, dataset_event(dataset("orders", schema=nested)))
    ((fields, *_),) = the_dataset(database, "orders")["schemas"]
    assert msgspec.json.decode(fields)[0]["fields"] == [{"name": "city", "type": "string"}]


def test_columns_may_have_hostile_names(database: Database) -> None:
    hostile = ["", "a.b", "a:b", "emoji 🚀", "nul \0", "x" * 5_000, "X" * 5_000]
    said = facet(fields=[{"name": name, "type": "int"} for name in [*hostile, "a.b"]])
    fold(database, dataset_event(dataset("orders", schema=said)))
    assert len(the_dataset(database, "orders")["fields"]) == len(hostile)
    ((fields, *_),) = the_dataset(database, "orders")["schemas"]
    assert columns_of(fields) == [*hostile, "a.b"]


# -- versions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('"1"', "1"),
        ('"3821550127947089009"', "3821550127947089009"),
        ("3821550127947089009", "3821550127947089009"),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551616", "18446744073709551616"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("-1", "-1"),
        ('"v 1 🚀"', "v 1 🚀"),
    ],
)
def test_a_write_is_recorded_against_its_run_with_its_exact_version(database: Database, sent: str, stored: str) -> None:
    event = run_event("COMPLETE", 1, outputs=[dataset("orders", version=version("HERE"))])
    fold(database, decode_event(event.body.replace(b'"HERE"', sent.encode())))
    ((run, said, *_),) = the_dataset(database, "orders")["versions"]
    assert (run, said) == (hexed(1), stored)


def test_a_streaming_run_writes_many_versions(database: Database) -> None:
    fold(
        database,
        *(run_event("RUNNING", 1, outputs=[dataset("orders", version=version(str(n)))], at=n) for n in (3, 1, 2, 2)),
    )
    seen = sorted(row[:4] for row in the_dataset(database, "orders")["versions"])
    assert seen == [(hexed(1), str(n), moment(n), moment(n)) for n in (1, 2, 3)]


def test_reading_is_no_write(database: Database) -> None:
    fold(database, run_event("COMPLETE", 1, inputs=[dataset("orders", version=version("1"))]))
    assert the_dataset(database, "orders")["versions"] == set()


def test_a_write_without_a_version_is_still_a_write(database: Database) -> None:
    fold(database, run_event("START", 1, outputs=["orders"], at=1), run_event("COMPLETE", 1, outputs=["orders"], at=4))
    ((run, said, first, last, *_),) = the_dataset(database, "orders")["versions"]
    assert (run, said, first, last) == (hexed(1), "", moment(1), moment(4))


# -- lives -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["CREATE", "ALTER", "OVERWRITE", "TRUNCATE", "RENAME", "DROP"])
def test_what_was_done_to_a_dataset_is_kept_with_the_write(database: Database, change: str) -> None:
    fold(database, run_event("COMPLETE", 1, outputs=[dataset("orders", lifecycleStateChange=lifecycle(change))]))
    ((_, _, _, _, state, at, *_),) = the_dataset(database, "orders")["versions"]
    assert (state, at) == (change, moment(0))
    assert is_gone(database, "orders") == (change == "DROP")


def gone(*events: Event, expect: str) -> tuple[list[Event], str]:
    return list(events), expect


def dropping(at: int, run: int = 1) -> Event:
    return run_event("COMPLETE", run, outputs=[dataset("orders", lifecycleStateChange=lifecycle("DROP"))], at=at)


def renaming(to: str, old: Name, at: int) -> Event:
    return run_event("COMPLETE", 5, outputs=[dataset(to, lifecycleStateChange=lifecycle("RENAME", old))], at=at)


LIVES = {
    "a dropped dataset is gone": gone(run_event("START", 2, outputs=["orders"], at=1), dropping(2), expect="orders"),
    "a dataset that is used again is back": gone(
        dropping(2), run_event("START", 2, inputs=["orders"], at=3), expect=""
    ),
    "a dataset that a DatasetEvent speaks of is back": gone(dropping(2), dataset_event("orders", at=3), expect=""),
    "an old use does not bring it back": gone(
        dropping(2), run_event("START", 2, inputs=["orders"], at=1), expect="orders"
    ),
    "dropped twice is gone": gone(dropping(2), dataset_event("orders", at=3), dropping(4, run=2), expect="orders"),
    "TRUNCATE leaves it": gone(
        run_event("COMPLETE", outputs=[dataset("orders", lifecycleStateChange=lifecycle("TRUNCATE"))]), expect=""
    ),
    "the old name is gone after RENAME": gone(dataset_event("old", at=1), renaming("new", "old", at=2), expect="old"),
    "a rename back makes the first name live again": gone(
        dataset_event("orders", at=1),
        renaming("new", "orders", at=2),
        renaming("orders", "new", at=3),
        expect="new",
    ),
    "a rename to itself drops nothing": gone(renaming("orders", "orders", at=1), expect=""),
    "a RENAME that does not say from what drops nothing": gone(
        run_event("COMPLETE", outputs=[dataset("orders", lifecycleStateChange=lifecycle("RENAME"))]), expect=""
    ),
    "a DatasetEvent can drop": gone(
        dataset_event("orders", at=1),
        dataset_event(dataset("orders", lifecycleStateChange=lifecycle("DROP")), at=2),
        expect="orders",
    ),
    "a DatasetEvent can rename": gone(
        dataset_event("old", at=1),
        dataset_event(dataset("new", lifecycleStateChange=lifecycle("RENAME", "old")), at=2),
        expect="old",
    ),
    "an unknown change means nothing": gone(
        dataset_event(dataset("orders", lifecycleStateChange=facet(lifecycleStateChange="EXPLODE"))), expect=""
    ),
}


@pytest.mark.parametrize(("events", "expect"), LIVES.values(), ids=LIVES.keys())
def test_lifecycle_changes_mean_what_they_say(database: Database, events: list[Event], expect: str) -> None:
    for arriving in (events, events[::-1]):
        empty(database)
        fold(database, *arriving)
        names = [name for _, name in observable(database)["datasets"]]
        assert " ".join(name for name in names if is_gone(database, name)) == expect


def test_a_rename_is_lineage_from_the_old_name_to_the_new(database: Database) -> None:
    fold(database, renaming("new", "old", at=1))
    assert_edges(database, "old -> load -> new")


# -- other names -----------------------------------------------------------------------------------


def nodes(database: Database) -> set[frozenset[str]]:
    """The names of each node, the one that stands for it marked with a star."""
    grouped: dict[Any, set[str]] = {}
    for (namespace, name), found in observable(database)["datasets"].items():
        shown = name if namespace == "db" else f"{namespace}/{name}"
        grouped.setdefault(found["node"], set()).add(shown + "*" * ((namespace, name) == found["node"]))
    return {frozenset(names) for names in grouped.values()}


FILE: Name = ("s3://lake", "orders/")
USES = [run_event("COMPLETE", 1, outputs=[FILE], at=1), run_event("START", 2, "report", inputs=["orders"], at=2)]
LINK = dataset_event(dataset(FILE, symlinks=symlinks("orders")), at=3)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_two_names_of_one_dataset_are_one_node_whenever_the_link_is_known(
    database: Database, order: tuple[int, ...]
) -> None:
    fold(database, *([*USES, LINK][index] for index in order))
    assert nodes(database) == {frozenset({"s3://lake/orders/*", "orders"})}
    assert_edges(database, "load -> s3://lake/orders/", "s3://lake/orders/ -> report")


LINKS: dict[str, tuple[list[tuple[Name, list[Name]]], set[frozenset[str]]]] = {
    "no link, two nodes": ([("a", []), ("b", [])], {frozenset({"a*"}), frozenset({"b*"})}),
    "the one that has aliases stands for them": ([("z", ["a", "b"])], {frozenset({"z*", "a", "b"})}),
    "a chain is one node": ([("c", ["b"]), ("b", ["a"])], {frozenset({"c*", "b", "a"})}),
    "a longer chain": ([("d", ["c"]), ("b", ["a"]), ("c", ["b"])], {frozenset({"d*", "c", "b", "a"})}),
    "two files of one table are one node": ([("f2", ["t"]), ("f1", ["t"])], {frozenset({"f1*", "f2", "t"})}),
    "links both ways": ([("b", ["a"]), ("a", ["b"])], {frozenset({"a*", "b"})}),
    "a link to itself is none": ([("a", ["a"])], {frozenset({"a*"})}),
    "a ring": ([("a", ["b"]), ("b", ["c"]), ("c", ["a"])], {frozenset({"a*", "b", "c"})}),
    "two pairs stay two": (
        [("a", ["b"]), ("c", ["d"])],
        {frozenset({"a*", "b"}), frozenset({"c*", "d"})},
    ),
    "two pairs that a third joins": (
        [("a", ["b"]), ("c", ["d"]), ("e", ["b", "d"])],
        {frozenset({"a*", "b", "c", "d", "e"})},
    ),
}


@pytest.mark.parametrize(("links", "expected"), LINKS.values(), ids=LINKS.keys())
def test_links_join_names_into_nodes(
    database: Database, links: list[tuple[Name, list[Name]]], expected: set[frozenset[str]]
) -> None:
    events = [dataset_event(dataset(name, symlinks=symlinks(*others))) for name, others in links]
    for batches in ([[event] for event in events], [[event] for event in reversed(events)], [events]):
        empty(database)
        fold_batches(database, batches)
        assert nodes(database) == expected
        assert_consistent(database)


def test_a_link_that_nobody_repeats_stays(database: Database) -> None:
    fold(
        database,
        run_event("START", 1, outputs=[dataset("a", symlinks=symlinks("b"))], at=1),
        run_event("COMPLETE", 1, outputs=["a"], at=2),
    )
    assert nodes(database) == {frozenset({"a*", "b"})}


def test_a_dataset_lives_from_its_first_mention_to_its_last(database: Database) -> None:
    fold(
        database,
        run_event("START", 1, inputs=["orders"], at=4),
        dataset_event("orders", at=2),
        run_event("START", 2, outputs=["orders"], at=7),
    )
    found = the_dataset(database, "orders")
    assert (found["created"], found["updated"]) == (moment(2), moment(7))


# -- hostile names ---------------------------------------------------------------------------------

HOSTILE = [
    "", ":", "a:b:c", "/", "a//b", ".", "a.b", "#", "x#1", " ", "a b", "🚀", "e\u0301", "\u00e9", "%", "%3A", "'", '"',
    "\\", "\n", "\u202e", "; DROP TABLE dataset; --", "A", "a", "x" * 900, "é" * 500,
]  # fmt: skip


def test_every_hostile_name_is_a_name_of_its_own(database: Database) -> None:
    names: list[tuple[str, str]] = [*itertools.product(HOSTILE, HOSTILE)]
    event = run_event("COMPLETE", 1, ("", ":#/ 🚀"), inputs=[*names[::2]], outputs=[*names[1::2]])
    fold_batches(database, [[event]])
    picture = observable(database)
    assert set(picture["datasets"]) == set(names)
    assert len(picture["edges"]) == len(names)
    assert set(picture["jobs"]) == {("", ":#/ 🚀")}


def test_a_name_inside_a_facet_is_the_same_name(database: Database) -> None:
    fold(
        database,
        *(dataset_event((name, name), at=1) for name in HOSTILE),
        dataset_event(dataset("all", symlinks=symlinks(*((name, name) for name in HOSTILE))), at=2),
    )
    assert len(nodes(database)) == 1
    assert len(observable(database)["datasets"]) == len(HOSTILE) + 1


def test_a_name_too_long_for_an_index_is_cut_inside_facets_but_stays_itself(database: Database) -> None:
    names = ["x" * 100_000, "x" * 100_001, "é" * 50_000]
    fold(database, dataset_event(dataset("a", symlinks=symlinks(*names))))
    kept = [name for _, name in observable(database)["datasets"]]
    assert len(set(kept)) == 4
    assert max(len(name.encode()) for name in kept) <= 2_000
