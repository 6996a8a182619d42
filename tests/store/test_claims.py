"""A claim's content: flat, without repeats, and equal where what is said is equal."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.facets import ColumnLineage, LineageDataset, LineageEntry, LineageJob, read
from headwater.store.claims import ColumnEdge, column_claim, datasets_of, explicit_claim, jobs_of
from tests.events import Json, columns, facet, input_field, source
from tests.store.worlds import COLUMN_NAMES, INPUT_FIELDS

IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY"}


def column_lineage(made: Json) -> ColumnLineage:
    found = read(ColumnLineage, msgspec.json.encode(made))
    assert found is not None
    return found


def dataset_lineage(made: Json) -> LineageDataset:
    found = read(LineageDataset, msgspec.json.encode(made))
    assert found is not None
    return found


def entry_of(made: Json) -> LineageEntry:
    found = read(LineageJob, msgspec.json.encode(facet(entries=[made])))
    assert found is not None
    return found.entries[0]


def test_a_column_edge_says_from_where_to_where_and_how() -> None:
    (edge,) = column_claim(column_lineage(columns({"total": [input_field("orders.price", IDENTITY)]}))).edges
    assert edge == ColumnEdge("total", "db", "orders", "price", True, '[{"type":"DIRECT","subtype":"IDENTITY"}]')


def test_nothing_said_is_no_edge() -> None:
    assert column_claim(column_lineage(columns({"total": []}))).edges == ()
    assert explicit_claim(dataset_lineage(facet(inputs=[]))).edges == ()


@given(st.dictionaries(COLUMN_NAMES, st.lists(INPUT_FIELDS, max_size=4)), st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_said_does_not_matter(fields: dict[str, list[Json]], choice: object) -> None:
    shuffled = {name: sorted(inputs, key=lambda _: choice.random()) for name, inputs in reversed(fields.items())}  # type: ignore[attr-defined]
    doubled = {name: inputs * 2 for name, inputs in fields.items()}
    whole = column_claim(column_lineage(columns(fields)))
    assert whole == column_claim(column_lineage(columns(shuffled)))
    assert whole == column_claim(column_lineage(columns(doubled)))


def test_what_differs_in_anything_differs_in_its_hash() -> None:
    said = [
        columns({"total": ["orders.price"]}),
        columns({"total": ["orders.tax"]}),
        columns({"sum": ["orders.price"]}),
        columns({"total": ["sales.price"]}),
        columns({"total": [input_field("orders.price", IDENTITY)]}),
        columns({"total": [input_field("orders.price", {**IDENTITY, "masking": True})]}),
        columns({}, dataset_wide=["orders.price"]),
        columns({}),
    ]
    assert len({column_claim(column_lineage(made)).hash for made in said}) == len(said)


def test_names_that_run_together_stay_apart() -> None:
    one = columns({"a": [{"namespace": "n", "name": "xy", "field": "z"}]})
    two = columns({"a": [{"namespace": "n", "name": "x", "field": "yz"}]})
    assert column_claim(column_lineage(one)).hash != column_claim(column_lineage(two)).hash


def test_sources_are_told_apart_by_their_type() -> None:
    made = {
        **source("stats"),
        "inputs": [source("orders"), source("enrich", kind="JOB"), {"type": "JOB"}],
        "fields": {"total": {"inputs": [source("score", kind="JOB")]}},
    }
    entry = entry_of(made)
    assert [found.name for found in datasets_of(entry.inputs)] == ["orders"]
    assert jobs_of(entry) == [("etl", "enrich"), ("etl", "score")]
