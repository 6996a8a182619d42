"""Lineage of PySpark programs: `attach` for whole sessions, `run` for code that no listener can see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.capture.spark.manual import run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.capture.spark.attach import Capture
    from headwater.capture.spark.connect_session import ConnectCapture

__all__ = ["attach", "run"]


def attach(
    spark: SparkSession, *, name: str | None = None, namespace: str | None = None
) -> Capture | ConnectCapture | None:
    """Report the lineage of everything that this session does from now on. It raises nothing and delays nothing.

    `name` is what the application is called and `namespace` where its jobs are, if the settings are not to say.
    The answer can be closed, as the end of the session or of the process does; None if lineage is switched off.
    """
    from headwater.capture.spark.connect_session import attach_connect, is_connect

    if is_connect(spark):
        return attach_connect(spark, name=name, namespace=namespace)
    from headwater.capture.spark.attach import attach as attach_session

    return attach_session(spark, name=name, namespace=namespace)
