"""The page on Spark: its settings are those of the code, and each of its recipes runs."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.capture.leases import SECONDS_VARIABLE
from headwater.capture.spark.agent_jar import VERSION
from headwater.capture.spark.settings import ALIASES, ALIASES_VARIABLE, PARENT_VARIABLE
from headwater.stack.java import find_java
from tests.capture.backends import Told, told

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


def ran(command: list[str], folder: Path, backend: Told) -> list[dict[str, Any]]:
    """The events of a program that must succeed, in a folder that has orders."""
    (folder / "orders.json").write_text(json.dumps({"supplier": "Alice", "price": 12.5}))
    env = {
        **os.environ,
        "OPENLINEAGE_URL": backend.url,
        "OPENLINEAGE_NAMESPACE": "shop",
        "HEADWATER_OUTBOX": str(folder / "outbox"),
        "JAVA_HOME": str(find_java(os.environ).parent.parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return [msgspec.json.decode(body) for request in backend.accepted for body in request.events]


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

    def test_the_one_line_reports_the_job(self, backend: Told, tmp_path: Path) -> None:
        (tmp_path / "job.py").write_text(ONE_LINE)
        assert_totals(ran([sys.executable, "job.py"], tmp_path, backend))

    def test_no_line_reports_the_same(self, backend: Told, tmp_path: Path) -> None:
        assert NO_LINE in PAGE
        lines = [line for line in ONE_LINE.splitlines() if "headwater" not in line]
        (tmp_path / "job.py").write_text("\n".join(lines))
        program = str(Path(sys.executable).with_name("headwater"))
        assert_totals(ran([program, "submit", "--master", "local[2]", "job.py"], tmp_path, backend))


@pytest.mark.parametrize("code", BY_HAND)
def test_what_is_written_by_hand_is_reported(code: str, backend: Told, tmp_path: Path) -> None:
    events = ran([sys.executable, "-c", code], tmp_path, backend)
    assert [events[0]["eventType"], events[-1]["eventType"]] == ["START", "COMPLETE"]
    assert events[-1]["inputs"]
    assert events[-1]["outputs"]


@pytest.mark.parametrize("name", [SECONDS_VARIABLE, ALIASES, ALIASES_VARIABLE, PARENT_VARIABLE, "HEADWATER_MAVEN_URL"])
def test_every_setting_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_page_names_the_agent_that_is_used() -> None:
    assert f"openlineage-spark_2.12:{VERSION}" in PAGE
