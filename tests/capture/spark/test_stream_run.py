"""The life of a run: what happens to a query goes in, events come out."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.capture.ending import COMPLETED, Ending
from headwater.capture.run_events import RunOf
from headwater.capture.spark.described import Dataset, Datasets
from headwater.capture.spark.plan import Edge
from headwater.capture.spark.progress import PROGRESS
from headwater.capture.spark.stream_run import Event, Step, StreamRun, advance, describe, end, speak, start, tick
from headwater.openlineage.naming import DatasetName
from tests.capture.spark.test_progress import REPORT

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
RUN = RunOf("7b3e1a52-5d0e-4a3b-a6f3-222222222222", "shop", "supplier-stats")
TOPIC, TABLE, DEAD = (
    DatasetName("kafka://k:9092", "orders"),
    DatasetName("s3://w", "orders"),
    DatasetName("s3://w", "dead"),
)
NAMES = Datasets((Dataset(TOPIC),), (Dataset(TABLE),))
EDGE = Edge(TOPIC, "price", "price", "DIRECT", "IDENTITY")
COLUMNS = Datasets((Dataset(TOPIC, fields=(("price", "double"),)),), (Dataset(TABLE, edges=frozenset({EDGE})),))
Happening = Callable[[StreamRun, datetime], Step]


def started(run: StreamRun, at: datetime) -> Step:
    return start(run, NAMES, at, {})


def columns(run: StreamRun, at: datetime) -> Step:
    return describe(run, COLUMNS, at)


def batch(run: StreamRun, at: datetime) -> Step:
    return advance(run, REPORT, at)


def stopped(run: StreamRun, at: datetime) -> Step:
    return end(run, Ending("ABORT"), at)


def failed(run: StreamRun, at: datetime) -> Step:
    return end(run, Ending("FAIL", "no price", "Traceback (most recent call last):"), at)


def done(run: StreamRun, at: datetime) -> Step:
    return end(run, COMPLETED, at)


def live(*happenings: tuple[float, Happening]) -> list[Event]:
    """The events of a run to which these things happen, each so many seconds after noon."""
    run, events = StreamRun(RUN), []
    for seconds, happening in happenings:
        run, said = happening(run, NOON + timedelta(seconds=seconds))
        events += said
    return events


@pytest.mark.parametrize(
    ("happenings", "kinds"),
    [
        ([(0, started)], "START"),
        ([(0, started), (0, started)], "START"),
        ([(0, started), (1, columns)], "START RUNNING"),
        ([(0, started), (1, columns), (2, columns)], "START RUNNING"),
        ([(0, started), (1, columns), (5, batch), (10, batch)], "START RUNNING"),
        ([(0, started), (59, batch), (60, batch), (100, batch), (120, batch)], "START RUNNING RUNNING"),
        ([(0, started), (30, tick), (60, tick), (61, tick)], "START RUNNING"),
        ([(0, started), (5, speak), (6, speak)], "START RUNNING RUNNING"),
        ([(0, started), (5, done)], "START COMPLETE"),
        ([(0, started), (5, stopped)], "START ABORT"),
        ([(0, started), (5, failed)], "START FAIL"),
        ([(0, started), (5, failed), (6, done), (7, stopped), (8, failed)], "START FAIL"),
        ([(0, started), (5, done), (6, columns), (70, batch), (140, tick), (150, speak)], "START COMPLETE"),
        ([(0, columns), (1, batch), (61, tick), (62, speak), (63, done)], ""),
    ],
)
def test_events_follow_from_what_happens(happenings: list[tuple[float, Happening]], kinds: str) -> None:
    assert " ".join(event["eventType"] for event in live(*happenings)) == kinds


def test_an_hour_of_a_five_second_trigger_is_some_sixty_events() -> None:
    events = live((0, started), (1, columns), *((5.0 * n, batch) for n in range(1, 721)))
    assert len(events) <= 62


def test_an_event_names_the_query_its_engine_and_what_it_is_part_of() -> None:
    run = StreamRun(RUN, {"parent": {"run": {"runId": "p"}}})
    _, [event] = start(run, NAMES, NOON, {"processing_engine": {"name": "spark"}})
    assert (event["run"]["runId"], event["job"]["namespace"], event["job"]["name"]) == (RUN.run_id, "shop", RUN.name)
    assert set(event["run"]["facets"]) == {"parent", "processing_engine"}
    kind = event["job"]["facets"]["jobType"]
    assert (kind["processingType"], kind["integration"], kind["jobType"]) == ("STREAMING", "SPARK", "QUERY")
    assert event["eventTime"] == "2026-01-31T12:00:00.000Z"
    assert names(event["inputs"]) == names(event["outputs"]) == ["orders"]


def test_columns_are_told_once_and_again_with_what_is_added() -> None:
    more = Datasets((), (Dataset(DEAD),))
    _, told, periodic, again = live(
        (0, started), (1, columns), (61, tick), (62, lambda run, at: describe(run, more, at))
    )
    assert "columnLineage" in told["outputs"][0]["facets"]
    assert "schema" in told["inputs"][0]["facets"]
    assert "facets" not in periodic["outputs"][0]
    assert names(again["outputs"]) == ["orders", "dead"]
    assert "columnLineage" in again["outputs"][0]["facets"]


def test_two_writes_to_one_table_have_their_edges_together() -> None:
    other = Edge(TOPIC, "item", "item", "DIRECT", "IDENTITY")
    second = Datasets((), (Dataset(TABLE, edges=frozenset({other})),))
    *_, last = live((0, started), (1, columns), (2, lambda run, at: describe(run, second, at)))
    assert set(last["outputs"][0]["facets"]["columnLineage"]["fields"]) == {"price", "item"}


def test_a_report_carries_the_last_progress_and_all_that_was_written() -> None:
    *_, event = live((0, started), (5, batch), (10, batch), (61, tick))
    assert event["run"]["facets"][PROGRESS]["total"] == {"batches": 2, "inputRows": 60}
    assert event["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 18


def test_a_failure_carries_the_error_and_an_end_the_last_progress() -> None:
    *_, event = live((0, started), (5, batch), (6, failed))
    error = event["run"]["facets"]["errorMessage"]
    assert (error["message"], error["programmingLanguage"]) == ("no price", "PYTHON")
    assert PROGRESS in event["run"]["facets"]
    assert names(event["outputs"]) == ["orders"]


def names(datasets: list[dict[str, Any]]) -> list[str]:
    return [each["name"] for each in datasets]
