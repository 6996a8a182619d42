"""The server as `headwater serve` puts it together: its own routes, and those about connectors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headwater.cli.serve import watching
from headwater.settings import load_settings
from tests.server.serving import Running, serving

NOWHERE = "http://127.0.0.1:9"


@contextmanager
def whole_server(folder: Path) -> Iterator[Running]:
    """A server with its database in a folder, which watches no Connect cluster."""
    settings = load_settings({}, {}, folder)
    with (
        watching(settings, NOWHERE, {"HEADWATER_OUTBOX": str(folder / "outbox")}) as routes,
        serving(f"sqlite:///{folder / 'headwater.db'}", more=routes) as server,
    ):
        yield server
