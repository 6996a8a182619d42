"""Methods of PySpark that tell us that somebody is about to write or to stop something, before they do."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)

# Every way to write something begins with one of these.
FRAME_WRITES = ("write", "writeTo", "writeStream", "mergeInto")


def before_stops(query: Callable[[Any], object], context: Callable[[Any], object]) -> list[Callable[[], None]]:
    """Have these called before a streaming query and before a Spark context is stopped."""
    from pyspark import SparkContext
    from pyspark.sql.streaming.query import StreamingQuery

    return [before(StreamingQuery, "stop", query), before(SparkContext, "stop", context)]


def before_writes(told: Callable[[Any], object]) -> list[Callable[[], None]]:
    """Have this called before anything is written."""
    from pyspark import RDD
    from pyspark.sql import SparkSession

    try:
        from pyspark.sql.classic.dataframe import DataFrame  # type: ignore[import-not-found]  # Spark 4
    except ImportError:
        from pyspark.sql import DataFrame

    frame = [(DataFrame, name) for name in FRAME_WRITES if hasattr(DataFrame, name)]
    rdd = [(RDD, name) for name in vars(RDD) if name.startswith("saveAs")]
    return [before(owner, name, told) for owner, name in (*frame, *rdd, (SparkSession, "sql"))]


def before(owner: type, name: str, told: Callable[[Any], object]) -> Callable[[], None]:
    """Have `told` called with the object whenever this method or property is about to be used.

    What comes back takes that away.
    """
    original = inspect.getattr_static(owner, name)
    function: Any = original.fget if isinstance(original, property) else original

    @functools.wraps(function)
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        if active:
            try:
                told(self)
            except Exception:
                log.debug("%s.%s could not be reported", owner.__name__, name, exc_info=True)
        return function(self, *arguments, **named)

    active = [True]
    ours = property(method) if isinstance(original, property) else method
    setattr(owner, name, ours)

    def restore() -> None:
        active.clear()
        # Somebody else may have put something around ours meanwhile.
        if inspect.getattr_static(owner, name) is ours:
            setattr(owner, name, original)

    return restore
