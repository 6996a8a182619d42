from dataclasses import replace
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.supervisor.reset import reset
from tests.stack.small import bring_up, processes, quiet_board, small_lab, small_service


def test_a_reset_stops_everything_and_removes_what_the_lab_keeps(lab: Lab) -> None:
    services = [small_service("kafka"), small_service("registry")]
    bring_up(lab, services)
    (lab.data("kafka") / "topic").write_text("x" * 1000)
    before = lab.credentials
    (lab.cache / "a.jar").touch()
    assert reset(lab, services, quiet_board()) >= 1000
    assert [path.name for path in lab.home.iterdir()] == ["cache"]
    assert processes(lab.home) == []
    assert small_lab(lab.home).credentials != before


def test_what_others_keep_in_the_folder_stays(lab: Lab) -> None:
    (lab.home / "notes.txt").write_text("mine")
    reset(lab, [], quiet_board())
    assert [path.name for path in lab.home.iterdir()] == ["notes.txt"]


def test_a_folder_that_is_no_lab_is_left_alone(lab: Lab, tmp_path: Path) -> None:
    other = tmp_path / "documents"
    (other / "data").mkdir(parents=True)
    with pytest.raises(HeadwaterError, match="is not the home of a lab"):
        reset(replace(lab, home=other), [], quiet_board())
    assert (other / "data").exists()
