"""The Events screen: a live tail with the raw JSON."""

from playwright.sync_api import expect

from tests.server.making import run
from tests.server.serving import Running
from tests.ui.conftest import Open


def test_an_event_appears_as_it_is_stored_and_shows_its_json(visit: Open, world: Running) -> None:
    page = visit("events?filter=tailed").page
    expect(page.get_by_text("No events match these filters")).to_be_visible()
    world.post(run("tailed", state="START"))
    row = page.get_by_role("row").filter(has_text="tailed")
    expect(row.get_by_text("START")).to_be_visible()
    row.get_by_text("START").click()
    json = page.get_by_role("region", name="the event as it was sent")
    expect(json).to_contain_text('"eventType": "START"')
    expect(json).to_contain_text('"producer": "tests"')


def test_a_list_that_stands_still_counts_what_is_new(visit: Open, world: Running) -> None:
    page = visit("events?filter=counted").page
    page.get_by_role("button", name="Follow").click()
    world.post(run("counted-1"), run("counted-2"))
    page.get_by_role("button", name="Show 2 new").click()
    expect(page.get_by_role("row").filter(has_text="counted-")).to_have_count(2)


def test_a_name_in_an_event_is_never_markup(visit: Open, world: Running) -> None:
    name = "<img src=x onerror=alert(1)><script>document.title='bad'</script>"
    world.post(run(name, state="START"))
    page = visit("events?type=START").page
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    assert page.title() != "bad"
    assert page.locator("table img").count() == 0
