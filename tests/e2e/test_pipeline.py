"""`headwater lab pipeline` as a person runs it: a process of its own, with nothing running before and after."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from headwater.stack.lab import open_lab
from headwater.stack.processes.marks import marked
from tests.stack.small import wait_for

# A lab of its own, beside the one that other tests share: on another worker of xdist, and not at the same time as the
# tests that kill services.
pytestmark = [pytest.mark.xdist_group("services"), pytest.mark.slow, pytest.mark.timeout(900)]
COMMAND = (str(Path(sys.executable).with_name("headwater")),)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Where a lab is to be, of which nothing is left running after the test."""
    yield tmp_path / "lab"
    subprocess.run([*COMMAND, "lab", "down", "--home", tmp_path / "lab"], check=True, capture_output=True)


def left(home: Path) -> list[psutil.Process]:
    """The lab's processes."""
    return [process for process, _, _ in marked(open_lab(os.environ, home.parent, home=home))]


def pipeline(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    """The command, running."""
    command = [*COMMAND, "lab", "pipeline", "--home", str(home), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home.parent)


def run_once(home: Path, total: int) -> None:
    """Run the pipeline over 400 more orders, and see that it proves itself."""
    process = pipeline(home, "--once", "--orders", "400", "--json")
    said, told = process.communicate()
    assert process.returncode == 0, told
    answer = json.loads(said)
    assert answer["agrees"]
    rows = {(place["what"], place["place"].partition(" ")[0]): place["rows"] for place in answer["places"]}
    assert rows["orders", "shop,"] == rows["orders", "topic"] == rows["orders", "Iceberg"] == total
    assert rows["supplier windows", "topic"] > 0
    assert left(home) == []


def test_every_order_arrives_everywhere(home: Path) -> None:
    run_once(home, 400)


@pytest.mark.long
def test_every_order_arrives_everywhere_also_in_a_lab_with_data_from_before(home: Path) -> None:
    run_once(home, 400)
    run_once(home, 800)


@pytest.mark.long
def test_ctrl_c_leaves_no_process(home: Path) -> None:
    process = pipeline(home)
    said = []
    assert process.stdout
    for line in process.stdout:
        said.append(line)
        # It runs once it tells how many rows are where.
        if "table orders" in line and "table orders 0" not in line:
            break
    assert process.poll() is None, "".join(said)
    process.send_signal(signal.SIGINT)
    rest, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert left(home) == []
    assert "Traceback" not in rest + told


@pytest.mark.long
def test_ctrl_c_while_everything_starts_leaves_no_process(home: Path) -> None:
    process = pipeline(home, "--once")
    wait_for(lambda: home.is_dir() and len(left(home)) > 3, 60)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130, told
    assert left(home) == []
