import asyncio
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.capture.ending import Ending, ending_of
from tests.capture.backends import Told, told
from tests.capture.processes import ROOT


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (None, "COMPLETE", ""),
        (SystemExit(), "COMPLETE", ""),
        (SystemExit(0), "COMPLETE", ""),
        (SystemExit(1), "FAIL", "exited with 1"),
        (SystemExit("no such table"), "FAIL", "exited with no such table"),
        (SystemExit(143), "ABORT", "exited with 143"),
        (KeyboardInterrupt(), "ABORT", "interrupted"),
        (GeneratorExit(), "ABORT", "cancelled"),
        (asyncio.CancelledError(), "ABORT", "cancelled"),
        (ValueError("no price"), "FAIL", "ValueError: no price"),
    ],
    ids=repr,
)
def test_what_an_exception_means(error: BaseException | None, kind: str, message: str) -> None:
    ending = ending_of(error)
    assert (ending.kind, ending.message) == (kind, message)


def test_a_failure_has_its_stack() -> None:
    def fails() -> None:
        raise ValueError("no price")

    with pytest.raises(ValueError, match="no price") as caught:
        fails()
    assert "in fails" in ending_of(caught.value).stack
    assert Ending("COMPLETE").stack == ""


PROGRAM = """
    import os, signal, sys, threading, time
    from sys import exit as leave
    from headwater.capture.emitter import open_emitter
    from headwater.capture.ending import when_process_ends
    from headwater.capture.run_events import RunOf, error_facets, new_run_id

    emitter = open_emitter()
    run = RunOf(new_run_id(), "tests", "job-1")
    when_process_ends(lambda ending: emitter.emit(run.event(ending.kind, error_facets(ending), {})))
    another = when_process_ends(lambda ending: emitter.emit("never"))
    another()
"""


def ends(*lines: str, tmp_path: Path, program: Path | None = None) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of the program with these last lines, or of a script, and the events that a backend got of it."""
    with told() as backend:
        code = textwrap.dedent(PROGRAM) + "\n".join(lines)
        command = [sys.executable, *((str(program),) if program else ("-c", code))]
        env = {"OPENLINEAGE_URL": backend.url, "HEADWATER_OUTBOX": str(tmp_path), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, cwd=ROOT, env=env, timeout=60, capture_output=True)
        return done.returncode, events(backend)


def events(backend: Told) -> list[dict[str, Any]]:
    return [msgspec.json.decode(body) for request in backend.accepted for body in request.events]


@pytest.mark.parametrize(
    ("lines", "code", "kind"),
    [
        ([], 0, "COMPLETE"),
        (["sys.exit(0)"], 0, "COMPLETE"),
        (["sys.exit(3)"], 3, "FAIL"),
        (["raise ValueError('no price')"], 1, "FAIL"),
        (["raise KeyboardInterrupt"], -signal.SIGINT, "ABORT"),
        (["os.kill(os.getpid(), signal.SIGTERM)", "time.sleep(60)"], -signal.SIGTERM, "ABORT"),
        # In a thread it ends the thread, and not the program.
        (["thread = threading.Thread(target=lambda: sys.exit(4))", "thread.start(); thread.join()"], 0, "COMPLETE"),
    ],
    ids=["well", "exit 0", "exit 3", "exception", "ctrl-c", "sigterm", "exit in a thread"],
)
def test_a_process_ends_as_it_would_and_its_runs_say_how(
    lines: list[str], code: int, kind: str, tmp_path: Path
) -> None:
    returned, said = ends(*lines, tmp_path=tmp_path)
    assert (returned, [event["eventType"] for event in said]) == (code, [kind])


@pytest.mark.parametrize(
    ("line", "code", "kind", "message"),
    [
        ("raise SystemExit(1)", 1, "FAIL", "exited with 1"),
        ("raise SystemExit('no such table')", 1, "FAIL", "exited with no such table"),
        ("sys.exit('no such table')", 1, "FAIL", "exited with no such table"),
        ("exit(3)", 3, "FAIL", "exited with 3"),
        ("leave(3)", 3, "FAIL", "exited with 3"),
        ("raise SystemExit(143)", 143, "ABORT", "exited with 143"),
        ("raise SystemExit(0)", 0, "COMPLETE", ""),
        ("raise SystemExit", 0, "COMPLETE", ""),
        ("sys.exit()", 0, "COMPLETE", ""),
        ("pass", 0, "COMPLETE", ""),
    ],
)
def test_a_script_that_exits_ends_its_runs_by_its_code(
    line: str, code: int, kind: str, message: str, tmp_path: Path
) -> None:
    job = tmp_path / "job.py"
    # What the program has caught, and what it keeps, is not how it ends.
    caught = "def catch():\n    try: sys.exit(9)\n    except SystemExit as error: kept = error\n    return kept\n"
    caught += "catch()\nkept = catch()\n"
    goes_on = "print('on', file=sys.stderr, flush=True)\n"
    job.write_text(f"{textwrap.dedent(PROGRAM)}\n{caught}\n{goes_on}\ndef main():\n    {line}\n\nmain()\n")
    returned, said = ends(program=job, tmp_path=tmp_path)
    assert (returned, [event["eventType"] for event in said]) == (code, [kind])
    error = said[0]["run"]["facets"].get("errorMessage", {"message": ""})
    assert error["message"] == message


def test_a_handler_of_the_programs_own_decides_what_sigterm_does(tmp_path: Path) -> None:
    own = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))"
    ask = "os.kill(os.getpid(), signal.SIGTERM)"
    again = "when_process_ends(lambda ending: None)"
    assert ends(own, again, ask, "time.sleep(60)", tmp_path=tmp_path)[0] == 0
    returned, said = ends(own, again, ask, "time.sleep(60)", tmp_path=tmp_path)
    assert (returned, said[0]["eventType"]) == (0, "ABORT")
    assert said[0]["run"]["facets"]["errorMessage"]["message"] == "ended by SIGTERM"


def test_a_child_that_was_forked_reports_nothing_of_its_parents(tmp_path: Path) -> None:
    returned, said = ends("child = os.fork()", "child and os.waitpid(child, 0)", tmp_path=tmp_path)
    assert (returned, len(said)) == (0, 1)
