"""Pictures of the web app: the two in the README, or with --all FOLDER every screen at three widths in both themes.

Run it with `make screenshots`. It serves the lab's pipeline from a database of its own and stops when it is done.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from tests.ui.browser import headless
from tests.ui.serving import whole_server
from tests.ui.world import fill
from ui.scripts import lab_events

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
TOPIC = "dataset:kafka://127.0.0.1:9092:orders"
TRACE = f"?node={TOPIC}&depth=3&open={TOPIC}&sel={TOPIC}&column=price"
WIDTHS = {400: 820, 1280: 800, 2560: 1440}
TABLE = "dataset:s3://warehouse:orders"
FAILED = "job:ns:nightly-report"
PLACES = {
    "graph": TRACE,
    "home": "",
    "grouped": "?group=all",
    "dataset": f"?node={TABLE}&sel={TABLE}&drawer=schema",
    "failed-job": f"?node={FAILED}&sel={FAILED}&drawer=about",
    "jobs": "jobs",
    "datasets": "datasets",
    "runs": "runs?state=FAILED",
    "streams": "streams",
    "connectors": "connectors",
    "events": "events",
    "diagnostics": "diagnostics",
    "findings": "diagnostics?kind=two-names",
}
# What a key opens, and what a server that knows nothing yet shows.
KEYS = {"edges": (TRACE, "i"), "time": (TRACE, "t"), "search": ("", "/"), "keys": ("", "?")}
EMPTY = ("", "jobs", "streams", "events", "diagnostics")


def main() -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", metavar="FOLDER", type=Path, help="every screen, to be looked at")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="headwater-pictures-") as folder,
        whole_server(Path(folder)) as server,
        headless() as browser,
    ):
        server.post(*lab_events.events())
        if options.all:
            _empty(browser, options.all)
            fill(server)
            _everything(browser, server.url, options.all)
        else:
            _readme(browser, server.url)
    return 0


def _readme(browser: Browser, url: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    for theme in THEMES:
        with _page(browser, 1360, 600, theme, scale=1.5) as page:
            _shoot(page, f"{url}/{TRACE}", PICTURES / f"graph-{theme}.png")


def _everything(browser: Browser, url: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        for width, height in WIDTHS.items():
            with _page(browser, width, height, theme) as page:
                for name, place in PLACES.items():
                    _shoot(page, f"{url}/{place}", folder / f"{name}-{width}-{theme}.png")
                for name, (place, key) in KEYS.items():
                    _shoot(page, f"{url}/{place}", folder / f"{name}-{width}-{theme}.png", key)


def _empty(browser: Browser, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="headwater-pictures-") as empty, whole_server(Path(empty)) as server:
        for width, height in WIDTHS.items():
            with _page(browser, width, height, "light") as page:
                for place in EMPTY:
                    _shoot(page, f"{server.url}/{place}", folder / f"empty-{place or 'home'}-{width}-light.png")


def _shoot(page: Page, url: str, file: Path, key: str | None = None) -> None:
    page.goto(url)
    page.wait_for_selector("main")
    page.wait_for_function("() => !document.querySelector('.spinner')")
    # Cards glide to their places.
    page.wait_for_timeout(600)
    if key:
        page.keyboard.press(key)
        page.wait_for_timeout(300)
    page.screenshot(path=file)
    print(file)


@contextmanager
def _page(browser: Browser, width: int, height: int, theme: Theme, scale: float = 1) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, device_scale_factor=scale
    )
    try:
        yield context.new_page()
    finally:
        context.close()


if __name__ == "__main__":
    sys.exit(main())
