"""The end of the JVM, where it is the parent of this process: under spark-submit it gets the signals, and we do not."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

log = logging.getLogger(__name__)


def is_submitted(env: Mapping[str, str] = os.environ) -> bool:
    """Whether spark-submit has started this process."""
    return "PYSPARK_GATEWAY_PORT" in env


def when_jvm_ends(jvm: Any, told: Callable[[], object]) -> Callable[[], None]:
    """Have `told` called when the JVM is about to end; what comes back takes that away."""
    runtime, hook = jvm.java.lang.Runtime.getRuntime(), jvm.java.lang.Thread(_Runnable(told))
    runtime.addShutdownHook(hook)
    return lambda: runtime.removeShutdownHook(hook) and None


class _Runnable:
    """A function, as a thread of the JVM runs it."""

    class Java:
        """What py4j needs to know."""

        implements = ("java.lang.Runnable",)

    def __init__(self, told: Callable[[], object]) -> None:
        self._told = told

    def run(self) -> None:
        """Called by the JVM."""
        try:
            self._told()
        except Exception:
            log.debug("the end of the JVM could not be reported", exc_info=True)
