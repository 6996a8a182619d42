"""What a running job says of how much it moves."""

import json

import pytest

from headwater.lineage.flow import Flow, flow_in

STREAM = {"inputRowsPerSecond": 9.5, "watermarkDelayMillis": 1200, "sources": [{"lag": 3}, {"description": "files"}]}


@pytest.mark.parametrize(
    ("facets", "expected"),
    [
        ({"headwater_streamProgress": STREAM}, Flow(9.5, 3, 1200)),
        ({"headwater_flow": {"recordsPerSecond": 42, "lag": 0, "topics": []}}, Flow(42, 0)),
        ({"headwater_streamProgress": {"batchId": 1}}, None),
        ({"headwater_flow": "not an object"}, None),
        ({"headwater_flow": {"lag": "many"}}, None),
        ({}, None),
    ],
)
def test_figures_are_read_and_what_is_not_a_figure_is_none(facets: dict[str, object], expected: Flow | None) -> None:
    assert flow_in({name: json.dumps(value).encode() for name, value in facets.items()}) == expected
