from headwater.stack.lab import Lab
from headwater.stack.processes.memory import resident_mb
from headwater.stack.processes.spawning import start
from tests.stack.small import python, wait_for


def test_the_memory_of_a_process_counts_that_of_its_children(lab: Lab) -> None:
    hold = "import sys, time; held = bytearray(50_000_000); print('held'); time.sleep(600)"
    parent = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    record = start(lab, "service:kafka", python(parent, *python(hold).argv))
    wait_for(lambda: "held" in lab.log("kafka").read_text())
    memory = resident_mb(record.pid)
    assert memory is not None
    assert 50 < memory < 150


def test_a_process_that_is_gone_holds_nothing() -> None:
    assert resident_mb(2**22 + 1) is None
