"""`server`: one on each kind of database. `any_server`: one shared by tests to which the database is nothing."""

from collections.abc import Iterator

import pytest

from headwater.store.database import Database
from tests.server.serving import Running, serving


@pytest.fixture
def server(database: Database) -> Iterator[Running]:
    """A running server over an empty database."""
    url = database.engine.url.set(drivername=database.dialect)
    with serving(url.render_as_string(hide_password=False)) as running:
        yield running


@pytest.fixture(scope="session")
def any_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running server that tests share; what they store there, they name after themselves."""
    with serving(f"sqlite:///{tmp_path_factory.mktemp('any') / 'headwater.db'}") as running:
        yield running
