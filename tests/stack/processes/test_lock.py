import os
import shutil
import threading

from headwater.stack.lab import Lab
from headwater.stack.processes.lock import locked
from tests.stack.small import wait_for


def test_one_at_a_time_holds_the_lock_and_the_other_is_told_who(lab: Lab) -> None:
    told: list[str] = []
    held: list[str] = []

    def other() -> None:
        with locked(lab, told.append):
            held.append("other")

    thread = threading.Thread(target=other)
    with locked(lab, told.append):
        thread.start()
        wait_for(lambda: told)
        assert held == []
    thread.join()
    assert held == ["other"]
    assert len(told) == 1
    assert f"pid {os.getpid()}" in told[0]


def test_the_lock_of_a_lab_that_was_removed_in_between_does_not_count(lab: Lab) -> None:
    with locked(lab, print):
        shutil.rmtree(lab.home / "run")
        # The holder's file is gone: another lab may be made in its place.
        with locked(lab, print):
            assert (lab.home / "run" / "lock").exists()
