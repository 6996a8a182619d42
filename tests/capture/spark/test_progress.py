"""What a micro-batch did, as a facet."""

import json
from typing import Any

import pytest

from headwater.capture.spark.progress import PROGRESS, Totals, progress_facet, read_progress, topics_met

# As Spark 3.5 reports it for a query from a topic with two partitions into a table, with a window.
REPORT: dict[str, Any] = {
    "id": "7b3e1a52-5d0e-4a3b-a6f3-111111111111",
    "runId": "7b3e1a52-5d0e-4a3b-a6f3-222222222222",
    "name": "supplier-stats",
    "timestamp": "2026-01-31T12:00:10.000Z",
    "batchId": 7,
    "numInputRows": 30,
    "inputRowsPerSecond": 6.0,
    "processedRowsPerSecond": 60.0,
    "durationMs": {"addBatch": 400, "queryPlanning": 20, "triggerExecution": 500},
    "eventTime": {"avg": "2026-01-31T12:00:04.000Z", "watermark": "2026-01-31T12:00:00.000Z"},
    "stateOperators": [
        {"numRowsTotal": 12, "memoryUsedBytes": 4096, "numRowsDroppedByWatermark": 2},
        {"numRowsTotal": 3, "memoryUsedBytes": 1024, "numRowsDroppedByWatermark": 0},
    ],
    "sources": [
        {
            "description": "KafkaV2[Subscribe[orders]]",
            "startOffset": {"orders": {"0": 10, "1": 10}},
            "endOffset": {"orders": {"0": 25, "1": 25}},
            "latestOffset": {"orders": {"0": 30, "1": 27}},
            "numInputRows": 30,
        }
    ],
    "sink": {"description": "org.apache.iceberg.spark.source.SparkTable@1", "numOutputRows": 9},
}


def facet(report: dict[str, Any], totals: Totals | None = None) -> dict[str, Any]:
    found: dict[str, Any] = progress_facet(report, totals or Totals())[PROGRESS]
    return found


def test_the_facet_has_every_figure_that_a_person_asks_for() -> None:
    found = facet(REPORT, Totals(8, 240))
    assert {name: found[name] for name in ("batchId", "inputRows", "inputRowsPerSecond", "processedRowsPerSecond")} == {
        "batchId": 7,
        "inputRows": 30,
        "inputRowsPerSecond": 6.0,
        "processedRowsPerSecond": 60.0,
    }
    assert (found["batchMillis"], found["batchParts"]) == (500, {"addBatch": 400, "queryPlanning": 20})
    assert (found["stateRows"], found["stateBytes"], found["rowsDroppedByWatermark"]) == (15, 5120, 2)
    assert (found["watermark"], found["watermarkDelayMillis"]) == ("2026-01-31T12:00:00.000Z", 10_000)
    assert found["sources"][0]["lag"] == 7
    assert found["sources"][0]["endOffset"] == {"orders": {"0": 25, "1": 25}}
    assert found["total"] == {"batches": 8, "inputRows": 240}


def test_what_spark_does_not_say_is_left_out() -> None:
    found = facet({"batchId": 0, "sources": [{"description": "RateStreamV2", "endOffset": 12, "latestOffset": 14}]})
    assert set(found) == {"_producer", "_schemaURL", "batchId", "sources", "total"}
    assert "lag" not in found["sources"][0]


@pytest.mark.parametrize(
    ("latest", "end", "lag"),
    [
        ({"orders": {"0": 5}, "bids": {"0": 3}}, {"orders": {"0": 5}}, 3),
        ({"orders": {"0": 5}}, {"orders": {"0": 9}}, 0),  # a topic that was made anew
        ({"orders": {"0": "x"}}, {"orders": {"0": 1}}, None),
        ({"orders": 5}, {"orders": {"0": 1}}, None),
        (None, {"orders": {"0": 1}}, None),
        ("15", "12", None),
    ],
)
def test_lag_is_what_is_there_and_not_read_yet(latest: Any, end: Any, lag: int | None) -> None:
    assert facet({"sources": [{"latestOffset": latest, "endOffset": end}]})["sources"][0].get("lag") == lag


@pytest.mark.parametrize("watermark", [None, "1970-01-01T00:00:00.000Z", "soon", 7])
def test_a_watermark_that_is_none_yet_has_no_delay(watermark: Any) -> None:
    assert "watermarkDelayMillis" not in facet({**REPORT, "eventTime": {"watermark": watermark}})


def test_totals_add_up_and_rows_that_a_sink_does_not_count_stay_unknown() -> None:
    uncounted = {**REPORT, "sink": {"numOutputRows": -1}}
    assert Totals().plus(uncounted) == Totals(1, 30, None)
    assert Totals().plus(REPORT).plus(REPORT) == Totals(2, 60, 18)
    assert Totals().plus({}) == Totals(1, 0, None)


def test_topics_are_those_in_the_offsets_of_kafka_sources() -> None:
    files = {"description": "FileStreamSource[file:/a]", "endOffset": {"logOffset": 3}}
    pattern = {"description": "KafkaV2[SubscribePattern[o.*]]", "endOffset": {"orders": {"0": 1}, "offers": {"0": 0}}}
    assert topics_met({"sources": [files, pattern, {"description": "KafkaV2[…]", "endOffset": None}]}) == (
        "offers",
        "orders",
    )


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"progress": 3}'])
def test_a_report_that_is_not_what_we_know_is_empty(text: str) -> None:
    assert read_progress(text) == {}


def test_a_report_is_inside_the_listeners_event() -> None:
    assert read_progress(json.dumps({"progress": REPORT})) == REPORT
