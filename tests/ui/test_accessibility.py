"""Every screen, in both themes and on a small window, passes axe's checks of WCAG A and AA."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.making import run_id
from tests.ui.conftest import Open
from tests.ui.visiting import Theme

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# A place, and something that is there when it has loaded.
PLACES = {
    "?node=dataset:ns:orders-table": "orders-table",
    "?node=dataset:ns:orders-table&sel=dataset:ns:orders-table&drawer=about": "orders-ingestion",
    "jobs": "nightly-report",
    "datasets": "supplier-stats",
    f"runs?filter=nightly&run={run_id('nightly-report 6')}": "Traceback",
    "streams": "supplier-stats-live",
    "connectors": "No Connect cluster is watched",
    "events": "nightly-report",
    "diagnostics": "Rejected",
    "diagnostics?kind=two-names": "s3a://lake",
}


def violations(page: Page) -> list[str]:
    """What axe finds, a line each."""
    # Evaluated from outside, so that the page's own policy need not allow it.
    page.evaluate(AXE.read_text("utf-8"))
    found: Any = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node.get('failureSummary', '')}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_a_screen_has_no_violation(visit: Open, place: str, theme: Theme) -> None:
    page = visit(place, theme=theme).page
    expect(page.get_by_text(PLACES[place]).first).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("place", ["jobs", "streams", "diagnostics"])
def test_a_small_window_has_no_violation_and_no_sideways_scroll(visit: Open, place: str) -> None:
    page = visit(place, width=400, height=800).page
    expect(page.get_by_text(PLACES[place]).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_edges_of_a_card_have_no_violation(visit: Open, theme: Theme) -> None:
    place = "?node=dataset:ns:orders-table&sel=dataset:ns:orders-table&column=price"
    page = visit(place, theme=theme).page
    expect(page.locator(".strand").first).to_be_attached()
    page.keyboard.press("i")
    expect(page.get_by_role("dialog", name="Edges of orders-table")).to_be_visible()
    assert violations(page) == []
