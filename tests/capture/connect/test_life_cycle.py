"""The life cycle: the table in tests/fixtures/connect-rest/life-cycle.txt, and what it cannot say."""

from collections.abc import Sequence
from itertools import count

import msgspec
import pytest

from headwater.capture.connect.life_cycle import SECOND, Report, Run, Seen, fingerprint, is_waiting, step
from headwater.capture.connect.status import State, Status
from tests.capture.connect.workers import ANSWERS, recorded_status, status

LETTERS = {"R": "RUNNING", "F": "FAILED", "P": "PAUSED", "U": "UNASSIGNED", "S": "RESTARTING"}
STORIES = [
    tuple(cell.strip() for cell in line.split("|"))
    for line in (ANSWERS / "life-cycle.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def seen(text: str) -> Seen | None:
    """What the fixture means by a word."""
    if text == "gone":
        return None
    whole, _, rest = text.rpartition(":")
    tasks, _, version = rest.removesuffix("!").partition("#")
    states = [LETTERS[letter] for letter in tasks.replace("none", "")]
    found = msgspec.convert(status(whole or "RUNNING", *states), Status)
    return Seen(found, f"v{version or 1}", "orders-job", "nothing moved" if text.endswith("!") else "")


def story(looks: str) -> tuple[list[Report], Run | None]:
    """What is reported over some looks, and what is known at the end."""
    reports: list[Report] = []
    run: Run | None = None
    ids = (f"run{n}" for n in count(1))
    for at, text in (look.split() for look in looks.split(", ")):
        if text != "away":
            taken = step(run, seen(text), int(at) * SECOND, lambda: next(ids))
            run = taken.run
            reports += taken.reports
    return reports, run


def told(reports: Sequence[Report]) -> list[str]:
    """Each report as "type run" and the state, if it is another than RUNNING."""
    return [
        f"{report.type} {report.run.id}"
        + (f" {report.seen.state}" if report.seen and report.seen.state != State.RUNNING else "")
        for report in reports
    ]


@pytest.mark.parametrize(("what", "looks", "expected"), STORIES, ids=[row[0] for row in STORIES])
def test_what_is_seen_gives_what_is_reported(what: str, looks: str, expected: str) -> None:
    assert ", ".join(told(story(looks)[0])) == expected, what


def test_the_events_of_one_look_have_times_in_their_order() -> None:
    reports, _ = story("0 R, 5 F#2")
    assert [report.time for report in reports] == [0, 5_000_000, 5_001_000, 5_002_000]


def test_an_agent_that_comes_back_goes_on_with_the_same_run_and_says_so() -> None:
    _, known = story("0 R")
    assert known is not None
    kept = msgspec.json.decode(msgspec.json.encode(known), type=Run)
    again = step(kept, seen("R"), 60 * SECOND, lambda: "other", returned=True)
    assert told(again.reports) == ["RUNNING run1"]
    assert told(step(again.run, seen("R"), 65 * SECOND, lambda: "other").reports) == []


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("gone", ["ABORT run1"]),
        ("STOPPED:none", ["ABORT run1 STOPPED"]),
        ("F", ["FAIL run1 FAILED"]),
        ("PAUSED:P", ["RUNNING run1 PAUSED"]),
        ("R#2", ["ABORT run1", "START other"]),
        ("F#2", ["ABORT run1", "START other FAILED", "FAIL other FAILED"]),
    ],
)
def test_what_happened_while_the_agent_was_away_is_worked_out(now: str, expected: list[str]) -> None:
    _, known = story("0 R")
    assert told(step(known, seen(now), 600 * SECOND, lambda: "other", returned=True).reports) == expected


def test_a_run_that_ended_before_the_agent_went_away_has_not_ended_twice() -> None:
    _, known = story("0 R, 5 F")
    assert step(known, seen("F"), 600 * SECOND, lambda: "other", returned=True).reports == ()


def test_a_restart_through_us_begins_a_run_though_no_look_catches_it() -> None:
    _, known = story("0 R")
    assert told(step(known, seen("R"), 5 * SECOND, lambda: "other", restarted=True).reports) == [
        "ABORT run1",
        "START other",
    ]


def test_a_failure_on_a_real_worker_is_told_with_the_trace() -> None:
    found = Seen(recorded_status("iceberg-missing-table-status"), "v1")
    start, end = step(None, found, 0, lambda: "run1").reports
    assert (start.type, end.type) == ("START", "FAIL")
    assert end.seen is not None
    assert "NoSuchTableException" in end.seen.status.trace


def test_only_time_can_change_a_run_that_waits() -> None:
    assert [is_waiting(run) for _, run in (story(f"0 {text}") for text in ("R", "U", "F", "PAUSED:P")) if run] == [
        False,
        True,
        False,
        False,
    ]


def test_settings_in_another_order_are_the_same_settings() -> None:
    assert fingerprint({"a": "1", "b": "2"}) == fingerprint({"b": "2", "a": "1"})
    assert fingerprint({"a": "1"}) != fingerprint({"a": "2"}) != fingerprint({"a2": ""})
    assert "hunter2" not in fingerprint({"password": "hunter2"})
