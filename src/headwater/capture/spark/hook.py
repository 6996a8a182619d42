"""Attaches lineage to the Spark of a program that knows nothing of it: when pyspark's sessions are imported."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

log = logging.getLogger(__name__)

MODULE = "pyspark.sql.session"


def install() -> None:
    """Attach to every session that is made from now on."""
    log_beside_the_job()
    if MODULE in sys.modules:
        watch_sessions(sys.modules[MODULE].SparkSession, attach)
    else:
        sys.meta_path.insert(0, _Finder())


def log_beside_the_job() -> None:
    """Say what there is to say where Spark's own log goes: spark-submit mixes a driver's errors into its output."""
    try:
        spark_log = open(f"/proc/{os.getppid()}/fd/2", "a", buffering=1)  # noqa: SIM115  # open as long as the process
    except OSError:
        return  # not Linux, or nobody listens there
    handler = logging.StreamHandler(spark_log)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s headwater: %(message)s", "%y/%m/%d %H:%M:%S"))
    ours = logging.getLogger("headwater.capture")
    ours.addHandler(handler)
    ours.propagate = False


def watch_sessions(session_class: Any, made: Callable[[Any], object]) -> None:
    """Have `made` called with the first session of each Spark context."""
    original = session_class.__init__
    known: list[object] = []

    def initialise(self: Any, context: Any, *args: Any, **named: Any) -> None:
        original(self, context, *args, **named)
        # A stream makes a session for each of its batches, on the context that there is.
        if context not in known:
            known[:] = [context]
            made(self)

    session_class.__init__ = initialise


def attach(spark: Any) -> None:
    """Attach to a session; whatever goes wrong, the program goes on."""
    try:
        from headwater.spark import attach as attach_session

        attach_session(spark)
    except Exception as error:
        log.warning("no lineage of this application: %s", error)


class _Finder(MetaPathFinder):
    """Finds the one module, once, where everyone else finds it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Loads the module as its own loader does, and then watches its sessions."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        watch_sessions(module.SparkSession, attach)
