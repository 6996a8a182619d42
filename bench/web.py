"""The web app in a real browser: how soon a graph is on screen, how it moves, and how much is loaded first."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Request

from bench import events, marquez_page, processes
from bench.client import BenchError, encode_posts, send
from bench.context import Context
from bench.pages import Look, looked, opened
from bench.processes import Sqlite
from bench.report import Figure, Target
from tests.ui.browser import NoBrowser, headless

GROUP = "Web app in Chromium, 1440 × 900"
HOME, NODES, MANY = 400, 1_000, 10_000

# Our page: a card, and where there are many the picture of them.
DRAWN = "document.querySelector('.card') && !document.querySelector('.far-plane:not([data-painted])')"
ANSWER = "/api/v2/graph"


def measure(context: Context) -> Iterator[Figure]:
    """The same page with as many nodes as home opens with, with a thousand and with ten thousand."""
    store = next((one for one in context.databases if isinstance(one, Sqlite)), Sqlite(context.directory))
    layered = store.create()
    with processes.headwater(layered) as server:
        send(server.url, encode_posts(server.url, events.layered(context.now())))
        with browsing() as browser:
            yield _first_load(browser, server.url)
            yield from _graph(browser, f"{server.url}/?limit={HOME}", HOME)
            folder = context.marquez_web
            marquez = marquez_page.look(browser, server.url, folder) if folder else None
            yield from _graph(browser, f"{server.url}/?limit={NODES}&group=none", NODES, marquez)
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


def _first_load(browser: Browser, url: str) -> Figure:
    """What comes over the wire before anything can be seen, the API's answers aside."""
    sizes: list[int] = []

    def note(request: Request) -> None:
        if "/api/" not in request.url:
            # Of a worker's script the browser tells no size, but the server does.
            answer = request.response()
            said = answer.headers.get("content-length", "0") if answer else "0"
            sizes.append(request.sizes()["responseBodySize"] or int(said))

    with opened(browser, DRAWN) as page:
        page.on("requestfinished", note)
        page.goto(f"{url}/")
        page.wait_for_selector(".card")
        page.wait_for_timeout(500)
    kilobytes = sum(sizes) / 1000
    target = Target(350, "under 350 kB")
    return Figure(GROUP, "first load, compressed", kilobytes, "kB", target=target, note=f"{len(sizes)} files")


def _graph(browser: Browser, url: str, nodes: int, marquez: Look | None = None) -> Iterator[Figure]:
    grouped = nodes > NODES
    what = f"{nodes:,} nodes" + (", grouped" if grouped else "")
    with opened(browser, DRAWN) as page:
        page.goto(url)
        ours = looked(page, ANSWER)
        cards = page.locator(".plane").get_attribute("data-cards")
    yield Figure(
        GROUP,
        f"{what}: on screen after the answer",
        ours.seconds,
        "s",
        marquez=marquez.seconds if marquez else None,
        target=Target(3.0, "within 3 s") if grouped else Target(1.5, "within 1.5 s of the answer"),
        note=f"{cards} cards",
    )
    yield Figure(
        GROUP,
        f"{what}: longest block of the page, from the answer until it was panned",
        ours.longest,
        "s",
        marquez=marquez.longest if marquez else None,
        target=Target(0.050, "never more than 50 ms"),
        note=ours.note,
    )
    yield Figure(
        GROUP,
        f"{what}: while panning",
        ours.frames,
        "frames/s",
        marquez=marquez.frames if marquez else None,
        target=Target(50, "50 frames/s or more"),
        more_is_better=True,
    )
