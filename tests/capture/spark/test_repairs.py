import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.capture.run_events import parent_facet
from headwater.capture.spark.repairs import Repairs, one_spelling, with_whole_numbers
from headwater.openlineage.facets import problem

RECORDED = Path(__file__).parent.parent.parent / "fixtures" / "events"
FILES = sorted([*RECORDED.glob("spark-agent-*.jsonl"), *RECORDED.glob("lab-*.jsonl")])
PARENT = parent_facet("01a1e0cf-2ee4-78bc-ba63-e268a1815b56", "shop", "app")
Event = dict[str, Any]


def recorded(file: Path) -> list[Event]:
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


def repaired(*events: Event, **aliases: str) -> list[Event]:
    repairs = Repairs(PARENT, aliases)
    return [made for event in events for made in repairs(event)]


def said(kind: str, **more: Any) -> Event:
    """An event of a batch run, as the agent sends it."""
    return {
        "eventType": kind,
        "eventTime": "2026-01-31T12:00:00Z",
        "run": {"runId": "01a1e0d0-57d0-7e36-864c-7249dfadd243", "facets": {}},
        "job": {"namespace": "shop", "name": "app.append_data.orders", "facets": {}},
        "inputs": [],
        "outputs": [],
        **more,
    }


def dataset(name: str, namespace: str = "file", **more: Any) -> Event:
    return {"namespace": namespace, "name": name, "facets": {}, **more}


# -- the course of a run ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_recorded_run_starts_once_first_and_ends_at_most_once(file: Path) -> None:
    runs: dict[str, list[str]] = {}
    for event in repaired(*recorded(file)):
        runs.setdefault(event["run"]["runId"], []).append(event["eventType"])
    assert runs
    for kinds in runs.values():
        assert kinds[0] == "START"
        assert set(kinds[1:-1]) <= {"RUNNING"}
        assert kinds[-1] in ("COMPLETE", "RUNNING")


def test_what_delta_reads_of_its_own_log_is_not_told() -> None:
    log = dataset("/lake/orders/_delta_log")
    assert repaired(said("START", inputs=[log], outputs=[log]), said("COMPLETE", inputs=[log], outputs=[log])) == []
    copied = repaired(said("START", inputs=[log], outputs=[dataset("/lake/logs")]))
    assert [event["eventType"] for event in copied] == ["START"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_event_stays_an_event(file: Path) -> None:
    for event in repaired(*recorded(file)):
        for owner, facets in (("run", event["run"]["facets"]), ("job", event["job"]["facets"])):
            for name, facet in facets.items():
                assert problem(owner, name, msgspec.json.encode(facet)) is None


def test_nothing_comes_after_a_failure() -> None:
    kinds = [event["eventType"] for event in repaired(said("START"), said("FAIL"), said("COMPLETE"), said("RUNNING"))]
    assert kinds == ["START", "FAIL"]


def test_a_run_that_begins_in_the_middle_is_given_its_start() -> None:
    out = dataset("orders", outputFacets={"outputStatistics": {"rowCount": 3}})
    first, last = repaired(said("COMPLETE", outputs=[out]))
    assert (first["eventType"], last["eventType"]) == ("START", "COMPLETE")
    assert first["outputs"] == [dataset("orders")]
    assert last["outputs"] == [out]


def test_what_a_run_reads_and_writes_is_not_forgotten_on_the_way() -> None:
    reads = dataset("orders", inputFacets={"inputStatistics": {"rowCount": 3}})
    events = repaired(said("START", inputs=[reads], outputs=[dataset("totals")]), said("RUNNING"), said("FAIL"))
    assert [event["inputs"] for event in events[1:]] == [[dataset("orders")], [dataset("orders")]]
    assert [event["outputs"] for event in events[1:]] == [[dataset("totals")], [dataset("totals")]]


def test_the_overwrite_of_the_lab_says_what_it_reads_in_every_event() -> None:
    events = repaired(*recorded(RECORDED / "lab-supplier-stats-batch-s3.jsonl"))
    overwrite = [event for event in events if ".overwrite_by_expression." in event["job"]["name"]]
    assert len(overwrite) == 5
    assert {one["name"] for event in overwrite for one in event["inputs"]} == {"orders"}
    assert all(event["inputs"] for event in overwrite)


def test_a_table_that_is_dropped_keeps_the_name_it_had() -> None:
    events = repaired(*recorded(RECORDED / "lab-supplier-stats-batch-s3.jsonl"))
    drop = [event for event in events if event["job"]["name"].endswith(".drop_table")]
    assert [event["eventType"] for event in drop] == ["START", "COMPLETE"]
    assert {one["name"] for event in drop for one in event["outputs"]} == {"perf"}


def test_what_is_sent_is_not_what_was_given_changed() -> None:
    given = recorded(RECORDED / "lab-supplier-stats-batch-s3.jsonl")
    before = copy.deepcopy(given)
    repaired(*given)
    assert given == before


# -- the application -------------------------------------------------------------------------------


def test_everything_is_part_of_the_application_that_is_reported_here() -> None:
    events = repaired(*recorded(RECORDED / "spark-agent-3.5.7-batch.jsonl"))
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in events} == {PARENT["run"]["runId"]}
    assert all(event["job"]["facets"]["jobType"]["jobType"] != "APPLICATION" for event in events)


# -- facets ----------------------------------------------------------------------------------------


def test_an_error_is_said_in_the_standards_way() -> None:
    stack = "org.apache.spark.SparkException: Job aborted\n\tat org.apache.spark.Job.run"
    start, fail = repaired(
        said("START"), said("FAIL", run={"runId": "r", "facets": {"spark.exception": {"stackTrace": stack}}})
    )[-2:]
    error = fail["run"]["facets"]["errorMessage"]
    assert (error["message"], error["stackTrace"]) == ("org.apache.spark.SparkException: Job aborted", stack)
    assert error["programmingLanguage"] == "JAVA"
    assert "errorMessage" not in start["run"]["facets"]


def report(snapshot: float, version: str | None) -> Event:
    facets = {"version": {"datasetVersion": version}} if version else {}
    facet = {"snapshotId": snapshot, "scanMetrics": {"resultDataFiles": 5.0, "share": 0.5}, "names": ["a"]}
    return {"namespace": "s3://w", "name": "orders", "facets": facets, "inputFacets": {"icebergScanReport": facet}}


@pytest.mark.parametrize(
    ("snapshot", "version", "exact"),
    [
        (7.925609067143402e18, "7925609067143402237", 7925609067143402237),
        (7.925609067143402e18, "1925609067143402237", None),
        (7.925609067143402e18, None, None),
        (7.925609067143402e18, "v7", None),
        (12.0, None, 12),
        (-1.0, None, -1),
    ],
)
def test_a_snapshot_has_all_its_digits_or_is_left_out(snapshot: float, version: str | None, exact: int | None) -> None:
    (mended,) = with_whole_numbers(said("COMPLETE", inputs=[report(snapshot, version)]))["inputs"]
    facet = mended["inputFacets"]["icebergScanReport"]
    assert facet.get("snapshotId") == exact
    assert msgspec.json.encode(facet["scanMetrics"]) == b'{"resultDataFiles":5,"share":0.5}'


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_recorded_report_has_a_floating_snapshot(file: Path) -> None:
    for event in repaired(*recorded(file)):
        for one in (*event["inputs"], *event["outputs"]):
            for name, facet in {**one.get("inputFacets", {}), **one.get("outputFacets", {})}.items():
                if name.startswith("iceberg"):
                    assert not isinstance(facet.get("snapshotId"), float)


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        ("s3a://warehouse", "s3://warehouse"),
        ("s3n://warehouse", "s3://warehouse"),
        ("s3://warehouse", "s3://warehouse"),
        ("file", "file"),
        ("hive://metastore:9083", "hive://metastore:9083"),
        ("kafka://Broker-2:9092,broker-1:9092", "kafka://broker-1:9092"),
        ("kafka://localhost:9092", "kafka://kafka-1:19092"),
        ("", ""),
    ],
)
def test_a_store_and_a_cluster_have_one_spelling(given: str, spelled: str) -> None:
    assert one_spelling(given, {"localhost:9092": "kafka-1:19092"}) == spelled


def test_one_spelling_goes_for_every_place_that_names_a_dataset() -> None:
    named = {"namespace": "s3a://w", "name": "orders"}
    facets = {
        "columnLineage": {
            "fields": {"price": {"inputFields": [{**named, "field": "price"}]}},
            "dataset": [{**named, "field": "supplier"}],
        },
        "symlinks": {"identifiers": [{**named, "type": "TABLE"}]},
        "dataSource": {"name": "s3a://w", "uri": "s3a://w"},
    }
    out = {**named, "facets": facets}
    (_, event) = repaired(said("COMPLETE", inputs=[named], outputs=[out]))
    assert b"s3a" not in msgspec.json.encode(event)
