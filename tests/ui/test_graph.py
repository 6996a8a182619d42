"""The Graph screen: the path of a column, live state, the past, and no mouse."""

from playwright.sync_api import Locator, Page, expect

from tests.server.making import dataset, run
from tests.server.serving import Running
from tests.ui.conftest import Open
from tests.ui.world import ago

TABLE = "dataset:ns:orders-table"


def card(page: Page, id: str) -> Locator:
    """The card of a node."""
    return page.locator(f'.card[data-id="{id}"]')


def test_a_column_lights_its_whole_path_up_and_down(visit: Open, world: Running) -> None:
    page = visit(f"?node={TABLE}&depth=5", width=2560, height=1200).page
    page.get_by_role("button", name="Show the columns of orders-table").click()
    page.get_by_role("button", name="price decimal(10,2)").click()
    for name, column in (("shop.orders", "price"), ("orders-topic", "price"), ("supplier-totals", "total_price")):
        lit = card(page, f"dataset:ns:{name}").locator(".column[data-lit]")
        expect(lit).to_have_count(1)
        expect(lit).to_contain_text(column)
    assert "column=price" in page.url
    again = visit(page.url.removeprefix(world.url).lstrip("/"), width=2560, height=1200).page
    expect(card(again, "dataset:ns:supplier-totals").locator(".column[data-lit]")).to_contain_text("total_price")


def test_the_state_of_a_job_changes_as_an_event_arrives(visit: Open, world: Running) -> None:
    world.post(run("watched", "watched-in", "watched-out", state="START"))
    page = visit("?node=job:ns:watched").page
    watched = card(page, "job:ns:watched")
    expect(watched).to_have_attribute("data-state", "running")
    before = watched.bounding_box()
    world.post(run("watched", state="FAIL"))
    expect(watched).to_have_attribute("data-state", "failed")
    assert watched.bounding_box() == before, "a refresh moves nothing"


def test_the_past_shows_the_graph_as_it_was(visit: Open) -> None:
    page = visit(f"?node={TABLE}&depth=5&at=2026-01-20T00:00:00Z").page
    expect(card(page, "dataset:ns:orders-topic")).to_be_visible()
    expect(card(page, "dataset:ns:supplier-totals")).to_have_count(0)
    now = visit(f"?node={TABLE}&depth=5").page
    expect(card(now, "dataset:ns:supplier-totals")).to_be_visible()


def test_two_times_show_what_was_added(visit: Open) -> None:
    page = visit(f"?node={TABLE}&depth=5&since=2026-01-20T00:00:00Z").page
    expect(card(page, "dataset:ns:supplier-totals")).to_have_attribute("data-mark", "added")


def test_the_keyboard_alone_finds_a_node_and_walks_from_it(visit: Open) -> None:
    page = visit("jobs").page
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("supplier-totals")
    option = page.get_by_role("dialog").get_by_role("option").first
    expect(option).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?node=**supplier-totals**")
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url("**/datasets")


def test_the_keyboard_alone_learns_how_edges_are_known_and_columns_made(visit: Open) -> None:
    page = visit(f"?node={TABLE}&depth=5&sel={TABLE}&column=price").page
    expect(card(page, "dataset:ns:supplier-totals").locator(".column[data-lit]")).to_be_visible()
    page.keyboard.press("i")
    edges = page.get_by_role("dialog", name="Edges of orders-table")
    expect(edges.get_by_role("button", name="price → price direct · identity").first).to_be_focused()
    expect(page.locator(".strand[data-pointed]")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(edges.get_by_role("button", name="price → total_price direct · identity")).to_be_focused()
    observed = edges.get_by_role("button", name="orders-ingestion → orders-table Writes observed in a run")
    expect(observed).to_contain_text("Reported by tests")
    page.keyboard.press("Escape")
    expect(edges).to_be_hidden()
    expect(card(page, TABLE).locator(".title")).to_be_focused()


def test_the_keyboard_alone_opens_a_dataset_and_lights_a_column(visit: Open) -> None:
    page = visit(f"?node={TABLE}&sel={TABLE}", width=2560, height=1200).page
    title = card(page, TABLE).locator(".title")
    title.focus()
    page.keyboard.press("e")
    column = card(page, TABLE).get_by_role("button", name="price decimal(10,2)")
    expect(column).to_be_visible()
    for _ in ("id", "price"):
        page.keyboard.press("Tab")
    expect(column).to_be_focused()
    page.keyboard.press("Enter")
    expect(column).to_have_attribute("aria-pressed", "true")


def test_what_matters_now_is_marked_on_a_card(visit: Open, world: Running) -> None:
    for hours, columns in ((30, "id"), (1, "id mail")):
        world.post(run("marked", "", [dataset("marked-table", columns)], at=ago(hours=hours)))
    tagged = world.http.post("/api/v1/namespaces/ns/datasets/marked-table/fields/mail/tags/PII")
    assert tagged.is_success, tagged.text
    page = visit("?node=dataset:ns:marked-table&open=dataset:ns:marked-table").page
    marked = card(page, "dataset:ns:marked-table")
    expect(marked.locator(".badge")).to_have_text(["PII", "new schema"])
    expect(marked.get_by_role("button", name="mail tagged PII")).to_be_visible()


def test_many_cards_from_far_away_are_one_picture_that_can_be_clicked(visit: Open, empty_world: Running) -> None:
    empty_world.post(*(run(f"job{number}", "source", f"sink{number}") for number in range(151)))
    opened = visit(None)
    opened.url = empty_world.url
    page = opened.go("")
    picture = page.locator("canvas.far-plane[data-painted]")
    expect(picture).to_be_visible()
    assert page.locator(".card").count() < 50
    box = page.locator(".plane").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("complementary")).to_be_visible()


def test_home_shows_the_newest_part_without_a_click(visit: Open) -> None:
    page = visit("").page
    expect(page.locator(".card").first).to_be_visible()
    assert page.locator(".card").count() > 3


def test_an_empty_server_says_how_to_send_the_first_event(visit: Open, empty_world: Running) -> None:
    opened = visit(None)
    opened.url = empty_world.url
    page = opened.go("")
    expect(page.get_by_text("/api/v1/lineage").first).to_be_visible()
    wide = page.viewport_size
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.locator(".first-event").evaluate("(one) => one.scrollWidth") <= 400
    assert wide is not None
    page.set_viewport_size(wide)
    page.get_by_role("button", name="sample").click()
    expect(page.locator(".card").first).to_be_visible()
