"""A page with a graph in a real browser: how soon it is there, how long it stands still, and how it moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

PAN_SECONDS = 3.0
PAN_STEP = 12  # pixels
PATIENCE_MS = 300_000
LONG_TASK_MS = 50.0

# Runs before the page's own scripts: notes when the graph is painted, every long task, and every frame.
WATCH = """
(() => {
  const seen = { drawn: null, tasks: [], frames: [] }
  const isThere = () => DRAWN
  window.__seen = seen
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) seen.tasks.push([task.startTime, task.duration])
  }).observe({ type: 'longtask', buffered: true })
  const frame = (now) => {
    seen.frames.push(now)
    if (seen.drawn === null && isThere()) {
      seen.drawn = -1
      requestAnimationFrame(() => { seen.drawn = performance.now() })
    }
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})()
"""
ANSWERED = """
(path) => Math.max(...performance.getEntriesByType('resource')
  .filter((one) => one.name.includes(path)).map((one) => one.responseEnd))
"""


class Look(NamedTuple):
    """Seconds from the answer until the graph was painted, the longest block in seconds, and frames a second."""

    seconds: float
    longest: float
    frames: float
    note: str


@contextmanager
def opened(browser: Browser, drawn: str) -> Iterator[Page]:
    """A page that is watched; `drawn` is true in it once the graph is there."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.add_init_script(WATCH.replace("DRAWN", drawn))
        yield page
    finally:
        context.close()


def looked(page: Page, path: str) -> Look:
    """How a page does that is being loaded, after the last answer to a question of this path."""
    page.wait_for_function("() => window.__seen.drawn > 0")
    page.wait_for_timeout(1_000)
    drawn: float = page.evaluate("() => window.__seen.drawn")
    answered: float = page.evaluate(ANSWERED, path)
    frames = _pan(page)
    longest, note = _longest_block(page, answered)
    return Look((drawn - answered) / 1000, longest / 1000, frames, note)


def _longest_block(page: Page, answered: float) -> tuple[float, str]:
    """The longest task after a time, also one that had begun by then, in milliseconds.

    A browser tells of tasks of 50 ms or more. Without any, the longest wait for a frame is at least as long as the
    longest task.
    """
    seen: Any = page.evaluate("() => window.__seen")
    longest = max((ms for at, ms in seen["tasks"] if at + ms >= answered), default=0.0)
    if longest:
        return longest, ""
    waits = [after - before for before, after in pairwise(seen["frames"]) if after >= answered]
    return min(LONG_TASK_MS, max(waits)), "at most: no task of 50 ms, and no longer wait for a frame"


def _pan(page: Page) -> float:
    """Drag the graph to and fro, and count what is painted."""
    page.mouse.move(720, 600)
    page.mouse.down()
    began: float = page.evaluate("() => performance.now()")
    x, step = 720, PAN_STEP
    while page.evaluate("() => performance.now()") - began < PAN_SECONDS * 1000:
        x += step
        if not 300 < x < 1100:
            step = -step
        page.mouse.move(x, 600)
    frames: list[float] = page.evaluate("began => window.__seen.frames.filter((at) => at >= began)", began)
    page.mouse.up()
    return (len(frames) - 1) / ((frames[-1] - frames[0]) / 1000)
