"""Runs that follow others."""

from pathlib import Path

import pytest

from headwater.capture.owner import list_directories
from headwater.capture.spark.follows import FOLLOWS, LastRun, follows_facet, note_last, read_last, runs_directory


def test_the_last_run_of_a_job_is_remembered(tmp_path: Path) -> None:
    runs = runs_directory(tmp_path)
    assert read_last(runs, "shop", "stats") is None
    note_last(runs, "shop", "stats", LastRun("run-1", "query-1"))
    note_last(runs, "shop", "stats", LastRun("run-1", "query-1", "ABORT"))
    note_last(runs, "shop", "other", LastRun("run-2", "query-2"))
    assert read_last(runs, "shop", "stats") == LastRun("run-1", "query-1", "ABORT")
    assert list_directories(tmp_path) == []  # nobody takes it for a box


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (LastRun("run-1", "q", "FAIL"), "started from its checkpoint: that run had failed"),
        (LastRun("run-1", "q", "ABORT"), "started from its checkpoint: that run was stopped"),
        (LastRun("run-1", "q"), "started from its checkpoint: that run ended without a word"),
        (LastRun("run-1", "p", "COMPLETE"), "started with another checkpoint: that run had completed"),
    ],
)
def test_a_run_names_the_one_it_follows_and_says_why(last: LastRun, reason: str) -> None:
    facet = follows_facet(last, "run-2", "q")[FOLLOWS]
    assert (facet["runId"], facet["reason"]) == ("run-1", reason)


def test_the_first_run_follows_nothing() -> None:
    assert follows_facet(None, "run-1", "q") == {}


def test_a_note_that_cannot_be_read_or_written_is_no_harm(tmp_path: Path) -> None:
    note_last(tmp_path, "shop", "stats", LastRun("run-1", "q"))
    next(tmp_path.iterdir()).write_text("{")
    assert read_last(tmp_path, "shop", "stats") is None
    (tmp_path / "file").write_text("")
    note_last(tmp_path / "file" / "runs", "shop", "stats", LastRun("run-1", "q"))
