import os
import signal

import psutil

from headwater.stack.lab import Lab
from headwater.stack.processes.records import Record, alive, ending, exit_code
from headwater.stack.processes.spawning import start
from tests.stack.small import SLEEP, python, wait_for


def test_how_a_process_ended_is_known(lab: Lab) -> None:
    record = start(lab, "service:kafka", python("import sys; sys.exit(3)"))
    wait_for(lambda: alive(record) is None)
    assert ending(exit_code(record)) == "ended with exit code 3"
    killed = start(lab, "service:kafka", SLEEP)
    assert exit_code(killed) is None
    os.kill(killed.pid, signal.SIGKILL)
    wait_for(lambda: alive(killed) is None)
    assert ending(exit_code(killed)) == "was ended by SIGKILL"


def test_how_the_child_of_another_process_ended_is_not_known(lab: Lab) -> None:
    record = Record(role="service:kafka", pid=os.getppid(), created=0.0)
    assert ending(exit_code(record)) == "ended"


def test_a_process_that_ended_leaves_the_systems_table_while_its_starter_lives(lab: Lab) -> None:
    record = start(lab, "service:postgres", SLEEP)
    os.kill(record.pid, signal.SIGKILL)
    wait_for(lambda: not psutil.pid_exists(record.pid))
