"""The load client and the limit it is pointed at, together."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench import events
from bench.client import BenchError, Reader, _complete, encode_posts, percentile, send
from bench.processes import Sqlite, cpu_seconds, limit, resident_mb


def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() -> None:
    values = [float(number) for number in range(1, 101)]
    assert [percentile(values, p) for p in (0, 50, 95, 99, 100)] == [1, 50, 95, 99, 100]
    assert percentile([7.0], 50) == 7


@pytest.mark.parametrize(
    ("answer", "complete"),
    [
        (b"HTTP/1.1 201 Created\r\nContent-", False),
        (b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabc", False),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", False),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", True),
    ],
)
def test_the_end_of_an_answer_is_recognised(answer: bytes, complete: bool) -> None:
    assert _complete(answer) is complete


def test_every_event_sent_to_the_limit_is_stored_and_timed(tmp_path: Path) -> None:
    with limit(Sqlite(tmp_path).create()) as server:
        load = send(server.url, encode_posts(server.url, events.small(60, datetime.now(UTC))))
        with Reader(server.url) as reader:
            counts = reader.get("/")[0]
        assert cpu_seconds(server.pid) > 0
        assert resident_mb(server.pid) > 1
    assert load.events == len(load.latencies) == 60
    assert b"headwater_events_total 60" in counts


def test_an_answer_that_is_no_success_stops_the_measurement(tmp_path: Path) -> None:
    with (
        limit(Sqlite(tmp_path).create()) as server,
        pytest.raises(BenchError, match="500"),
    ):
        send(server.url, encode_posts(server.url, iter([b"not an event"])))
