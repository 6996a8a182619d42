"""Marquez's own page, as somebody has built it, on a graph of our server, which answers its questions."""

import mimetypes
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Route

from bench.events import LAYERED_NAMESPACE
from bench.pages import Look, looked, opened

# The whole graph around a job: a thousand nodes at this depth.
PLACE = f"/lineage/job/{LAYERED_NAMESPACE}/layer_10.job_25?depth=5&isFull=true"
DRAWN = "document.querySelectorAll('svg foreignObject, svg g text').length > 1"
ANSWER = "/api/v1/lineage"


def look(browser: Browser, url: str, folder: Path) -> Look:
    """How the page in this folder does with the layered graph of the server at this address."""

    def serve(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith("/api/"):
            route.continue_()
            return
        # Whatever is no file is a place in the page, which index.html finds.
        file = next((each for each in (folder / path.lstrip("/"), folder / Path(path).name) if each.is_file()), None)
        file = file or folder / "index.html"
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        route.fulfill(body=file.read_bytes(), content_type=kind)

    with opened(browser, DRAWN) as page:
        page.route("**/*", serve)
        page.goto(f"{url}{PLACE}")
        return looked(page, ANSWER)
