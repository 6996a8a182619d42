"""The Streams screen."""

from playwright.sync_api import expect

from tests.server.making import run
from tests.server.serving import Running
from tests.ui.conftest import Open
from tests.ui.world import STREAM, stream


def test_a_stream_shows_its_figures_and_how_they_went(visit: Open) -> None:
    page = visit("streams?filter=supplier-stats-live").page
    card = page.get_by_role("listitem").filter(has_text="supplier-stats-live")
    for label in ("Rows in", "Can process", "Batch time", "Lag", "Watermark behind", "State size"):
        expect(card.get_by_text(label, exact=True)).to_be_visible()
    expect(card.get_by_role("img", name="Rows in, the last 20 reports")).to_be_visible()


def test_a_report_moves_the_figures_by_itself(visit: Open, world: Running) -> None:
    world.post(*stream("moves", 2))
    page = visit("streams?filter=moves").page
    card = page.get_by_role("listitem").filter(has_text="moves")
    expect(card.get_by_text("9.1k/s")).to_be_visible()
    said = {"headwater_streamProgress": {"inputRowsPerSecond": 123, "_producer": "tests", "_schemaURL": "x"}}
    world.post(run("moves", state="RUNNING", run="moves", at="2030-01-01T00:00:00Z", run_facets=said))
    expect(card.get_by_text("123/s")).to_be_visible()


def test_a_restarted_stream_keeps_its_last_error_in_sight(visit: Open, world: Running) -> None:
    error = {"errorMessage": {"message": "broker went away", "programmingLanguage": "JAVA"}}
    world.post(
        run("restarted", state="FAIL", run="restarted 1", job_facets=STREAM, run_facets=error),
        run("restarted", at="2026-01-02T00:00:00Z", state="START", run="restarted 2", job_facets=STREAM),
    )
    page = visit("streams?filter=restarted").page
    card = page.get_by_role("listitem").filter(has_text="restarted")
    expect(card.get_by_text("broker went away")).to_be_visible()
    expect(card.get_by_text("restarted once")).to_be_visible()
