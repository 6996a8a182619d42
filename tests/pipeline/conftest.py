"""One small Spark for all of these tests, on the jars that the lab uses, and the few services that jobs talk to."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from headwater.pipeline.session import build_session, catalog_conf
from headwater.pipeline.settings import (
    S3,
    SETTINGS_VARIABLE,
    Catalog,
    Kafka,
    PipelineSettings,
    Registry,
    Spark,
    read_settings,
)
from headwater.stack.board import Board
from headwater.stack.download import download, repository
from headwater.stack.handover import pipeline_settings as settings_of
from headwater.stack.jars import read_lock
from headwater.stack.java import find_java
from headwater.stack.lab import Lab, open_lab, user_cache
from headwater.stack.services import SERVICES
from headwater.stack.stopping import down
from headwater.stack.supervisor import up
from tests.pipeline.world import World, new_world

# What the Spark jobs need of the lab.
NEEDED = ("kafka", "registry", "object-store", "metastore")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what uses Spark on one worker of xdist, where they share a session."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
            # PySpark leaves it to the garbage collector to close the sockets that it collects rows from.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            if not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def spark_jars() -> tuple[str, ...]:
    """The jars of the jobs, downloaded once for each user."""
    artifacts = read_lock()["spark"]
    cache = user_cache(os.environ) / "jars"
    download(artifacts, cache, repository(os.environ))
    return tuple(str(cache / artifact.path) for artifact in artifacts)


@pytest.fixture(scope="session")
def local_settings(tmp_path_factory: pytest.TempPathFactory, spark_jars: tuple[str, ...]) -> PipelineSettings:
    """Settings that need no service: tables in a temporary folder, and addresses at which nobody answers."""
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
    """The session that every test of a transform shares."""
    os.environ["JAVA_HOME"] = str(find_java(os.environ).parent.parent)
    session = build_session(local_settings, "tests")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """A lab of which the services run that Spark jobs talk to."""
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as folder:
        lab = open_lab(os.environ, Path(folder), home=Path(folder) / "lab")
        try:
            yield up(lab, SERVICES, NEEDED, Board(Console(quiet=True)), more_jars=["spark"]).lab
        finally:
            down(lab, SERVICES, (), Board(Console(quiet=True)))


@pytest.fixture(scope="session")
def pipeline_settings(request: pytest.FixtureRequest, spark_jars: tuple[str, ...]) -> PipelineSettings:
    """How jobs reach the lab: one that HEADWATER_PIPELINE names and that runs already, or one for these tests."""
    if running := os.environ.get(SETTINGS_VARIABLE):
        settings = read_settings(Path(running))
    else:
        settings = settings_of(request.getfixturevalue("lab"))
    return replace(settings, spark=replace(settings.spark, jars=spark_jars, event_log="", shuffle_partitions=2))


@pytest.fixture
def world(
    spark: SparkSession, pipeline_settings: PipelineSettings, tmp_path: Path, request: pytest.FixtureRequest
) -> World:
    """Topics, tables and checkpoints of this test alone, on services that all tests share."""
    world = new_world(pipeline_settings, tmp_path)
    # A catalog is looked up by its name when it is first used, so a running session can be given another.
    for key, value in catalog_conf(world.settings).items():
        spark.conf.set(key, value)
    return world
