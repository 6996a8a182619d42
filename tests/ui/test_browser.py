"""How the tests find a browser."""

from pathlib import Path

import pytest

from tests.ui import browser
from tests.ui.browser import ADVICE, find_browser, main


def test_a_named_browser_is_used_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    monkeypatch.setenv("HEADWATER_BROWSER", str(program))
    assert find_browser() is None
    program.touch()
    assert find_browser() == str(program)


def test_without_one_the_advice_is_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    monkeypatch.setattr(browser, "get_browser", lambda: None)
    said: list[str] = []
    assert main(said.append) == 1
    assert said == [ADVICE]
