"""What a page says when it has nothing to show: refused, broken, away."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import Open
from tests.ui.visiting import Visit

LISTS = {
    "jobs": "/api/v2/jobs?",
    "datasets": "/api/v2/datasets?",
    "runs": "/api/v2/runs?",
    "events": "/api/v2/events",
    "streams": "/api/v2/streams",
    "connectors": "/api/v2/connectors",
    "diagnostics": "/api/v2/diagnostics?",
}


def answering(visit: Visit, path: str, status: int, message: str) -> Page:
    """A page to whose questions about a path this is the answer; a server cannot be made to refuse otherwise."""
    visit.allow(f"status of {status}")
    body = json.dumps({"code": status, "message": message})
    visit.page.route(lambda url: path in url, lambda route: route.fulfill(status=status, body=body))
    return visit.page


@pytest.mark.parametrize("place", LISTS)
def test_who_may_not_see_something_is_told_so(visit: Open, place: str) -> None:
    opened = visit(None)
    page = answering(opened, LISTS[place], 403, "your token has no right to read")
    opened.go(place)
    expect(page.get_by_role("heading", name=f"You may not see {place}")).to_be_visible()
    expect(page.get_by_text("your token has no right to read")).to_be_visible()


def test_what_broke_can_be_tried_again(visit: Open) -> None:
    opened = visit(None)
    page = answering(opened, LISTS["jobs"], 500, "the disk is full")
    opened.go("jobs")
    expect(page.get_by_role("heading", name="Could not load jobs")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("row").nth(1)).to_be_visible()


def test_a_lost_connection_is_said_and_found_again(visit: Open) -> None:
    opened = visit(None)
    opened.allow("ERR_FAILED")
    opened.page.route("**/api/v2/changes*", lambda route: route.abort())
    page = opened.go("jobs")
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    page.unroute_all()
    expect(page.get_by_text("The server does not answer.")).to_be_hidden()
