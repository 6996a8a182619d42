import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.stack.handover import hand_over
from headwater.stack.java import find_java
from headwater.stack.lab import Lab
from headwater.stack.pipeline.submit import PROGRAMS, Program, job_command, launch_properties, run_job
from headwater.stack.processes.records import find
from headwater.stack.processes.spawning import start
from headwater.stack.service import Command
from tests.stack.small import processes, small_lab, wait_for

ROOT = Path(__file__).parents[3]


def program(monkeypatch: pytest.MonkeyPatch, file: Path, code: str, kind: str = "python") -> None:
    """Make `shop` the name of a program with this code."""
    file.write_text(code)
    monkeypatch.setattr("headwater.stack.pipeline.submit.PROGRAMS", {"shop": Program("shop", file, kind, "", ())})


def test_every_program_is_there() -> None:
    for each in PROGRAMS.values():
        assert each.file.is_file(), each
        assert each.kind in ("stream", "batch", "python")


def test_no_secret_is_among_the_arguments_and_the_properties_are_their_owners_alone(lab: Lab) -> None:
    command = job_command(lab, "iceberg-ingestion", ("--once",))
    shown = " ".join(command.argv)
    for name, value in vars(lab.credentials).items():
        assert name.endswith("_user") or value not in shown
    assert command.argv[-3:] == ("--settings", str(lab.home / "pipeline.toml"), "--once")
    properties = Path(command.argv[command.argv.index("--properties-file") + 1])
    assert properties.stat().st_mode & 0o777 == 0o600
    assert f"spark.master {lab.settings.spark_master}\n" in properties.read_text()


def test_only_a_short_job_does_without_the_second_compiler(lab: Lab) -> None:
    options = {
        name: launch_properties(lab, PROGRAMS[name])["spark.driver.extraJavaOptions"]
        for name in ("iceberg-ingestion", "supplier_stats")
    }
    assert "TieredStopAtLevel=1" not in options["iceberg-ingestion"]
    assert "TieredStopAtLevel=1" in options["supplier_stats"]


def test_an_unknown_job_is_refused_with_a_hint(lab: Lab) -> None:
    with pytest.raises(HeadwaterError, match="no job 'suplier-stats'; did you mean 'supplier-stats'"):
        job_command(lab, "suplier-stats")


@pytest.mark.parametrize(
    ("code", "expected"), [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", 137)]
)
def test_the_exit_code_of_a_job_is_given_back(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, expected: int
) -> None:
    program(monkeypatch, tmp_path / "job.py", code)
    assert run_job(lab, "shop") == expected
    assert find(lab, "shop") is None


def test_a_job_does_not_run_twice_at_once(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, tmp_path / "job.py", "")
    record = start(lab, "job:shop", Command(argv=("sleep", "600")))
    with pytest.raises(HeadwaterError, match=rf"job shop runs already \(pid {record.pid}\)"):
        run_job(lab, "shop")
    assert find(lab, "shop") == record


RUNNER = """
import sys
from pathlib import Path
from headwater.stack.pipeline import submit
from tests.stack.small import small_lab
submit.PROGRAMS = {"shop": submit.Program("shop", Path(sys.argv[2]), "python", "", ())}
sys.exit(submit.run_job(small_lab(Path(sys.argv[1])), "shop"))
"""


@contextmanager
def runner(lab: Lab, job: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that runs a job in its foreground."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(lab.home), str(job)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_request_to_end_is_passed_on_and_the_job_ends_in_its_own_way(
    lab: Lab, tmp_path: Path, number: signal.Signals
) -> None:
    job = tmp_path / "job.py"
    job.write_text("import signal, sys\nsignal.signal(15, lambda *_: sys.exit(7))\nprint('ready')\nsignal.pause()\n")
    with runner(lab, job) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(30) == 7
    assert processes(lab.home) == []


def test_a_job_that_does_not_end_is_killed_when_asked_for_the_third_time(lab: Lab, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(
        "import signal\nsignal.signal(15, lambda *_: print('no'))\nprint('ready')\nwhile True: signal.pause()\n"
    )
    with runner(lab, job) as process:
        assert process.stdout
        for answer in ("ready\n", "no\n", "no\n"):
            assert process.stdout.readline() == answer
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 128 + signal.SIGKILL
    wait_for(lambda: processes(lab.home) == [])


SPARK_JOB = """
import json, sys
from pyspark import SparkContext
context = SparkContext()
conf = dict(context.getConf().getAll())
java = context._jvm.java.lang.System.getProperty("java.version")
json.dump({"conf": conf, "java": java, "python": sys.executable, "args": sys.argv[1:],
           "total": context.parallelize(range(10)).sum()}, open(__file__ + ".json", "w"))
context.stop()
"""


@pytest.mark.slow
def test_a_spark_job_runs_with_the_labs_java_python_and_properties(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = replace(small_lab(tmp_path / "my lab"), java=find_java(os.environ))
    hand_over(lab)
    program(monkeypatch, tmp_path / "job.py", SPARK_JOB, "batch")
    assert run_job(lab, "shop", ["--once"]) == 0
    told = json.loads((tmp_path / "job.py.json").read_text())
    assert told["java"].startswith("17.")
    assert told["python"] == sys.executable
    assert told["args"] == ["--settings", str(lab.home / "pipeline.toml"), "--once"]
    assert told["conf"]["spark.master"] == "local[2]"
    assert told["conf"]["spark.driver.memory"] == "1g"
    assert told["total"] == 45
