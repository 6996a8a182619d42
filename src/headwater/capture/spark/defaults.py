"""Where runs that are reported by hand go: with an attached Spark application, else as the environment says."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

from headwater.capture.destination import read_namespace
from headwater.capture.emitter import Emitter, open_emitter
from headwater.capture.spark.application import Application
from headwater.capture.spark.settings import read_parent
from headwater.errors import SettingError

log = logging.getLogger(__name__)


class Defaults:
    """The emitter, the namespace and the parent of runs that do not name their own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._emitter: Emitter | None = None
        self._application: Application | None = None

    def follow(self, application: Application, emitter: Emitter) -> None:
        """Make runs part of an application, until it has ended."""
        with self._lock:
            self._emitter, self._application = emitter, application

    def emitter(self) -> Emitter:
        """Where events go."""
        with self._lock:
            if self._emitter is None:
                self._emitter = open_emitter()
            return self._emitter

    def namespace(self) -> str:
        """The namespace of jobs that do not name one."""
        application = self._living()
        return application.run.namespace if application else read_namespace(os.environ)

    def parent(self) -> dict[str, Any] | None:
        """What a run is part of that is inside no other."""
        if application := self._living():
            return application.parent_facet()
        try:
            return read_parent({}, os.environ)
        except SettingError as error:
            log.warning("%s; until then runs have no parent", error)
            return None

    def _living(self) -> Application | None:
        return self._application if self._application and not self._application.ended else None


DEFAULTS = Defaults()
