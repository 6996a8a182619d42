"""Light and dark: the system's choice until the reader makes one."""

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Open
from tests.ui.visiting import Theme


@pytest.mark.parametrize(("theme", "background"), [("light", "rgb(250, 251, 252)"), ("dark", "rgb(15, 20, 25)")])
def test_the_page_follows_the_system(visit: Open, theme: Theme, background: str) -> None:
    page = visit("jobs", theme=theme).page
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == background
