"""Reading a list to its end, page by page."""

from typing import Any

from tests.server.serving import Running


def walk(server: Running, path: str, limit: int, **params: object) -> list[Any]:
    """Every row of a list, read in pages of `limit`."""
    noun = path.rpartition("/")[2]
    rows: list[Any] = []
    cursor: dict[str, object] = {}
    while True:
        page: Any = server.get(path, limit=limit, **params, **cursor)
        assert len(page[noun]) <= limit
        rows += page[noun]
        if page["cursor"] is None:
            return rows
        assert len(page[noun]) == limit, "only the last page is short"
        cursor = {"cursor": page["cursor"]}


def total(server: Running, path: str, **params: Any) -> int | None:
    """How many rows a list says that it has in all."""
    page: Any = server.get(path, **params)
    found: int | None = page["total"]
    return found
