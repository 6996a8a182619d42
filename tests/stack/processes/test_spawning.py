import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.processes.records import alive, find, last_lines, running
from headwater.stack.processes.spawning import inherited, run_tool, start, stop
from headwater.stack.service import Command
from tests.stack.small import SLEEP, processes, python, wait_for


def test_a_process_is_recorded_and_runs_in_a_session_of_its_own(lab: Lab) -> None:
    record = start(lab, "service:kafka", SLEEP)
    process = alive(record)
    assert process
    assert os.getsid(record.pid) == record.pid
    assert find(lab, "kafka") == record == running(lab, "kafka")
    assert (lab.home / "run" / "processes" / "kafka.json").stat().st_mode & 0o777 == 0o600
    assert stop(process)
    assert alive(record) is None


def test_what_a_process_writes_goes_to_its_log_which_is_its_owners_alone(lab: Lab) -> None:
    record = start(lab, "service:kafka", python("import sys; print('one'); print('two', file=sys.stderr)"))
    wait_for(lambda: alive(record) is None)
    assert lab.log("kafka").read_text() == "one\ntwo\n"
    assert lab.log("kafka").stat().st_mode & 0o777 == 0o600
    assert last_lines(lab, record, 1) == ["two"]


def test_a_process_takes_over_little_of_the_environment_and_its_secrets_are_not_in_its_arguments(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dsurprise")
    record = start(lab, "service:kafka", replace(SLEEP, env={"PASSWORD": "s3cret"}))
    env = psutil.Process(record.pid).environ()
    assert (env["PASSWORD"], env["PATH"]) == ("s3cret", os.environ["PATH"])
    assert (env["HEADWATER_LAB"], env["HEADWATER_LAB_ROLE"]) == (str(lab.home), "service:kafka")
    assert "JAVA_TOOL_OPTIONS" not in env
    assert "s3cret" not in " ".join(psutil.Process(record.pid).cmdline())


def test_proxies_and_locales_are_taken_over() -> None:
    given = {"HTTPS_PROXY": "p", "no_proxy": "n", "LC_ALL": "C", "HEADWATER_PORT": "1", "PYTHONPATH": "x"}
    assert inherited(given) == {"HTTPS_PROXY": "p", "no_proxy": "n", "LC_ALL": "C"}


def test_a_program_that_is_not_there_is_named(lab: Lab) -> None:
    with pytest.raises(HeadwaterError, match=r"cannot start kafka: .*/nowhere/java"):
        start(lab, "service:kafka", Command(argv=("/nowhere/java",)))


def test_a_process_goes_with_all_that_descend_from_it(lab: Lab) -> None:
    parent = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:], start_new_session=True); time.sleep(600)"
    record = start(lab, "service:kafka", python(parent, *SLEEP.argv))
    wait_for(lambda: len(processes(lab.home)) == 2)
    process = alive(record)
    assert process
    stop(process, patience=0.5)
    assert processes(lab.home) == []


def test_a_process_that_takes_no_notice_is_ended_by_force(lab: Lab) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf'); time.sleep(600)"
    record = start(lab, "service:kafka", python(deaf))
    wait_for(lambda: "deaf" in lab.log("kafka").read_text())
    process = alive(record)
    assert process
    assert not stop(process, patience=0.2)
    assert alive(record) is None


def test_a_suspended_process_goes_too(lab: Lab) -> None:
    record = start(lab, "service:kafka", SLEEP)
    os.kill(record.pid, signal.SIGSTOP)
    process = alive(record)
    assert process
    assert stop(process)


def test_a_tool_gives_back_what_it_printed(lab: Lab) -> None:
    assert run_tool(lab, "initdb", python("print('done')")) == "done\n"


def test_a_tool_that_fails_says_how_and_what_it_printed(lab: Lab) -> None:
    with pytest.raises(HeadwaterError, match=r"initdb ended with exit code 1; it printed:\nno room"):
        run_tool(lab, "initdb", python("import sys; sys.exit('no room')"))


def test_a_tool_that_takes_too_long_is_ended(lab: Lab) -> None:
    began = time.monotonic()
    with pytest.raises(HeadwaterError, match="initdb did not finish within 0 s, and was ended"):
        run_tool(lab, "initdb", SLEEP, timeout=0.2)
    assert time.monotonic() - began < 10
    assert processes(lab.home) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a process as someone else")
def test_root_runs_a_process_as_the_account_that_is_asked_for(lab: Lab) -> None:
    who = Command(argv=("id", "-un"), cwd=Path("/"), account="nobody")
    assert run_tool(lab, "whoami", who) == "nobody\n"
