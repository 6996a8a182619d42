import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from headwater.stack.lab import Lab
from headwater.stack.processes.marks import orphans
from headwater.stack.processes.records import alive, forget
from headwater.stack.processes.spawning import start, stop
from tests.stack.small import SLEEP

ROOT = Path(__file__).parents[3]

STARTER = """
import sys
from pathlib import Path
from headwater.stack.processes.spawning import start
from headwater.stack.service import Command
from tests.stack.small import small_lab
print(start(small_lab(Path(sys.argv[1])), "job:maintain", Command(argv=("sleep", "600"))).pid)
"""


def test_a_service_without_a_record_is_an_orphan(lab: Lab) -> None:
    kept = start(lab, "service:registry", SLEEP)
    lost = start(lab, "service:kafka", SLEEP)
    forget(lab, "kafka")
    assert [process.pid for process in orphans(lab)] == [lost.pid]
    assert alive(kept)


def test_a_job_is_an_orphan_when_whoever_started_it_is_gone(lab: Lab) -> None:
    mine = start(lab, "job:supplier-stats", SLEEP)
    assert orphans(lab) == []
    assert [process.pid for process in orphans(lab, jobs_too=True)] == [mine.pid]
    starter = [sys.executable, "-c", STARTER, str(lab.home)]
    gone = subprocess.run(starter, check=True, capture_output=True, text=True, cwd=ROOT)
    assert [process.pid for process in orphans(lab)] == [int(gone.stdout)]


def test_another_labs_processes_are_left_alone(lab: Lab, tmp_path: Path) -> None:
    other = replace(lab, home=tmp_path / "other")
    other.home.mkdir()
    record = start(other, "service:kafka", SLEEP)
    forget(other, "kafka")
    assert orphans(lab) == []
    process = alive(record)
    assert process
    stop(process)
