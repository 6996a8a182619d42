from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.capture.spark.micro_batches import MicroBatches

RECORDED = Path(__file__).parent.parent.parent / "fixtures" / "events"
STREAM = "orders\nid = d5805c30-884e-4203-94fc-5b8ff74b9745\nrunId = 2398b744-84af-4cdf-ad01-ba85bcfe43d6\nbatch = 7"


def said(kind: str, run: str, name: str, *, streaming: bool = False, job: str | None = None) -> dict[str, Any]:
    """An event as the agent sends it; `job` is what Spark calls the job that it is about."""
    details = {} if job is None else {"spark_jobDetails": {"jobId": 1, **({"jobDescription": job} if job else {})}}
    processing = {"jobType": {"processingType": "STREAMING" if streaming else "BATCH"}}
    return {
        "eventType": kind,
        "run": {"runId": run, "facets": details},
        "job": {"namespace": "tests", "name": f"app.{name}", "facets": processing},
    }


def sifted(*events: dict[str, Any]) -> list[str]:
    sift = MicroBatches()
    return [f"{kept['eventType']} {kept['run']['runId']}" for event in events for kept in sift(event)]


def test_batch_passes_at_once() -> None:
    events = [said("START", "a", "append"), said("RUNNING", "a", "append", job=""), said("COMPLETE", "a", "append")]
    sift = MicroBatches()
    assert [sift(event) for event in events] == [[event] for event in events]


def test_a_micro_batch_passes_never() -> None:
    name = "write_to_data_source_v2"
    assert not sifted(
        said("START", "outer", name, streaming=True),
        said("START", "inner", name, streaming=True),
        said("RUNNING", "inner", name, streaming=True, job=STREAM),
        said("FAIL", "inner", name, streaming=True),
        said("COMPLETE", "inner", name, streaming=True),
        said("COMPLETE", "outer", name, streaming=True),
    )


def test_what_is_written_inside_foreach_batch_belongs_to_the_stream() -> None:
    assert not sifted(
        said("START", "batch", "project", streaming=True),
        said("START", "merge", "replace_data"),
        said("RUNNING", "merge", "replace_data", job=STREAM),
        said("COMPLETE", "merge", "replace_data"),
        # Without a Spark job of its own, it ends while the micro-batch goes on.
        said("START", "alter", "alter_table"),
        said("COMPLETE", "alter", "alter_table"),
        said("COMPLETE", "batch", "project", streaming=True),
    )


def test_other_work_beside_a_stream_is_told_late_and_whole() -> None:
    assert sifted(
        said("START", "batch", "project", streaming=True),
        said("START", "own", "append_data"),
        said("RUNNING", "own", "append_data", job="append at job.py:7"),
        said("COMPLETE", "batch", "project", streaming=True),
        said("COMPLETE", "own", "append_data"),
    ) == ["START own", "RUNNING own", "COMPLETE own"]


def test_what_outlives_the_micro_batch_was_not_inside_it() -> None:
    assert sifted(
        said("START", "batch", "project", streaming=True),
        said("START", "create", "create_table"),
        said("COMPLETE", "batch", "project", streaming=True),
        said("COMPLETE", "create", "create_table"),
    ) == ["START create", "COMPLETE create"]


def test_beside_a_stream_into_a_sink_of_its_own_nothing_waits() -> None:
    assert sifted(
        said("START", "batch", "write_to_data_source_v2", streaming=True), said("START", "own", "append_data")
    ) == ["START own"]


def test_a_micro_batch_that_the_agent_leaves_out_keeps_its_writes_all_the_same() -> None:
    sift = MicroBatches(streaming=lambda: True)
    inside = [said("START", "a", "append"), said("RUNNING", "a", "append", job=STREAM), said("COMPLETE", "a", "append")]
    beside = [said("START", "b", "append"), said("RUNNING", "b", "append", job=""), said("COMPLETE", "b", "append")]
    short = [said("START", "c", "create_table"), said("COMPLETE", "c", "create_table")]
    assert [kept for event in inside for kept in sift(event)] == []
    assert [kept for event in beside for kept in sift(event)] == beside
    assert [kept for event in short for kept in sift(event)] == short


def test_two_hundred_micro_batches_are_not_a_run() -> None:
    batches = [
        event
        for number in range(200)
        for event in (
            said("START", f"outer-{number}", "project", streaming=True),
            said("START", f"write-{number}", "append_data"),
            said("RUNNING", f"write-{number}", "append_data", job=STREAM),
            said("COMPLETE", f"write-{number}", "append_data"),
            said("COMPLETE", f"outer-{number}", "project", streaming=True),
        )
    ]
    assert not sifted(*batches)


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*-stream.jsonl")), ids=lambda file: file.stem)
def test_of_recorded_streams_only_what_is_beside_them_is_left(file: Path) -> None:
    sift = MicroBatches()
    events = map(msgspec.json.decode, file.read_bytes().splitlines())
    left = {kept["job"]["name"].partition(".")[2].partition(".")[0] for event in events for kept in sift(event)}
    beside = {"", "create_table", "describe_table", "filter", "execute_insert_into_hadoop_fs_relation_command"}
    assert "create_table" in left
    assert left <= beside
