"""How these tests reach the services of a lab, and what each has there for itself."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater.pipeline.session import catalog_conf
from headwater.pipeline.settings import SETTINGS_VARIABLE, PipelineSettings, read_settings
from headwater.stack.handover import pipeline_settings as settings_of
from tests.pipeline.world import World, new_world


@pytest.fixture(scope="session")
def pipeline_settings(request: pytest.FixtureRequest, spark_jars: tuple[str, ...]) -> PipelineSettings:
    """How jobs reach the lab: one that HEADWATER_PIPELINE names and that runs already, or the one of these tests."""
    if running := os.environ.get(SETTINGS_VARIABLE):
        settings = read_settings(Path(running))
    else:
        settings = settings_of(request.getfixturevalue("running_lab"))
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
