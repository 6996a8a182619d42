"""Leaving well: SIGTERM and Ctrl-C end a stream after the micro-batch that is in work, with everything committed."""

import logging
import signal
import threading
import time
from types import FrameType
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger("headwater.pipeline")


class Stop:
    """Whether someone asked this process to stop."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        # Set where a micro-batch waits to be interrupted before it has done anything.
        self.held = threading.Event()
        # Set when the query is told to stop.
        self.leaving = threading.Event()

    @property
    def asked(self) -> bool:
        """Whether it is time to go."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Ask for a stop, as a signal does."""
        if not self.asked:
            log.info("stopping after the micro-batch in work")
        self._asked.set()

    def listen(self) -> None:
        """Take signals sent to this process from now on as a wish to stop."""

        def asked(signum: int, frame: FrameType | None) -> None:
            self.ask()

        for one in SIGNALS:
            signal.signal(one, asked)

    def listen_in(self, spark: SparkSession) -> None:
        """The same for the JVM: it is the parent of this process under spark-submit, and gets the signal."""
        # Spark has its own idea of Ctrl-C, which is to cancel all jobs.
        self.listen()
        gateway = spark.sparkContext._gateway
        assert gateway is not None
        ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
        for one in SIGNALS:
            name = one.name.removeprefix("SIG")
            gateway.jvm.sun.misc.Signal.handle(gateway.jvm.sun.misc.Signal(name), Handler(self))

    def hold(self, spark: SparkSession) -> None:
        """Called where a micro-batch begins: after a wish to stop, wait here to be interrupted by query.stop()."""
        if not self.asked:
            return
        self.held.set()
        # Slept in the JVM, in the query's own thread: there an interruption is not taken for a failure.
        thread = spark.sparkContext._jvm.java.lang.Thread  # type: ignore[union-attr]
        while not self.leaving.is_set():
            thread.sleep(100)
        thread.sleep(2_000)
        # The interruption came before the wait did, and something else has swallowed it.
        thread.currentThread().interrupt()
        thread.sleep(1)


class Handler:
    """A wish to stop, as a signal handler of the JVM."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop

    def handle(self, received: Any) -> None:
        """Called by the JVM."""
        self._stop.ask()

    class Java:
        """What py4j needs to know."""

        implements = ("sun.misc.SignalHandler",)


def leave(query: StreamingQuery, stop: Stop, seconds: float) -> None:
    """Stop a query where one micro-batch has ended and before the next has done anything; at the latest after that."""
    deadline = time.monotonic() + seconds
    began = batch(query)
    while query.isActive and query.status["isTriggerActive"] and batch(query) == began and not stop.held.is_set():
        if time.monotonic() > deadline:
            log.warning("the micro-batch did not end within %.0f s; it is given up and will be done again", seconds)
            break
        time.sleep(0.05)
    stop.leaving.set()
    query.stop()


def batch(query: StreamingQuery) -> int:
    """The last micro-batch that the query has finished."""
    progress = query.lastProgress
    return -1 if progress is None else int(progress["batchId"])
