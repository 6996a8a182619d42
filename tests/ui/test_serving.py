"""How the page is served: nothing from outside, a strict policy, and any path before it."""

import httpx
from playwright.sync_api import Browser, Request, expect

from tests.server.making import run
from tests.server.serving import Running
from tests.ui.conftest import Open
from tests.ui.proxy import proxied
from tests.ui.visiting import visiting

SCREENS = ("", "jobs", "datasets", "runs", "streams", "connectors", "events", "diagnostics")


def test_under_a_path_behind_a_proxy_everything_works(browser: Browser, world: Running) -> None:
    with proxied("/tools/lineage", world.url) as url, visiting(browser, url) as open_page:
        visit = open_page("jobs?filter=behind-a-proxy")
        page = visit.page
        expect(page.get_by_text("No jobs match these filters")).to_be_visible()
        world.post(run("behind-a-proxy", state="START"))
        expect(page.get_by_role("link", name="behind-a-proxy")).to_be_visible()
        page.get_by_role("link", name="Runs", exact=True).first.click()
        page.wait_for_url(f"{url}/runs**")
        expect(page.get_by_role("row").nth(1)).to_be_visible()
        page.reload()
        expect(page.get_by_role("row").nth(1)).to_be_visible()
        page.goto("about:blank")


def test_nothing_is_loaded_from_elsewhere(visit: Open, world: Running) -> None:
    opened = visit(None)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    opened.page.on("request", note)
    for place in SCREENS:
        opened.go(place)
        expect(opened.page.get_by_role("navigation").first).to_be_visible()
    assert [url for url in asked if not url.startswith((world.url, "data:", "blob:"))] == []


def test_the_policy_lets_no_script_in(world: Running) -> None:
    answer = httpx.get(f"{world.url}/jobs")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy or "default-src 'self'" in policy
    script = next(part for part in policy.split(";") if part.strip().startswith("script-src"))
    assert "unsafe" not in script
    assert answer.headers["x-content-type-options"] == "nosniff"
