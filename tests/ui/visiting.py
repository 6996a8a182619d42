"""Pages that must not complain: an error in the console, an exception or a broken policy fails the test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

DEADLINE_MS = 15_000
Theme = Literal["light", "dark"]

expect.set_options(timeout=DEADLINE_MS)


class Visit:
    """An open page and what it complained of."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self.allowed: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("console", self._heard)

    def go(self, place: str) -> Page:
        """Open a place such as "jobs?state=FAILED"."""
        self.page.goto(f"{self.url}/{place}")
        return self.page

    def allow(self, part: str) -> None:
        """Expect complaints that have this text, where a test breaks something on purpose."""
        self.allowed.append(part)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} at {message.location.get('url')}")

    def check(self) -> None:
        """Fail if the page complained."""
        left = [one for one in self.complaints if not any(part in one for part in self.allowed)]
        assert not left, "\n".join(left)


@contextmanager
def visiting(browser: Browser, url: str) -> Iterator[Callable[..., Visit]]:
    """A function that opens a place in a context of its own; at the end every page is checked and closed."""
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def open_page(
        place: str | None, *, width: int = 1280, height: int = 800, theme: Theme = "light", **more: Any
    ) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce", **more
        )
        context.set_default_timeout(DEADLINE_MS)
        contexts.append(context)
        visit = Visit(context.new_page(), url)
        visits.append(visit)
        if place is not None:
            visit.go(place)
        return visit

    try:
        yield open_page
        for visit in visits:
            visit.check()
    finally:
        for context in contexts:
            with suppress(Exception):  # a browser that died has said so already
                context.close()
