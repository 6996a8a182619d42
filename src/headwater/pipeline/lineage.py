"""The lineage of the pipeline's jobs: reported when the settings name a server for it."""

import logging

from pyspark.sql import SparkSession

from headwater.pipeline.settings import PipelineSettings

log = logging.getLogger("headwater.pipeline")


def attach_lineage(spark: SparkSession, settings: PipelineSettings, application: str) -> None:
    """Report what the session does from now on, as part of an application of this name."""
    if not settings.lineage.url:
        return
    try:
        # Here, because a job without lineage needs nothing that a cluster does not have.
        from headwater.spark import attach
    except ModuleNotFoundError as error:
        log.warning(
            "no lineage of this job: %s is missing here; pip install 'headwater[spark]' where the driver runs",
            error.name,
        )
        return
    attach(spark, name=application)
