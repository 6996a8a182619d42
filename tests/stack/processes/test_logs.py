from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.processes.logs import BLOCK, follow, log_of, make_room, tail


def test_the_last_lines_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    assert tail(log, 3) == []
    log.write_text("".join(f"line {n}\n" for n in range(100_000)))
    assert log.stat().st_size > BLOCK
    assert tail(log, 2) == ["line 99998", "line 99999"]
    assert len(tail(log, 50_000)) == 50_000
    assert tail(log, 0) == []
    assert tail(log, 9, start=log.stat().st_size - 11) == ["line 99999"]


def test_a_log_that_is_no_text_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(b"\xff good\n")
    assert tail(tmp_path / "x.log", 1) == ["\ufffd good"]


def test_a_log_is_followed_from_its_end_through_a_new_start(tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    log.write_text("one\ntwo\n")
    steps = iter(["append", "half", "anew", "end"])

    def going_on() -> bool:
        step = next(steps)
        with log.open("w" if step == "anew" else "a") as file:
            file.write({"append": "three\nfo", "half": "ur\n", "anew": "new\n", "end": ""}[step])
        return step != "end"

    assert list(follow(log, 1, going_on, tick=0.001)) == ["two", "three", "four", "new"]


def test_a_large_log_is_put_aside_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.stack.processes.logs.LARGE", 10)
    log = tmp_path / "kafka.log"
    log.write_text("short\n")
    make_room(log)
    assert log.exists()
    log.write_text("long enough\n")
    make_room(log)
    assert not log.exists()
    assert (tmp_path / "kafka.log.1").read_text() == "long enough\n"


def test_the_log_of_a_job_is_found_like_that_of_a_service(lab: Lab) -> None:
    lab.log("supplier-stats").write_text("here\n")
    assert log_of(lab, "supplier-stats", ["kafka"]) == lab.log("supplier-stats")
    with pytest.raises(HeadwaterError, match="no service or job 'kafak'; did you mean 'kafka'"):
        log_of(lab, "kafak", ["kafka"])
    with pytest.raises(HeadwaterError, match=r"kafka has written no log .* headwater lab up kafka"):
        log_of(lab, "kafka", ["kafka"])
