"""Programs that exit: what their code means for the run of the application."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.capture.backends import told
from tests.capture.spark.programs import of_job, ran

SPARK = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").appName("Exits").config("spark.ui.enabled", "false").getOrCreate()
"""
ATTACH = """
import headwater.spark
headwater.spark.attach(spark)
"""
BY_HAND = """
import sys
from headwater.spark import run

with run("exits"):
    {line}
"""
SUBMIT = (str(Path(sys.executable).with_name("headwater")), "submit", "--master", "local[1]")
ON_SPARK = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("spark")]
CODES = [
    ("raise SystemExit('no such table')", 1, "FAIL", "exited with no such table"),
    ("sys.exit(3)", 3, "FAIL", "exited with 3"),
    ("raise SystemExit(0)", 0, "COMPLETE", None),
    ("sys.exit()", 0, "COMPLETE", None),
]


def assert_ends(command: list[str], text: str, code: int, kind: str, message: str | None, folder: Path) -> None:
    """The program ends with the code, and its run as it must."""
    (folder / "job.py").write_text(text)
    with told() as backend:
        events = ran([*command, "job.py"], folder, backend, code)
    (last,) = [event for event in of_job(events, "exits") if event["eventType"] not in ("START", "RUNNING")]
    assert last["eventType"] == kind
    assert last["run"]["facets"].get("errorMessage", {}).get("message") == message


@pytest.mark.parametrize(("line", "code", "kind", "message"), CODES)
def test_a_run_by_hand_ends_as_the_program_exits(
    line: str, code: int, kind: str, message: str | None, tmp_path: Path
) -> None:
    assert_ends([sys.executable], BY_HAND.format(line=line), code, kind, message, tmp_path)


class TestOnSpark:
    """One of them every day, the others when there is time."""

    pytestmark = ON_SPARK

    @pytest.mark.parametrize(
        ("line", "code", "kind", "message"),
        [CODES[0], *(pytest.param(*row, marks=pytest.mark.long) for row in CODES[1:])],
    )
    def test_an_attached_application_ends_as_its_program_exits(
        self, line: str, code: int, kind: str, message: str | None, tmp_path: Path
    ) -> None:
        assert_ends([sys.executable], SPARK + ATTACH + line, code, kind, message, tmp_path)

    @pytest.mark.long
    @pytest.mark.parametrize(("line", "code", "kind", "message"), CODES)
    def test_a_submitted_application_ends_as_its_program_exits(
        self, line: str, code: int, kind: str, message: str | None, tmp_path: Path
    ) -> None:
        assert_ends([*SUBMIT], SPARK + line, code, kind, message, tmp_path)
