import os
from pathlib import Path

import msgspec
import pytest

from headwater.capture.records import MAGIC, Rank, frame, rank_of, read_records, walk_records

BODIES = [b'{"n":1}', b'{"eventType":"START","text":"\xc3\xa9"}', b'{"n":3}' + b" " * 400, b'{"n":4}']
RECORDS = [frame(Rank.START, body) for body in BODIES]


def bodies(path: Path, data: bytes) -> list[bytes]:
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return [record.body for record in read_records(descriptor, 0, len(data))]
    finally:
        os.close(descriptor)


def test_what_was_framed_is_read_back(tmp_path: Path) -> None:
    assert bodies(tmp_path / "f", b"".join(RECORDS)) == BODIES


def test_a_record_larger_than_what_is_read_at_once_is_read_whole(tmp_path: Path) -> None:
    large = b'{"x":"' + b"x" * 3_000_000 + b'"}'
    assert bodies(tmp_path / "f", RECORDS[0] + frame(0, large) + RECORDS[3]) == [BODIES[0], large, BODIES[3]]


def test_a_file_cut_at_any_byte_gives_the_whole_records_before_the_cut(tmp_path: Path) -> None:
    data = b"".join(RECORDS)
    for cut in range(len(data)):
        whole, end = [], 0
        for body, record in zip(BODIES, RECORDS, strict=True):
            end += len(record)
            if end <= cut:
                whole.append(body)
        assert bodies(tmp_path / "f", data[:cut]) == whole, f"cut at {cut}"


def test_a_changed_byte_loses_its_own_record_only(tmp_path: Path) -> None:
    data = b"".join(RECORDS)
    ends = [sum(map(len, RECORDS[: i + 1])) for i in range(len(RECORDS))]
    for at in range(len(data)):
        hit = next(i for i, end in enumerate(ends) if at < end)
        damaged = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        found = bodies(tmp_path / "f", damaged)
        padding = at - (ends[hit] - len(RECORDS[hit])) in (5, 6, 7)  # bytes of a header that mean nothing
        assert found == (BODIES if padding else BODIES[:hit] + BODIES[hit + 1 :]), f"byte {at}"


def test_a_page_of_zeros_loses_what_was_on_it_only(tmp_path: Path) -> None:
    many = [frame(Rank.RUNNING, b'{"n":%d}' % i + b" " * 1000) for i in range(2000)]
    data = b"".join(many)
    damaged = data[:409_600] + bytes(4096) + data[409_600 + 4096 :]
    found = bodies(tmp_path / "f", damaged)
    assert 1990 < len(found) < 2000
    assert found[-1].startswith(b'{"n":1999}')


def test_no_event_can_look_like_the_beginning_of_a_record() -> None:
    with pytest.raises(UnicodeDecodeError):
        MAGIC.decode()


def test_headers_alone_tell_ranks_and_sizes(tmp_path: Path) -> None:
    data = frame(Rank.RUNNING, b"{}") + frame(Rank.END, b'{"a":1}') + b"torn"
    (tmp_path / "f").write_bytes(data)
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)
    assert list(walk_records(descriptor, 0, len(data))) == [(0, 18), (2, 23)]
    os.close(descriptor)


@pytest.mark.parametrize(
    ("kind", "rank"),
    [
        ('"RUNNING"', Rank.RUNNING),
        ('"OTHER"', Rank.RUNNING),
        ('"START"', Rank.START),
        ('"COMPLETE"', Rank.END),
        ('"complete"', Rank.END),
        ('"FAIL"', Rank.END),
        ('"ABORT"', Rank.END),
        ("null", Rank.START),
        ("7", Rank.START),
    ],
)
def test_the_type_of_an_event_says_when_it_gives_way(kind: str, rank: Rank) -> None:
    assert rank_of(b'{"a":{"eventType":"FAIL"},"eventType":%s}' % kind.encode()) == rank


def test_an_event_about_a_dataset_is_kept_as_long_as_a_start() -> None:
    assert rank_of(b'{"dataset":{}}') == Rank.START


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{", b'{"a":1}}', b"\xff"])
def test_what_is_no_json_object_has_no_rank(body: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        rank_of(body)
