"""How far a pipeline has come, told from files and answers as Spark and Connect leave them."""

from array import array
from pathlib import Path

import pytest

from headwater.pipeline.settings import Kafka
from headwater.pipeline.topic_reader import TopicReader
from headwater.stack.pipeline.progress import TopicLog, checkpoint_offsets, connector_offsets

OFFSETS = """v1
{"batchWatermarkMs":0,"batchTimestampMs":1700000000000,"conf":{}}
{"orders":{"1":%d,"0":%d}}"""


def checkpoint(root: Path, committed: int, planned: int) -> str:
    """A checkpoint as Spark leaves it, with batches that are done and batches that are only planned."""
    for kind, last in (("commits", committed), ("offsets", planned)):
        folder = root / "iceberg-ingestion" / kind
        folder.mkdir(parents=True)
        (folder / ".0.crc").write_text("")
        for batch in range(last + 1):
            (folder / str(batch)).write_text(OFFSETS % (batch * 10, batch * 20) if kind == "offsets" else "v1\n{}")
    return f"file://{root}"


def test_a_stream_has_come_as_far_as_its_last_finished_batch(tmp_path: Path) -> None:
    place = checkpoint(tmp_path, committed=11, planned=12)
    assert checkpoint_offsets(place, "iceberg-ingestion", "orders") == {0: 220, 1: 110}


def test_a_stream_without_a_checkpoint_has_not_begun(tmp_path: Path) -> None:
    assert checkpoint_offsets(f"file://{tmp_path}", "iceberg-ingestion", "orders") == {}


@pytest.mark.parametrize("text", ["", "v1\n{}", "v1\n{}\n{}", "v1\n{}\nnot json"])
def test_a_checkpoint_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    place = checkpoint(tmp_path, committed=0, planned=0)
    (tmp_path / "iceberg-ingestion" / "offsets" / "0").write_text(text)
    assert checkpoint_offsets(place, "iceberg-ingestion", "orders") == {}


def test_a_sink_connector_has_come_as_far_as_the_worker_says() -> None:
    said = [
        {"partition": {"kafka_topic": "bids", "kafka_partition": 0}, "offset": {"kafka_offset": 12}},
        {"partition": {"kafka_topic": "bids", "kafka_partition": 1}, "offset": {"kafka_offset": 34}},
        {"partition": {"kafka_topic": "orders", "kafka_partition": 0}, "offset": {"kafka_offset": 56}},
    ]
    assert connector_offsets(said, "bids") == {0: 12, 1: 34}
    assert connector_offsets([], "bids") == {}


def test_rows_behind_are_counted_by_records_and_not_by_offsets() -> None:
    with TopicReader(Kafka(bootstrap="127.0.0.1:1"), "orders") as nowhere:
        # Offsets 3, 7 and 8 are marks of transactions.
        log = TopicLog(nowhere, {0: array("q", [0, 1, 2, 4, 5, 6]), 1: array("q", [0, 1])})
        assert log.behind({}) == 8
        assert log.behind({0: 3, 1: 2}) == 3
        assert log.behind({0: 4, 1: 2}) == 3
        assert log.behind({0: 9, 1: 2}) == 0
