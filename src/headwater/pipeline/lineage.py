"""The lineage of the pipeline's jobs: reported when the settings name a server for it."""

from pyspark.sql import SparkSession

from headwater.pipeline.settings import PipelineSettings
from headwater.spark import attach


def attach_lineage(spark: SparkSession, settings: PipelineSettings, application: str) -> None:
    """Report what the session does from now on, as part of an application of this name."""
    if settings.lineage.url:
        attach(spark, name=application)
