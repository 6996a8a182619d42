"""The page on Spark: its settings are those of the code, and each of its recipes runs."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.leases import SECONDS_VARIABLE
from headwater.capture.spark.agent_jar import VERSION
from headwater.capture.spark.settings import ALIASES, ALIASES_VARIABLE, PARENT_VARIABLE
from tests.capture.backends import Told, told
from tests.capture.spark.programs import ran

PAGE = (Path(__file__).parent.parent.parent.parent / "docs" / "spark.md").read_text("utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(ONE_LINE,) = [code for code in PYTHON if "attach" in code]
BY_HAND = [code for code in PYTHON if "attach" not in code]
NO_LINE = "headwater submit --master 'local[2]' job.py"
ON_SPARK = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("spark")]


@pytest.fixture
def backend() -> Iterator[Told]:
    with told() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has orders."""
    (tmp_path / "orders.json").write_text(json.dumps({"supplier": "Alice", "price": 12.5}))
    return tmp_path


def assert_totals(events: list[dict[str, Any]]) -> None:
    """The lineage of the page's example: totals is made of orders.json, by a write that is part of daily_totals."""
    ends = {event["job"]["name"]: event for event in events}
    assert ends["daily_totals"]["eventType"] == "COMPLETE"
    (write,) = [event for event in ends.values() if event["outputs"]]
    assert write["eventType"] == "COMPLETE"
    assert [Path(one["name"]).name for one in (*write["inputs"], *write["outputs"])] == ["orders.json", "totals"]
    assert write["run"]["facets"]["parent"]["job"] == {"namespace": "shop", "name": "daily_totals"}


class TestOnSpark:
    """The recipes that need one."""

    pytestmark = ON_SPARK

    def test_the_one_line_reports_the_job(self, backend: Told, folder: Path) -> None:
        (folder / "job.py").write_text(ONE_LINE)
        assert_totals(ran([sys.executable, "job.py"], folder, backend))

    def test_no_line_reports_the_same(self, backend: Told, folder: Path) -> None:
        assert NO_LINE in PAGE
        lines = [line for line in ONE_LINE.splitlines() if "headwater" not in line]
        (folder / "job.py").write_text("\n".join(lines))
        program = str(Path(sys.executable).with_name("headwater"))
        assert_totals(ran([program, "submit", "--master", "local[2]", "job.py"], folder, backend))


@pytest.mark.parametrize("code", BY_HAND)
def test_what_is_written_by_hand_is_reported(code: str, backend: Told, folder: Path) -> None:
    events = ran([sys.executable, "-c", code], folder, backend)
    assert [events[0]["eventType"], events[-1]["eventType"]] == ["START", "COMPLETE"]
    assert events[-1]["inputs"]
    assert events[-1]["outputs"]


@pytest.mark.parametrize("name", [SECONDS_VARIABLE, ALIASES, ALIASES_VARIABLE, PARENT_VARIABLE, "HEADWATER_MAVEN_URL"])
def test_every_setting_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_page_names_the_agent_that_is_used() -> None:
    assert f"openlineage-spark_2.12:{VERSION}" in PAGE
