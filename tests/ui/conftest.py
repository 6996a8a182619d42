"""The web app in a real browser, over a real server that holds the recorded events of the lab."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.server.serving import Running
from tests.ui.serving import whole_server
from tests.ui.visiting import Visit, visiting
from tests.ui.world import BUILT, fill

Open = Callable[..., Visit]
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what uses the browser on one worker of xdist, where it shares the browser and the server."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)
            if item.config.pluginmanager.hasplugin("xdist"):
                item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that knows the lab's pipeline; tests that add to it name what they add after themselves."""
    assert BUILT.exists(), "the web app is not built; build it with: make ui"
    with whole_server(tmp_path_factory.mktemp("ui")) as server:
        fill(server)
        yield server


@pytest.fixture
def empty_world(tmp_path: Path) -> Iterator[Running]:
    """A server that knows nothing yet."""
    with whole_server(tmp_path) as server:
        yield server


@pytest.fixture
def visit(browser: Browser, world: Running) -> Iterator[Open]:
    """Open pages of the lab's server: visit("jobs"). Whatever a page complains of fails the test."""
    with visiting(browser, world.url) as open_page:
        yield open_page


@pytest.fixture
def page(visit: Open) -> Page:
    """A page of the lab's server that is not at any screen yet."""
    return visit(None).page
