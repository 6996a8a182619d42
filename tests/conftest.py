"""Databases for tests: `database_url` runs a test on SQLite and on a real PostgreSQL."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import create_database, drop_database, running_postgres

shared_server = pytest.StashKey[tuple[ExitStack, str]]()


@contextmanager
def temporary_postgres() -> Iterator[str]:
    """A server whose data lies outside pytest's own folders, which only their owner may enter."""
    with (
        tempfile.TemporaryDirectory(prefix="headwater-pg-") as directory,
        running_postgres(Path(directory)) as url,
    ):
        yield url


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Under xdist, start one server in the controlling process and tell each worker its URL."""
    stash = node.config.stash
    if shared_server not in stash:
        stack = ExitStack()
        stash[shared_server] = (stack, stack.enter_context(temporary_postgres()))
    node.workerinput["postgres_url"] = stash[shared_server][1]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server that the workers shared."""
    if shared_server in config.stash:
        config.stash[shared_server][0].close()


@pytest.fixture(scope="session")
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a running PostgreSQL; for a database of its own a test asks for `new_postgres_database`."""
    shared = getattr(request.config, "workerinput", {}).get("postgres_url")
    if shared:
        yield shared
    else:
        with temporary_postgres() as url:
            yield url


@pytest.fixture
def new_postgres_database(postgres_url: str) -> Iterator[Callable[[], str]]:
    """A function that makes a new empty PostgreSQL database and returns its URL."""
    made: list[str] = []

    def make() -> str:
        made.append(create_database(postgres_url))
        return made[-1]

    yield make
    for url in made:
        drop_database(url)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'headwater.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a new empty database: a test that asks for it runs once on each kind."""
    if request.param == "sqlite":
        url: str = request.getfixturevalue("sqlite_url")
    else:
        url = request.getfixturevalue("new_postgres_database")()
    return url
