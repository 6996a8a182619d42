"""A real browser for the tests: one that is there, or one that `python -m tests.ui.browser` gets."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
ADVICE = "no browser found; get one with: make browser (or name one: HEADWATER_BROWSER=/path/to/chromium)"

# Without a sandbox, because root may have none; the pages are our own.
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")


class NoBrowser(Exception):
    """There is no browser on this machine."""


def find_browser() -> str | None:
    """A Chromium or Chrome: the one that HEADWATER_BROWSER names, one on the path, or one that Playwright has."""
    named = os.environ.get("HEADWATER_BROWSER")
    if named:
        return named if Path(named).exists() else None
    installed = next((path for path in (*map(shutil.which, NAMES), *PLACES) if path and Path(path).exists()), None)
    return installed or _downloaded()


def _downloaded() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


@contextmanager
def headless() -> "Iterator[Browser]":
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        raise NoBrowser(ADVICE)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        try:
            yield started
        finally:
            started.close()


def get_browser() -> str | None:
    """Install a browser: Debian's where we may, else the one that Playwright downloads."""
    debian = os.geteuid() == 0 and shutil.which("apt-get")
    ways = [["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]] if debian else []
    for command in (*ways, [sys.executable, "-m", "playwright", "install", "chromium"]):
        print(f"==> {' '.join(command)}", flush=True)
        subprocess.run(command, check=False)
        if found := find_browser():
            return found
    return None


def main(say: Callable[[str], object] = print) -> int:
    """Make sure that there is a browser."""
    found = find_browser() or get_browser()
    say(f"the tests use {found}" if found else ADVICE)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
