"""Real parts that tests of several folders share: databases, a lab of running services, and a Spark session."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from headwater.artifacts import download, repository, user_cache
from headwater.stack.java import find_java
from headwater.stack.lab import Lab
from headwater.store.database import Database, open_database
from tests.postgres import create_database, drop_database, running_postgres
from tests.store.folding import empty

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pyspark.sql import SparkSession

    from headwater.pipeline.settings import PipelineSettings

# The jars of another Spark, if the tests run on one: see tests/matrix.py.
JARS_VARIABLE = "HEADWATER_TEST_JARS"
shared_server = pytest.StashKey[tuple[ExitStack, str]]()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what uses the running lab on one worker of xdist, and what uses only Spark on one; and give it time."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        # The settings of the pipeline are those of the running lab.
        on_lab = not used.isdisjoint(("running_lab", "pipeline_settings"))
        if on_lab or "spark" in used:
            item.add_marker(pytest.mark.xdist_group("lab" if on_lab else "spark"))
            item.add_marker(pytest.mark.slow)
            # PySpark leaves it to the garbage collector to close the sockets that it collects rows from.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            if not item.get_closest_marker("timeout"):
                # The first of them all may have to download the jars.
                item.add_marker(pytest.mark.timeout(900))


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


# -- databases that tests take turns with, emptied for each: making one takes longer than most tests -----------


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


# -- a lab and a Spark session ---------------------------------------------------------------------


@pytest.fixture(scope="session")
def running_lab() -> Iterator[Lab]:
    """A lab whose services all run, for tests that use them and kill none."""
    from tests.stack.real import new_lab, start_all

    with new_lab("lab") as lab:
        yield start_all(lab)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without a window. Its driver keeps an event loop running, which is to be gone before other tests."""
    from tests.ui.browser import headless

    with headless() as started:
        yield started


@pytest.fixture(scope="session")
def spark_jars() -> tuple[str, ...]:
    """The jars of Spark jobs, downloaded once for each user."""
    if given := os.environ.get(JARS_VARIABLE):
        return tuple(given.split(","))
    from headwater.stack.jars.sets import read_lock

    artifacts = read_lock()["spark"]
    cache = user_cache(os.environ) / "jars"
    download(artifacts, cache, repository(os.environ))
    return tuple(str(cache / artifact.path) for artifact in artifacts)


@pytest.fixture(scope="session")
def local_settings(tmp_path_factory: pytest.TempPathFactory, spark_jars: tuple[str, ...]) -> PipelineSettings:
    """Settings that need no service: tables in a temporary folder, and addresses at which nobody answers."""
    from headwater.pipeline.settings import S3, Catalog, Kafka, PipelineSettings, Registry, Spark

    folder = tmp_path_factory.mktemp("pipeline")
    return PipelineSettings(
        kafka=Kafka(bootstrap="127.0.0.1:1"),
        registry=Registry(url="http://127.0.0.1:1"),
        catalog=Catalog(name="local_ib", type="hadoop", warehouse=f"file://{folder}/warehouse"),
        s3=S3(archive="s3://fh-dev-bucket/orders"),
        spark=Spark(
            master="local[2]",
            checkpoints=f"file://{folder}/checkpoints",
            jars=spark_jars,
            shuffle_partitions=2,
            conf={"spark.sql.warehouse.dir": f"file://{folder}/spark"},
        ),
    )


@pytest.fixture(scope="session")
def spark(local_settings: PipelineSettings) -> Iterator[SparkSession]:
    """A small Spark on the jars that the lab uses, the only one of its process."""
    from headwater.pipeline.session import build_session

    os.environ["JAVA_HOME"] = str(find_java(os.environ).parent.parent)
    session = build_session(local_settings, "tests")
    yield session
    session.stop()
