"""The Jobs screen."""

from playwright.sync_api import expect

from tests.server.making import run
from tests.server.serving import Running, wait_until
from tests.ui.conftest import Open


def test_a_filter_is_in_the_address_and_a_link_shows_the_same(visit: Open) -> None:
    page = visit("jobs").page
    page.get_by_role("searchbox", name="Filter by name").fill("nightly")
    row = page.get_by_role("row").filter(has_text="nightly-report")
    expect(row).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_text("1 job", exact=True)).to_be_visible()
    page.wait_for_url("**/jobs?filter=nightly")
    again = visit("jobs?filter=nightly").page
    expect(again.get_by_role("row")).to_have_count(2)


def test_states_and_the_last_runs_are_told_in_words_too(visit: Open) -> None:
    page = visit("jobs?state=FAILED&filter=nightly").page
    row = page.get_by_role("row").filter(has_text="nightly-report")
    expect(row.get_by_text("failed", exact=True)).to_be_visible()
    expect(row.get_by_role("img", name="7 last runs, 1 failed")).to_be_visible()


def test_a_column_sorts_both_ways(visit: Open) -> None:
    page = visit("jobs").page
    page.get_by_role("button", name="Job", exact=True).click()
    page.wait_for_url("**/jobs?sort=name")
    header = page.get_by_role("columnheader", name="Job")
    expect(header).to_have_attribute("aria-sort", "ascending")
    header.get_by_role("button").click()
    page.wait_for_url("**/jobs?sort=-name")
    expect(header).to_have_attribute("aria-sort", "descending")


def test_a_new_job_appears_by_itself(visit: Open, world: Running) -> None:
    page = visit("jobs?filter=appears-by-itself").page
    expect(page.get_by_text("No jobs match these filters")).to_be_visible()
    world.post(run("appears-by-itself", "a", "b", state="START"))
    row = page.get_by_role("row").filter(has_text="appears-by-itself")
    expect(row.get_by_text("running")).to_be_visible()
    world.post(run("appears-by-itself", state="FAIL"))
    expect(row.get_by_text("failed")).to_be_visible()


def test_arrow_keys_move_and_enter_opens_the_graph(visit: Open) -> None:
    page = visit("jobs?filter=nightly-report").page
    row = page.get_by_role("row").filter(has_text="nightly-report")
    expect(row).to_be_visible()
    row.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?node=job:ns:nightly-report**")


def test_far_down_a_long_list_only_what_is_in_sight_is_drawn(visit: Open, world: Running) -> None:
    world.post(*(run(f"many-{number:03}", at="2026-01-01T00:00:00Z") for number in range(250)))
    page = visit("jobs?filter=many-&sort=name").page
    first = page.get_by_role("row").filter(has_text="many-000")
    expect(first).to_be_visible()
    first.focus()
    last = page.get_by_text("many-249")

    def at_the_end() -> bool:
        page.keyboard.press("End")
        return last.is_visible()

    wait_until(at_the_end)
    assert page.locator("tbody tr").count() < 80
