"""Open databases for tests of the store, made once and emptied for each test: making one takes longer than most."""

from collections.abc import Iterator

import pytest

from headwater.store.database import Database, open_database
from tests.postgres import create_database, drop_database
from tests.store.folding import empty


@pytest.fixture(scope="session")
def shared_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A SQLite database that tests take turns with."""
    opened = open_database(f"sqlite:///{tmp_path_factory.mktemp('store')}/headwater.db")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def shared_postgres(postgres_url: str) -> Iterator[Database]:
    """A PostgreSQL database that tests take turns with."""
    url = create_database(postgres_url)
    opened = open_database(url)
    yield opened
    opened.close()
    drop_database(url)


@pytest.fixture
def sqlite(shared_sqlite: Database) -> Database:
    """An empty SQLite database."""
    empty(shared_sqlite)
    return shared_sqlite


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> Database:
    """An empty database: a test that asks for it runs once on each kind."""
    opened: Database = request.getfixturevalue(f"shared_{request.param}")
    empty(opened)
    return opened
