import sys
from pathlib import Path
from types import ModuleType

import pytest

import headwater.server
from headwater.settings import Settings
from tests.cli.conftest import run


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Settings]:
    """The settings that reach the server, which is replaced because the real one does not return."""
    seen: list[Settings] = []
    fake = ModuleType("headwater.server.run")
    monkeypatch.setattr(fake, "serve", lambda settings, beside: seen.append(settings), raising=False)
    monkeypatch.setitem(sys.modules, "headwater.server.run", fake)
    monkeypatch.chdir(tmp_path)
    return seen


def test_flags_reach_the_server(served: list[Settings]) -> None:
    result = run("serve", "--host", "0.0.0.0", "--port", "8080", "--database", "sqlite:///x.db")
    assert result.exit_code == 0, result.output
    assert (served[0].host, served[0].port, served[0].database) == ("0.0.0.0", 8080, "sqlite:///x.db")


def test_connect_clusters_reach_the_server_from_flags_and_from_the_file(served: list[Settings], tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text('connect = ["http://a:8083", "eu=http://b:8083"]\n')
    assert run("serve").exit_code == 0
    assert run("serve", "--connect", "http://c:8083", "--connect", "us=http://d:8083").exit_code == 0
    assert [settings.connect for settings in served] == [
        "http://a:8083,eu=http://b:8083",
        "http://c:8083,us=http://d:8083",
    ]


def test_a_named_settings_file_reaches_the_server(served: list[Settings], tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("port = 8081\n")
    assert run("serve", "--config", "mine.toml").exit_code == 0
    assert served[0].port == 8081


def test_a_server_whose_packages_are_missing_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "run.py").write_text("import a_package_that_is_not_installed\n")
    monkeypatch.setattr(headwater.server, "__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "headwater.server.run", raising=False)
    result = run("serve")
    assert result.exit_code == 1
    assert "a_package_that_is_not_installed is missing" in result.stderr
    assert "pip install 'headwater[server]'" in result.stderr
