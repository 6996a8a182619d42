"""A micro-batch whose records may bring schemas that nobody has met before."""

from collections.abc import Callable
from typing import TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from headwater.pipeline.decoding import unknown_ids, unknown_schema
from headwater.pipeline.failures import JavaError
from headwater.pipeline.schemas import Schemas

# Of so many unknown ids in one micro-batch, the rest are noise, not schemas.
MOST_IDS = 100
T = TypeVar("T")


def with_every_schema(frames: DataFrame, schemas: Schemas, write: Callable[[bool], T]) -> T:
    """Write a micro-batch, strictly; if it meets an unknown schema, ask the registry and write it again.

    Nothing is written by the first attempt then. What is unknown after the question is the record's problem.
    """
    schemas.forget_the_missing()
    try:
        return write(True)
    except (PySparkException, JavaError) as error:
        if unknown_schema(error) is None:
            raise
    learn(frames, schemas)
    return write(False)


def learn(frames: DataFrame, schemas: Schemas) -> None:
    """Ask the registry about the ids in a micro-batch that are new to this process."""
    schemas.learn(unknown_ids(frames, schemas, MOST_IDS))
