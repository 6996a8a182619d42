"""Node ids: one canonical spelling for each thing, and every reading of an ambiguous one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.node_ids import BadNodeId, Kind, NodeId, canonical, marquez, parse_canonical, readings

HOSTILE = st.text(st.sampled_from("ab:%#/.3A25 🦆é\"'\\?&"), max_size=12) | st.text(max_size=12)


@given(HOSTILE, HOSTILE)
def test_any_job_and_dataset_round_trips_through_its_canonical_id(namespace: str, name: str) -> None:
    for kind in (Kind.JOB, Kind.DATASET):
        text = canonical(kind, namespace, name)
        assert parse_canonical(text) == NodeId(kind, namespace, name)
        assert next(readings(text)) == NodeId(kind, namespace, name)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_any_column_round_trips_through_its_canonical_id(namespace: str, name: str, column: str) -> None:
    text = canonical(Kind.FIELD, namespace, name, column)
    assert parse_canonical(text) == NodeId(Kind.FIELD, namespace, name, column)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_two_different_names_never_share_a_canonical_id(a: str, b: str, c: str, d: str) -> None:
    assert (canonical(Kind.JOB, a, b) == canonical(Kind.JOB, c, d)) == ((a, b) == (c, d))


@given(HOSTILE, HOSTILE, HOSTILE)
def test_the_true_reading_is_among_the_readings_of_a_marquez_id(namespace: str, name: str, column: str) -> None:
    assert NodeId(Kind.DATASET, namespace, name) in set(readings(marquez(Kind.DATASET, namespace, name)))
    field = marquez(Kind.FIELD, namespace, name, column)
    assert NodeId(Kind.FIELD, namespace, name, column) in set(readings(field))


def test_a_version_suffix_is_one_of_the_readings() -> None:
    assert NodeId(Kind.DATASET, "ns", "orders", "", "v1") in set(readings("dataset:ns:orders#v1"))
    assert NodeId(Kind.DATASET, "ns", "orders#v1") in set(readings("dataset:ns:orders#v1"))


def test_names_without_colons_and_percents_are_spelled_as_marquez_does() -> None:
    parts = ("kafka://kafka-1:19092", "orders", "price")
    assert canonical(Kind.FIELD, *parts) == marquez(Kind.FIELD, *parts)


@pytest.mark.parametrize("text", ["", "orders", "table:ns:orders", "Job:ns:x"])
def test_a_text_with_no_known_prefix_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(BadNodeId, match=r"expected job:NAMESPACE:NAME"):
        list(readings(text))
