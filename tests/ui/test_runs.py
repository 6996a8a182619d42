"""The Runs screen."""

from playwright.sync_api import expect

from tests.server.making import run_id
from tests.ui.conftest import Open


def test_a_failed_run_tells_its_error_in_the_list_and_its_trace_beside_it(visit: Open) -> None:
    page = visit("runs?state=FAILED&filter=nightly").page
    row = page.get_by_role("row").filter(has_text="nightly-report")
    expect(row.get_by_text("table report is locked")).to_be_visible()
    row.get_by_text("failed", exact=True).click()
    panel = page.locator(".panel")
    expect(panel.get_by_role("region", name="stack trace")).to_have_text("Traceback: …")
    assert f"run={run_id('nightly-report 6')}" in page.url


def test_escape_closes_the_panel_and_gives_the_focus_back(visit: Open) -> None:
    page = visit("runs?filter=nightly").page
    row = page.get_by_role("row").filter(has_text="nightly-report").first
    row.focus()
    page.keyboard.press("Enter")
    panel = page.locator(".panel")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(row).to_be_focused()


def test_a_run_is_found_by_its_id(visit: Open) -> None:
    page = visit(f"runs?filter={run_id('nightly-report 6')}").page
    expect(page.get_by_role("row")).to_have_count(2)
