"""The web app in a real browser: how soon a graph is on screen, how it moves, and how much is loaded first."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from playwright.sync_api import Browser, Page, Request

from bench import events, processes
from bench.client import BenchError, encode_posts, send
from bench.context import Context
from bench.processes import Sqlite
from bench.report import Figure, Target
from tests.ui.browser import NoBrowser, headless

GROUP = "Web app in Chromium, 1440 × 900"
HOME, NODES, MANY = 400, 1_000, 10_000
PAN_SECONDS = 3.0
PAN_STEP = 12  # pixels
PATIENCE_MS = 60_000
LONG_TASK_MS = 50.0

# Runs before the page's own scripts: notes when the graph is painted, every long task, and every frame.
WATCH = """
(() => {
  const seen = { drawn: null, tasks: [], frames: [] }
  const isThere = () => document.querySelector('.card') && !document.querySelector('.far-plane:not([data-painted])')
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
() => Math.max(...performance.getEntriesByType('resource')
  .filter((one) => one.name.includes('/api/v2/graph')).map((one) => one.responseEnd))
"""


def measure(context: Context) -> Iterator[Figure]:
    """The same page with as many nodes as home opens with, with a thousand and with ten thousand."""
    store = next((one for one in context.databases if isinstance(one, Sqlite)), Sqlite(context.directory))
    layered = store.create()
    with processes.headwater(layered) as server:
        send(server.url, encode_posts(server.url, events.layered(context.now())))
        with browsing() as browser:
            yield _first_load(browser, server.url)
            yield from _graph(browser, f"{server.url}/?limit={HOME}", HOME)
            yield from _graph(browser, f"{server.url}/?limit={NODES}&group=none", NODES)
    many = context.bulk_database(store, MANY // 10)  # ten datasets a job
    with processes.headwater(many) as server, browsing() as browser:
        yield from _graph(browser, f"{server.url}/?limit={MANY}", MANY)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser without a window."""
    try:
        with headless() as browser:
            yield browser
    except NoBrowser as error:
        raise BenchError(str(error)) from error


@contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.add_init_script(WATCH)
        yield page
    finally:
        context.close()


def _first_load(browser: Browser, url: str) -> Figure:
    """What comes over the wire before anything can be seen, the API's answers aside."""
    sizes: list[int] = []

    def note(request: Request) -> None:
        if "/api/" not in request.url:
            # Of a worker's script the browser tells no size, but the server does.
            answer = request.response()
            said = answer.headers.get("content-length", "0") if answer else "0"
            sizes.append(request.sizes()["responseBodySize"] or int(said))

    with _page(browser) as page:
        page.on("requestfinished", note)
        page.goto(f"{url}/")
        page.wait_for_selector(".card")
        page.wait_for_timeout(500)
    kilobytes = sum(sizes) / 1000
    target = Target(350, "under 350 kB")
    return Figure(GROUP, "first load, compressed", kilobytes, "kB", target=target, note=f"{len(sizes)} files")


def _graph(browser: Browser, url: str, nodes: int) -> Iterator[Figure]:
    grouped = nodes > NODES
    what = f"{nodes:,} nodes" + (", grouped" if grouped else "")
    with _page(browser) as page:
        page.goto(url)
        page.wait_for_function("() => window.__seen.drawn > 0")
        page.wait_for_timeout(1_000)
        seen: Any = page.evaluate("() => window.__seen")
        answered: float = page.evaluate(ANSWERED)
        cards = page.locator(".plane").get_attribute("data-cards")
        limit = Target(3.0, "within 3 s") if grouped else Target(1.5, "within 1.5 s of the answer")
        seconds = (seen["drawn"] - answered) / 1000
        yield Figure(GROUP, f"{what}: on screen after the answer", seconds, "s", target=limit, note=f"{cards} cards")
        frames = _pan(page)
        longest, note = _longest_block(page, answered)
        blocked = Target(0.050, "never more than 50 ms")
        what_blocked = f"{what}: longest block of the page, from the answer until it was panned"
        yield Figure(GROUP, what_blocked, longest / 1000, "s", target=blocked, note=note)
        smooth = Target(50, "50 frames/s or more")
        yield Figure(GROUP, f"{what}: while panning", frames, "frames/s", target=smooth, more_is_better=True)


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
