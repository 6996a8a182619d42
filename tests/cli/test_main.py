import subprocess
import sys
from pathlib import Path

import pytest

import headwater
from tests.cli.conftest import run


def test_the_version_is_printed() -> None:
    assert run("--version").stdout == f"headwater {headwater.__version__}\n"


@pytest.mark.parametrize("command", ["serve", "lineage", "jobs", "datasets", "runs", "search"])
def test_every_command_teaches_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: headwater {command}" in result.stdout


def test_an_error_is_one_line_for_people_without_a_traceback(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "headwater"
    done = subprocess.run(
        [script, "jobs", "--url", "http://127.0.0.1:1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no Headwater server answers at http://127.0.0.1:1" in done.stderr
    assert "start one with: headwater serve" in done.stderr


def test_a_bad_setting_exits_like_a_wrong_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_PORT", "many")
    result = run("jobs")
    assert result.exit_code == 2
    assert "setting 'port' is 'many' in HEADWATER_PORT" in result.stderr


def test_the_command_line_starts_without_the_packages_of_the_server() -> None:
    check = "import sys, headwater.cli.main; print({'starlette', 'sqlalchemy', 'httpx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60)
    assert done.stdout == "set()\n", done.stderr
