"""The Diagnostics screen."""

from playwright.sync_api import expect

from tests.ui.conftest import Open


def test_it_opens_on_what_was_refused_and_shows_what_was_sent(visit: Open) -> None:
    page = visit("diagnostics").page
    expect(page.get_by_role("button", name="Rejected")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("row").nth(1).click()
    expect(page.get_by_role("region", name="what was sent")).to_contain_text('"eventType": "START"')


def test_one_dataset_under_two_names_is_found(visit: Open) -> None:
    page = visit("diagnostics").page
    page.get_by_role("button", name="One dataset under two names").click()
    item = page.get_by_role("listitem").filter(has_text="s3a://lake")
    expect(item.get_by_text("s3://lake", exact=True)).to_be_visible()
    expect(item.get_by_text("symlinks facet")).to_be_visible()


def test_nothing_of_a_kind_says_what_the_kind_is(visit: Open) -> None:
    page = visit("diagnostics?kind=out-of-order").page
    expect(page.get_by_role("heading", name="Out of order: none")).to_be_visible()
