"""What the JVM calls: of each streaming query its start, its micro-batches and its end, and of each execution its plan.

Nothing is done here but to pass it on: the query waits until the first of these has returned.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

log = logging.getLogger(__name__)


class Started(Struct, frozen=True):
    """A query was started; `query` is the query itself, in the JVM."""

    id: str
    runId: str
    timestamp: str
    name: str | None = None
    query: Any = None


class Progressed(Struct, frozen=True):
    """A query has done a micro-batch; the text is Spark's."""

    text: str


class Terminated(Struct, frozen=True):
    """A query is over; the exception is as Spark prints it."""

    runId: str
    exception: str | None = None


class Settled(Struct, frozen=True):
    """Some time was given for what a query did until now to be `heard` of; `end` if it is over."""

    runId: str
    end: Terminated | None = None
    heard: bool = False


class Executed(Struct, frozen=True):
    """Something was executed, in the JVM."""

    execution: Any


Happened = Started | Progressed | Terminated | Settled | Executed


class QueryListener:
    """Hears of the streaming queries of a session."""

    class Java:
        """What py4j needs to know."""

        implements = ("org.apache.spark.sql.streaming.PythonStreamingQueryListener",)

    def __init__(self, tell: Callable[[Happened], object], find: Callable[[str], Any]) -> None:
        self._tell, self._find = tell, find

    def onQueryStarted(self, event: Any) -> None:
        """Called before start() returns."""
        try:
            started = msgspec.json.decode(event.json(), type=Started)
            # A query that fails at once cannot be found a moment later.
            self._tell(msgspec.structs.replace(started, query=self._find(started.id)))
        except Exception:
            log.debug("a query's start was not understood", exc_info=True)

    def onQueryProgress(self, event: Any) -> None:
        """Called after each micro-batch, from another thread."""
        try:
            self._tell(Progressed(event.json()))
        except Exception:
            log.debug("a micro-batch was not understood", exc_info=True)

    def onQueryIdle(self, event: Any) -> None:
        """Called while there is nothing to read, which is no news."""

    def onQueryTerminated(self, event: Any) -> None:
        """Called at the end, or soon after."""
        try:
            self._tell(msgspec.json.decode(event.json(), type=Terminated))
        except Exception:
            log.debug("a query's end was not understood", exc_info=True)


class ExecutionListener:
    """Hears of what is executed in a session, and in those that streaming queries clone from it."""

    class Java:
        """What py4j needs to know."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)

    def __init__(self, tell: Callable[[Happened], object], wanted: Callable[[], bool]) -> None:
        self._tell, self._wanted = tell, wanted

    def onSuccess(self, name: str, execution: Any, nanoseconds: int) -> None:
        """Called after each execution, from another thread."""
        if self._wanted():
            self._tell(Executed(execution))

    def onFailure(self, name: str, execution: Any, error: Any) -> None:
        """Called when one failed, and so has written nothing."""
