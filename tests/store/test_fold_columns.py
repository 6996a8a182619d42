"""Column lineage: what a facet says, whose word holds, and what takes precedence."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.openlineage.events import Event
from headwater.store.database import Database
from tests.assertions import assert_lineage, column_edges, observable
from tests.events import (
    Json,
    columns,
    dataset,
    dataset_event,
    facet,
    input_field,
    job_event,
    run_event,
    source,
    symlinks,
)
from tests.store.folding import empty, fold, fold_batches

IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY"}
SUM = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum(price)", "masking": False}
HASHED = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "sha2", "masking": True}
FILTER = {"type": "INDIRECT", "subtype": "FILTER"}


def writes(*, run: int = 1, job: str = "load", at: float = 0, to: str = "stats", **facets: Json) -> Event:
    """A run that writes a dataset with these facets."""
    return run_event("COMPLETE", run, job, outputs=[dataset(to, **facets)], at=at)


def test_each_input_of_a_column_is_an_edge(database: Database) -> None:
    said = columns({"total": ["orders.price", "orders.tax"], "supplier": ["suppliers.name"]})
    fold(database, writes(columnLineage=said))
    assert_lineage(
        database,
        "orders.price -> stats.total",
        "orders.tax -> stats.total",
        "suppliers.name -> stats.supplier",
    )


TRANSFORMED: dict[str, tuple[Json, dict[str, tuple[bool, list[Any]]]]] = {
    "all that is said of a transformation is kept": (
        columns({"total": [input_field("orders.price", SUM, HASHED)]}),
        {"orders.price -> stats.total": (True, [SUM, HASHED])},
    ),
    "an indirect input of one column": (
        columns({"total": [input_field("orders.day", FILTER)]}),
        {"orders.day -> stats.total": (False, [FILTER])},
    ),
    "direct and indirect at once is direct": (
        columns({"total": [input_field("orders.price", SUM, FILTER)]}),
        {"orders.price -> stats.total": (True, [SUM, FILTER])},
    ),
    "an indirect input of the whole dataset": (
        columns({}, dataset_wide=[input_field("orders.day", FILTER)]),
        {"orders.day -> stats.*": (False, [FILTER])},
    ),
    "per field and dataset-wide side by side": (
        columns({"total": [input_field("orders.day", SUM)]}, dataset_wide=[input_field("orders.day", FILTER)]),
        {"orders.day -> stats.total": (True, [SUM]), "orders.day -> stats.*": (False, [FILTER])},
    ),
    "one input said twice is one edge with both": (
        columns({"total": [input_field("orders.price", SUM), input_field("orders.price", HASHED, SUM)]}),
        {"orders.price -> stats.total": (True, [SUM, HASHED])},
    ),
    "nothing said of how is direct": (
        columns({"total": ["orders.price"]}),
        {"orders.price -> stats.total": (True, [])},
    ),
    "a type of one's own is kept": (
        columns({"total": [input_field("orders.price", {"type": "MAGIC", "subtype": "🪄"})]}),
        {"orders.price -> stats.total": (True, [{"type": "MAGIC", "subtype": "🪄"}])},
    ),
    "the older form: identity": (
        facet(
            fields={
                "total": {
                    "inputFields": [input_field("orders.price")],
                    "transformationType": "IDENTITY",
                    "transformationDescription": "as it is",
                }
            }
        ),
        {
            "orders.price -> stats.total": (
                True,
                [{"type": "DIRECT", "subtype": "IDENTITY", "description": "as it is", "masking": False}],
            )
        },
    ),
    "the older form: masked": (
        facet(fields={"total": {"inputFields": [input_field("orders.price")], "transformationType": "MASKED"}}),
        {
            "orders.price -> stats.total": (
                True,
                [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}],
            )
        },
    ),
    "the older form: any other word": (
        facet(fields={"total": {"inputFields": [input_field("orders.price")], "transformationType": "ROUNDED"}}),
        {"orders.price -> stats.total": (True, [{"type": "DIRECT", "subtype": "ROUNDED"}])},
    ),
    "the older form: only a description": (
        facet(fields={"total": {"inputFields": [input_field("orders.price")], "transformationDescription": "x+1"}}),
        {"orders.price -> stats.total": (True, [{"type": "DIRECT", "description": "x+1"}])},
    ),
    "the newer form wins over the older": (
        facet(fields={"total": {"inputFields": [input_field("orders.price", SUM)], "transformationType": "IDENTITY"}}),
        {"orders.price -> stats.total": (True, [SUM])},
    ),
}  # fmt: skip


def plain(transformations: list[Any]) -> list[Any]:
    """Transformations in a fixed order; leaving out what is false says the same as saying it."""
    cleaned = [{key: value for key, value in said.items() if value not in (None, False)} for said in transformations]
    return sorted(cleaned, key=str)


@pytest.mark.parametrize(("said", "expected"), TRANSFORMED.values(), ids=TRANSFORMED.keys())
def test_transformations_are_kept(database: Database, said: Json, expected: dict[str, tuple[bool, list[Any]]]) -> None:
    fold(database, writes(columnLineage=said))
    found = column_edges(database)
    assert {edge: (direct, plain(how)) for edge, (direct, how) in found.items()} == {
        edge: (direct, plain(how)) for edge, (direct, how) in expected.items()
    }


def test_masking_that_is_said_to_be_false_is_kept_as_said(database: Database) -> None:
    fold(database, writes(columnLineage=columns({"total": [input_field("orders.price", SUM)]})))
    assert column_edges(database)["orders.price -> stats.total"][1] == [SUM]


# -- whose word holds ------------------------------------------------------------------------------

PRICE, TAX = columns({"total": ["orders.price"]}), columns({"total": ["orders.tax"]})

WORDS: dict[str, tuple[list[Event], list[str]]] = {
    "two jobs writing one column keep both": (
        [writes(run=1, job="a", columnLineage=PRICE), writes(run=2, job="b", columnLineage=TAX, at=1)],
        ["orders.price -> stats.total", "orders.tax -> stats.total"],
    ),
    "the newest word of one job holds": (
        [writes(run=1, columnLineage=PRICE, at=1), writes(run=2, columnLineage=TAX, at=2)],
        ["orders.tax -> stats.total"],
    ),
    "a word that comes back holds again": (
        [
            writes(run=1, columnLineage=PRICE, at=1),
            writes(run=2, columnLineage=TAX, at=2),
            writes(run=3, columnLineage=PRICE, at=3),
        ],
        ["orders.price -> stats.total"],
    ),
    "a run that says nothing of columns takes nothing away": (
        [writes(run=1, columnLineage=PRICE, at=1), writes(run=2, at=2)],
        ["orders.price -> stats.total"],
    ),
    "a facet that is deleted is gone": (
        [writes(run=1, columnLineage=PRICE, at=1), writes(run=2, columnLineage=facet(_deleted=True), at=2)],
        [],
    ),
    "a facet that breaks its schema changes nothing": (
        [writes(run=1, columnLineage=PRICE, at=1), writes(run=2, columnLineage=facet(fields=7), at=2)],
        ["orders.price -> stats.total"],
    ),
    "an empty facet says that no column comes from anywhere": (
        [writes(run=1, columnLineage=PRICE, at=1), writes(run=2, columnLineage=columns({}), at=2)],
        [],
    ),
    "a job that writes elsewhere no longer counts": (
        [writes(run=1, columnLineage=PRICE, at=1), writes(run=2, to="other", at=2)],
        [],
    ),
    "a dataset may speak for itself": (
        [dataset_event(dataset("stats", columnLineage=PRICE))],
        ["orders.price -> stats.total"],
    ),
    "a dataset's word stands beside a job's": (
        [dataset_event(dataset("stats", columnLineage=PRICE), at=1), writes(columnLineage=TAX, at=2)],
        ["orders.price -> stats.total", "orders.tax -> stats.total"],
    ),
    "a JobEvent speaks for its job": (
        [job_event(outputs=[dataset("stats", columnLineage=PRICE)])],
        ["orders.price -> stats.total"],
    ),
    "the facet of an input says nothing of this job": (
        [run_event("START", inputs=[dataset("stats", columnLineage=PRICE)])],
        [],
    ),
    "other names of a dataset are the dataset": (
        [
            writes(columnLineage=PRICE, at=1),
            dataset_event(dataset("file", symlinks=symlinks("stats")), at=2),
        ],
        ["orders.price -> file.total"],
    ),
}


@pytest.mark.parametrize(("events", "expected"), WORDS.values(), ids=WORDS.keys())
def test_the_newest_word_of_each_job_holds(database: Database, events: list[Event], expected: list[str]) -> None:
    for batches in ([[event] for event in events], [[event] for event in reversed(events)], [events]):
        empty(database)
        fold_batches(database, batches)
        assert_lineage(database, *expected)


# -- explicit lineage ------------------------------------------------------------------------------


def says(*entries: Json, run: int = 1, at: float = 0, outputs: list[Json] | None = None) -> Event:
    """A run whose job facet gives lineage explicitly."""
    return run_event(
        "COMPLETE", run, at=at, outputs=outputs or [], job_facets={"lineage": facet(entries=list(entries))}
    )


def entry(name: str, inputs: list[Json] | None = None, **fields: list[Json]) -> Json:
    made: Json = {"namespace": "db", "name": name, "type": "DATASET"}
    if inputs is not None:
        made["inputs"] = inputs
    return {**made, "fields": {column: {"inputs": sources} for column, sources in fields.items()}} if fields else made


EXPLICIT: dict[str, tuple[list[Event], list[str]]] = {
    "a column": ([says(entry("stats", total=[source("orders", "price")]))], ["orders.price -> stats.total"]),
    "a dataset": ([says(entry("stats", [source("orders")]))], ["orders.* -> stats.*"]),
    "a column that affects a whole dataset": (
        [says(entry("stats", [source("orders", "day")]))],
        ["orders.day -> stats.*"],
    ),
    "a dataset that feeds a column": ([says(entry("stats", total=[source("orders")]))], ["orders.* -> stats.total"]),
    "no inputs is no lineage": ([says(entry("stats", []))], []),
    "explicit comes before columns in one event": (
        [says(entry("stats", total=[source("orders", "price")]), outputs=[dataset("stats", columnLineage=TAX)])],
        ["orders.price -> stats.total"],
    ),
    "explicit comes before columns in one run": (
        [
            says(entry("stats", total=[source("orders", "price")]), at=1),
            run_event("COMPLETE", 1, outputs=[dataset("stats", columnLineage=TAX)], at=2),
        ],
        ["orders.price -> stats.total"],
    ),
    "no inputs said explicitly comes before columns": (
        [says(entry("stats", []), outputs=[dataset("stats", columnLineage=TAX)])],
        [],
    ),
    "a later run with columns only is newer": (
        [says(entry("stats", total=[source("orders", "price")]), at=1), writes(run=2, columnLineage=TAX, at=2)],
        ["orders.tax -> stats.total"],
    ),
    "a dataset facet of an output": (
        [writes(lineage=facet(fields={"total": {"inputs": [source("orders", "price")]}}))],
        ["orders.price -> stats.total"],
    ),
    "a dataset facet comes before columns": (
        [writes(lineage=facet(inputs=[source("orders")]), columnLineage=TAX)],
        ["orders.* -> stats.*"],
    ),
    "a dataset facet of a DatasetEvent": (
        [dataset_event(dataset("stats", lineage=facet(inputs=[source("orders", "day")])))],
        ["orders.day -> stats.*"],
    ),
    "a source that is a job is no column": (
        [says(entry("stats", total=[source("enrich", kind="JOB"), source("orders", "price")]))],
        ["orders.price -> stats.total"],
    ),
}


@pytest.mark.parametrize(("events", "expected"), EXPLICIT.values(), ids=EXPLICIT.keys())
def test_explicit_lineage_is_taken_at_its_word(database: Database, events: list[Event], expected: list[str]) -> None:
    for batches in ([[event] for event in events], [[event] for event in reversed(events)], [events]):
        empty(database)
        fold_batches(database, batches)
        assert_lineage(database, *expected)


def test_what_an_explicit_entry_names_are_inputs_and_outputs_of_the_run(database: Database) -> None:
    fold(database, says(entry("stats", [source("orders")])))
    assert observable(database)["edges"] == {
        (("etl", "load"), "input", ("db", "orders")),
        (("etl", "load"), "output", ("db", "stats")),
    }


def test_an_explicit_transformation_is_kept(database: Database) -> None:
    fold(database, says(entry("stats", total=[{**source("orders", "price"), "transformations": [SUM]}])))
    assert column_edges(database) == {"orders.price -> stats.total": (True, [SUM])}


# -- size and hostility ----------------------------------------------------------------------------


def test_equal_claims_are_stored_once(database: Database) -> None:
    fold(
        database,
        *(writes(run=run, job=f"job {run}", to=f"copy {run}", columnLineage=PRICE, at=run) for run in range(1, 9)),
    )
    claims = observable(database)["claims"]
    assert len(claims) == 8
    assert len({claim[3] for claim in claims}) == 1


def test_columns_may_have_hostile_names(database: Database) -> None:
    hostile = ["a.b", "a:b", "🚀", "nul \0", "x" * 5_000, "X" * 5_000, " "]
    said = columns({name: [{**input_field("orders.x"), "field": name}] for name in hostile})
    fold(database, writes(columnLineage=said))
    assert len(column_edges(database)) == len(hostile)


def test_a_wide_facet_is_taken(database: Database) -> None:
    said = columns({f"c{n}": [f"orders.c{n}", f"orders.d{n}"] for n in range(2_000)})
    fold(database, writes(columnLineage=said))
    assert len(column_edges(database)) == 4_000
