"""`headwater lab pipeline`: every order arrives everywhere, and no process is left, however it ends."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Finished
from tests.e2e.pipelines import brought_down, left, pipeline, run_once
from tests.stack.small import wait_for

# On another worker of xdist than the lab that tests share, and not at the same time as the tests that kill services.
pytestmark = [pytest.mark.xdist_group("services"), pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Where a lab is to be, of which nothing is left running after the test."""
    with brought_down(tmp_path / "lab") as home:
        yield home


def assert_everywhere(answer: dict[str, Any], total: int) -> None:
    """So many orders are in every place, by what the pipeline says of itself."""
    assert answer["agrees"]
    rows = {(place["what"], place["place"].partition(" ")[0]): place["rows"] for place in answer["places"]}
    assert rows["orders", "shop,"] == rows["orders", "topic"] == rows["orders", "Iceberg"] == total
    assert rows["supplier windows", "topic"] > 0


def test_every_order_arrives_everywhere(finished: Finished) -> None:
    assert_everywhere(finished.answer, 400)
    assert left(finished.home) == []


@pytest.mark.long
def test_every_order_arrives_everywhere_also_in_a_lab_with_data_from_before(home: Path) -> None:
    assert_everywhere(run_once(home), 400)
    assert_everywhere(run_once(home), 800)
    assert left(home) == []


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
