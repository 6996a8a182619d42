"""Capture for a session: one call, after which its streams and its batch jobs are reported."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from headwater.capture.emitter import Emitter, open_emitter
from headwater.capture.ending import COMPLETED, Ending, ending_of, when_process_ends
from headwater.capture.spark.agent import Agent, agent_is_here, attach_agent, start_application
from headwater.capture.spark.application import Application
from headwater.capture.spark.jvm_exit import is_submitted, when_jvm_ends
from headwater.capture.spark.settings import SparkSettings, read_settings
from headwater.capture.spark.wrapping import before_stops, before_writes
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.capture.spark.streams import Streams

log = logging.getLogger(__name__)

READY_SECONDS = 4.0  # that the first write of a program on a busy machine may wait until somebody watches
LEAVE_SECONDS = 6.0  # for the JVM to answer at the end
# Settings of Spark that say something about lineage, besides all that begin with spark.openlineage.
READ = ("spark.app.name", "spark.headwater.kafkaAliases")


class Capture:
    """What `attach` gives: capture that goes on until it is closed, or the session or the process ends."""

    def __init__(self, emitter: Emitter, application: Application, streams: Streams, *, first: bool = True) -> None:
        self.emitter, self.application, self._streams, self._first = emitter, application, streams, first
        self._agent: Agent | None = None
        self._ready = threading.Event()
        self._undo: list[Callable[[], None]] = []
        self._forget_jvm: Callable[[], None] = lambda: None
        self._lock = threading.RLock()
        self.closed = False
        self._ending: threading.Thread | None = None  # who ends it
        self._ended = threading.Event()

    def watch(self, spark: SparkSession, settings: SparkSettings | None = None) -> None:
        """Hear of streams from now on, of the end of whatever they run in and, with settings for it, of batch jobs.

        Spark takes a second or two to make what listeners are added to. The program goes on meanwhile and waits, if
        it has to, when it is about to write.
        """
        self._undo = [
            *before_stops(self._streams.stop_asked, self._session_stops),
            *before_writes(lambda _: self._ready.wait(READY_SECONDS)),
            when_process_ends(self._end),
        ]
        if is_submitted():
            self._forget_jvm = when_jvm_ends(spark._jvm, self._jvm_ends)
        threading.Thread(target=self._listen, args=(spark, settings), name="headwater-attach", daemon=True).start()

    def close(self) -> None:
        """Report no more, and wait until what was reported has arrived; for some seconds at most."""
        self._end(COMPLETED)
        self.emitter.close()

    def _listen(self, spark: SparkSession, settings: SparkSettings | None) -> None:
        try:
            self._streams.listen()
        except Exception as error:
            log.warning("streams are not reported: %s", error)
        try:
            if settings is not None:
                self._attach_agent(spark, settings)
        finally:
            self._ready.set()

    def _attach_agent(self, spark: SparkSession, settings: SparkSettings) -> None:
        try:
            if not agent_is_here(spark, os.environ):
                self._ready.set()  # nobody waits for a download
            agent = attach_agent(spark, self.emitter, self.application, settings)
        except Exception as error:
            log.warning("batch jobs are not reported, streams are: %s", error)
            return
        with self._lock:
            if not self.closed:
                self._agent = agent
                return
        if agent is not None:
            agent.close()

    def _session_stops(self, context: Any) -> None:
        # In a finally or at the end of a with, the exception that is on its way up says how it went.
        self._end(ending_of(sys.exc_info()[1]))

    def _jvm_ends(self) -> None:
        self._end(Ending("ABORT", "the driver was told to stop"))
        self.emitter.flush(LEAVE_SECONDS)

    def _end(self, ending: Ending) -> None:
        with self._lock:
            first, self.closed = not self.closed, True
            if first:
                self._ending = threading.current_thread()
        if not first:
            # The JVM and the process may end at once: whoever comes second leaves the first the time to say so.
            if self._ending is not threading.current_thread():
                self._ended.wait(LEAVE_SECONDS)
            return
        self._ready.wait(READY_SECONDS)
        with self._lock:
            agent, self._agent = self._agent, None
        self._streams.finish()
        # The thread that is here may be inside a call to the JVM that a signal has interrupted: another has to ask it.
        leaving = threading.Thread(target=self._leave, args=(agent,), daemon=True)
        leaving.start()
        leaving.join(LEAVE_SECONDS)
        if self._first:
            self.application.end(ending)
        for undo in self._undo:
            undo()
        self._ended.set()

    def _leave(self, agent: Agent | None) -> None:
        for leave in (self._forget_jvm, self._streams.leave, *((agent.close,) if agent is not None else ())):
            try:
                leave()
            except Exception:  # the JVM may be gone, or going
                log.debug("the JVM did not let go", exc_info=True)


def attach(spark: SparkSession, *, name: str | None = None, namespace: str | None = None) -> Capture | None:
    """Report the lineage of everything that this session does from now on. It raises nothing.

    `name` is what the application is called, `namespace` where its jobs are; both are found in the settings otherwise.
    None if lineage is switched off or, which the log says, if the settings cannot be used.
    """
    with _lock:
        try:
            session = spark._jsparkSession.sessionUUID()
            if (capture := _captures.get(session)) is not None and not capture.closed:
                return capture
            settings = read_settings(spark_settings(spark), os.environ)
            if settings.disabled:
                return None
            settings = replace(settings, app_name=name or settings.app_name, namespace=namespace or settings.namespace)
            _captures[session] = capture = begin(spark, settings)
            return capture
        except HeadwaterError as error:
            log.warning("no lineage is captured: %s", error)
        except Exception as error:  # whatever it is, the job goes on
            log.warning("no lineage is captured: %s: %s", type(error).__name__, error)
            log.debug("attaching failed", exc_info=True)
    return None


def begin(spark: SparkSession, settings: SparkSettings) -> Capture:
    """Start everything that watches a session; sessions of one application share its run and its agent."""
    from headwater.capture.spark.streams import Names, Streams

    first = next((each for each in _captures.values() if not each.closed), None)
    emitter = first.emitter if first else open_emitter(transport=settings.transport)
    application = first.application if first else start_application(spark, emitter, settings)
    names = Names(settings.namespace, settings.app_name, settings.kafka_aliases)
    streams = Streams(spark, emitter, names, application.parent_facet())
    capture = Capture(emitter, application, streams, first=first is None)
    capture.watch(spark, settings if first is None else None)
    return capture


def spark_settings(spark: SparkSession) -> Mapping[str, str]:
    """The settings that are about lineage; a session has hundreds, and each costs a call."""
    conf = spark.sparkContext._jsc.sc().conf()
    found = {f"spark.openlineage.{pair._1()}": pair._2() for pair in conf.getAllWithPrefix("spark.openlineage.")}
    return {**found, **{key: conf.get(key) for key in READ if conf.contains(key)}}


_lock = threading.Lock()
_captures: dict[str, Capture] = {}  # by the session's id in the JVM
