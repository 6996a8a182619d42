"""The page on delivery: its settings are those of the code, and what it shows works."""

import re
import shlex
from pathlib import Path

import pytest

from headwater.capture.place import DIRECTORY_VARIABLE, LIMIT_VARIABLE
from tests.capture.backends import told
from tests.capture.processes import finished
from tests.cli.conftest import run

PAGE = (Path(__file__).parent.parent.parent / "docs" / "delivery.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
SOURCES = Path(__file__).parent.parent.parent / "src" / "headwater" / "capture"


def test_every_variable_that_is_read_is_on_the_page() -> None:
    read = set(re.findall(r'"(OPENLINEAGE_[A-Z_]+)"', (SOURCES / "destination.py").read_text("utf-8")))
    assert {"OPENLINEAGE_URL", "OPENLINEAGE_DISABLED"} <= read
    for name in read | {DIRECTORY_VARIABLE, LIMIT_VARIABLE}:
        assert f"`{name.rstrip('_')}" in PAGE, f"docs/delivery.md does not mention {name}"


@pytest.mark.parametrize("code", [text for kind, text in BLOCKS if kind == "python"])
def test_the_code_on_the_page_delivers_its_event(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with told() as backend:
        monkeypatch.setenv("OPENLINEAGE_URL", backend.url)
        monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path))
        out, _ = finished(code)
    assert b"daily_totals" in backend.accepted[0].body
    assert "written=1" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_on_the_page_work(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path))
    with told() as backend:
        program, *arguments = shlex.split(command.replace("http://lineage.example:5000", backend.url))
        assert program == "headwater"
        if not {"--status", "--drain"} & set(arguments):
            arguments.append("--help")  # it would run until it is stopped, as another test does
        result = run(*arguments)
    assert result.exit_code == 0, result.output
