"""How far the pipeline has come while it runs, found without asking its jobs: shop, topics, checkpoints, offsets."""

import json
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headwater.pipeline.topic_reader import TopicReader


@dataclass
class TopicLog:
    """The offsets of a topic's records. They have gaps, where transactions left their marks, so they are kept."""

    reader: TopicReader
    offsets: dict[int, "array[int]"] = field(default_factory=lambda: defaultdict(lambda: array("q")))

    def look(self) -> None:
        """Take note of the records since the last look."""
        for message in self.reader.read():
            partition, offset = message.partition(), message.offset()
            assert partition is not None
            assert offset is not None
            self.offsets[partition].append(offset)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self.reader.rows

    def behind(self, reached: Mapping[int, int]) -> int:
        """How many records a reader that has reached these offsets has not read yet."""
        return sum(len(offsets) - bisect_left(offsets, reached.get(n, 0)) for n, offsets in self.offsets.items())


def checkpoint_offsets(checkpoints: str, query: str, topic: str) -> dict[int, int]:
    """How far a streaming query has come: the offsets of its last finished micro-batch; nothing if it has none.

    Only checkpoints in a local folder can be looked into.
    """
    folder = Path(urlsplit(checkpoints).path) / query
    finished = [int(file.name) for file in (folder / "commits").glob("*") if file.name.isdigit()]
    if not finished:
        return {}
    try:
        lines = (folder / "offsets" / str(max(finished))).read_text().splitlines()
        # A version, then the batch, then one line for each source.
        return {int(partition): offset for partition, offset in json.loads(lines[2])[topic].items()}
    except (OSError, ValueError, KeyError, IndexError):
        # It was tidied away at this moment; the next look finds the one that followed.
        return {}


def connector_offsets(offsets: Sequence[Mapping[str, Any]], topic: str) -> dict[int, int]:
    """How far a sink connector has come, from the worker's answer."""
    return {
        int(one["partition"]["kafka_partition"]): int(one["offset"]["kafka_offset"])
        for one in offsets
        if one["partition"].get("kafka_topic") == topic
    }
