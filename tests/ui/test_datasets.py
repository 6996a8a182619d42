"""The Datasets screen."""

from playwright.sync_api import expect

from tests.server.making import dataset, run
from tests.server.serving import Running
from tests.ui.conftest import Open


def test_a_dataset_shows_its_store_columns_and_other_names(visit: Open) -> None:
    page = visit("datasets?filter=orders&scheme=s3").page
    row = page.get_by_role("row").filter(has_text="s3://warehouse").first
    expect(row.get_by_role("img", name="Iceberg")).to_be_visible()
    expect(row.get_by_text("other name")).to_be_visible()


def test_a_dataset_leads_to_its_place_in_the_graph(visit: Open) -> None:
    page = visit("datasets?filter=supplier-stats&scheme=kafka").page
    page.get_by_role("link", name="supplier-stats").first.click()
    page.wait_for_url("**/?node=dataset:**")


def test_a_tag_that_is_found_lists_what_has_it(visit: Open, world: Running) -> None:
    world.post(run("tagging", "", [dataset("tagged-table", "id mail")]))
    tagged = world.http.post("/api/v1/namespaces/ns/datasets/tagged-table/fields/mail/tags/LISTED")
    assert tagged.is_success, tagged.text
    page = visit("jobs").page
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("listed")
    page.get_by_role("option", name="Tag LISTED").click()
    page.wait_for_url("**/datasets?tag=LISTED")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("link", name="tagged-table")).to_be_visible()
    page.get_by_role("button", name="Tag LISTED").click()
    expect(page.get_by_role("row").nth(3)).to_be_visible()


def test_a_filter_that_nothing_passes_says_so_and_can_be_cleared(visit: Open) -> None:
    page = visit("datasets?filter=no-such-thing").page
    expect(page.get_by_text("No datasets match these filters")).to_be_visible()
    page.get_by_role("link", name="Clear the filters").click()
    expect(page.get_by_role("row").nth(3)).to_be_visible()
