"""The Connectors screen on a real worker: a connector is made, paused, changed and deleted with the page alone."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from headwater.capture.connect.worker import Worker
from headwater.pipeline.connectors.files import load, placeholders
from headwater.pipeline.settings import PipelineSettings
from tests.ui.visiting import visiting

NAME = "made-on-the-page"
SECRET = "hunter2-is-not-shown"


@pytest.fixture
def clean_worker(settings: PipelineSettings) -> Iterator[None]:
    """No connector of ours before and after."""
    with Worker(settings.connect.url) as worker:
        worker.delete(NAME)
        yield
        worker.delete(NAME)


@pytest.mark.usefixtures("clean_worker")
def test_a_connector_is_made_paused_changed_and_deleted_with_the_page(
    browser: Browser, settings: PipelineSettings
) -> None:
    config = {**load("orders-s3-objects", placeholders(settings)).config, "sasl.password": SECRET}
    with visiting(browser, settings.lineage.url) as open_page:
        page = open_page("connectors", height=1000).page
        _create(page, config)
        row = page.get_by_role("row").filter(has_text=NAME)
        expect(row.get_by_text("running", exact=True)).to_be_visible(timeout=30_000)
        row.click()
        panel = page.locator(".panel")
        expect(panel.get_by_text("Task 0")).to_be_visible(timeout=30_000)
        expect(panel.get_by_role("region", name="settings")).to_contain_text("connector.class")
        assert SECRET not in page.content()
        _pause_and_resume(panel)
        _change(page, panel)
        _delete(page, panel)
        expect(row).to_have_count(0, timeout=30_000)


def _create(page: Page, config: dict[str, str]) -> None:
    page.get_by_role("button", name="New connector").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_role("textbox")
    wrong = {key: value for key, value in config.items() if key != "topics"}
    field.fill(json.dumps({"name": NAME, "config": wrong}))
    dialog.get_by_role("button", name="Check").click()
    expect(dialog.locator(".problems")).to_contain_text("topics", timeout=30_000)
    field.fill(json.dumps({"name": NAME, "config": config}))
    dialog.get_by_role("button", name="Create").click()
    expect(dialog).to_be_hidden(timeout=30_000)


def _pause_and_resume(panel: Locator) -> None:
    panel.get_by_role("button", name="Pause").click()
    expect(panel.get_by_role("button", name="Resume")).to_be_visible(timeout=30_000)
    panel.get_by_role("button", name="Resume").click()
    expect(panel.get_by_role("button", name="Pause")).to_be_visible(timeout=30_000)


def _change(page: Page, panel: Locator) -> None:
    panel.get_by_role("button", name="Edit…").click()
    field = page.get_by_role("dialog").get_by_role("textbox")
    shown = json.loads(field.input_value())
    assert SECRET not in field.input_value()
    shown["config"]["errors.log.enable"] = "true"
    field.fill(json.dumps(shown))
    page.get_by_role("button", name="Save").click()
    expect(panel.get_by_role("region", name="settings")).to_contain_text("errors.log.enable", timeout=30_000)


def _delete(page: Page, panel: Locator) -> None:
    panel.get_by_role("button", name="Delete…").click()
    question = page.get_by_role("dialog")
    expect(question.get_by_text(NAME)).to_be_visible()
    question.get_by_role("button", name="Delete it").click()
    expect(panel).to_be_hidden(timeout=30_000)
