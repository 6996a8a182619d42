"""Spark Connect: a session without a JVM to ask. What the client sees is reported: runs and datasets, no columns."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from headwater.capture.emitter import Emitter, open_emitter
from headwater.capture.ending import COMPLETED, Ending, ending_of, when_process_ends
from headwater.capture.leases import leases_of
from headwater.capture.run_events import RunOf, error_facets, facet, job_type_facet, new_run_id
from headwater.capture.spark.application import Application, engine_facets
from headwater.capture.spark.connect_commands import Place, Table, Work, plain, work_of
from headwater.capture.spark.datasets import Identity, sink_identity, source_identity, table_identity
from headwater.capture.spark.defaults import DEFAULTS
from headwater.capture.spark.query_end import query_ending
from headwater.capture.spark.settings import SparkSettings, application_name, read_settings
from headwater.capture.spark.wrapping import before
from headwater.errors import HeadwaterError
from headwater.openlineage.events import PRODUCER
from headwater.openlineage.naming import DatasetName

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
CLOSE_SECONDS = 5.0
COLUMNS_URL = f"{PRODUCER}/blob/main/docs/spark.md#spark-connect"
LEFT = Ending("ABORT", "the client ended")
NO_COLUMNS = "a Spark Connect client does not have the plan, which is resolved on the server"


def is_connect(spark: object) -> bool:
    """Whether a session talks to a server through Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def attach_connect(spark: Any, *, name: str | None = None, namespace: str | None = None) -> ConnectCapture | None:
    """Report what a Spark Connect session writes from now on. It raises nothing."""
    try:
        settings = read_settings({}, os.environ)
        if settings.disabled:
            return None
        called = name or application_name(str(spark.conf.get("spark.app.name", "") or "spark connect"))
        settings = replace(settings, app_name=called, namespace=namespace or settings.namespace)
        log.info("Spark Connect: runs and datasets are reported, columns are not: %s", NO_COLUMNS)
        return ConnectCapture(spark, open_emitter(transport=settings.transport), settings)
    except HeadwaterError as error:
        log.warning("no lineage is captured: %s", error)
    except Exception as error:  # whatever it is, the job goes on
        log.warning("no lineage is captured: %s: %s", type(error).__name__, error)
    return None


@dataclass(frozen=True)
class Followed:
    """A stream that runs on the server, and the datasets that it names."""

    run: RunOf
    work: Work
    query_id: str
    named: tuple[list[Identity], list[Identity]]


class ConnectCapture:
    """Capture of one session, until it is closed or the process ends."""

    def __init__(self, spark: Any, emitter: Emitter, settings: SparkSettings) -> None:
        self._spark, self._emitter, self._settings = spark, emitter, settings
        facets = engine_facets(str(spark.version), {"spark.app.name": settings.app_name}, spark.session_id, "")
        self.application = Application(emitter, settings, facets)
        DEFAULTS.follow(self.application, emitter)
        # Asking the server where a table is takes time, which is not the program's.
        self._worker = ThreadPoolExecutor(1, "headwater-connect")
        self._ours = threading.local()
        self._closed = threading.Event()
        self._streams: dict[str, Followed] = {}
        self._execute = spark.client.execute_command
        spark.client.execute_command = self._run
        self._undo = (before(type(spark), "stop", self._session_stops), when_process_ends(self._end))

    def close(self) -> None:
        """Report no more, and wait for some seconds until what was reported has arrived."""
        self._end(COMPLETED)
        self._emitter.close()

    def _session_stops(self, session: Any) -> None:
        if session is self._spark:
            # In a finally or at the end of a with, the exception that is on its way up says how it went.
            self._end(ending_of(sys.exc_info()[1]))

    def _end(self, ending: Ending) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        for undo in self._undo:
            undo()
        self._spark.client.execute_command = self._execute
        # Of what the server does not answer in time there is nothing more to say.
        last = threading.Thread(target=self._finish, daemon=True)
        last.start()
        last.join(CLOSE_SECONDS)
        for followed in list(self._streams.values()):
            self._stream_ended(followed, LEFT)
        self.application.end(ending)

    def _finish(self) -> None:
        """Report what waits to be, and the streams that are over."""
        self._worker.shutdown()
        for followed in list(self._streams.values()):
            self._stream_ended(followed, _safely(partial(self._stream_ending, followed)) or LEFT)

    def _run(self, command: Any) -> Any:
        """The client's own call, with a run around it."""
        work = None if getattr(self._ours, "asking", False) else _safely(lambda: work_of(plain(command)))
        if work is None:
            return self._execute(command)
        run = RunOf(new_run_id(), self._settings.namespace, job_name(work, self._settings.app_name))
        if not work.stream:
            _safely(lambda: self._send(run, work, "START"))
        try:
            answer = self._execute(command)
        except BaseException as error:
            ending = ending_of(error)
            if not work.stream:
                self._later(lambda: self._ended(run, work, ending))
            raise
        if work.stream:
            self._later(lambda: self._follow(run, work, answer))
        else:
            self._later(lambda: self._ended(run, work, COMPLETED))
        return answer

    def _later(self, step: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # it was closed meanwhile
            self._worker.submit(_safely, step)

    def _ended(self, run: RunOf, work: Work, ending: Ending) -> None:
        leases_of(self._emitter).release(run.run_id)
        self._send(run, work, ending.kind, error_facets(ending), self._identities(work))

    def _send(
        self,
        run: RunOf,
        work: Work,
        kind: str,
        facets: dict[str, Any] | None = None,
        named: tuple[list[Identity], list[Identity]] = ([], []),
    ) -> None:
        said = {
            "parent": self.application.parent_facet(),
            "headwater_columns": {"_producer": PRODUCER, "_schemaURL": COLUMNS_URL, "unavailable": NO_COLUMNS},
            **(facets or {}),
        }
        processing = "STREAMING" if work.stream else "BATCH"
        about = {"jobType": job_type_facet("QUERY" if work.stream else "COMMAND", processing, "SPARK")}
        if work.sql:
            about["sql"] = facet("1-1-0/SQLJobFacet", query=work.sql, dialect="spark")
        inputs, outputs = (list(_datasets(side)) for side in named)
        self._emitter.emit(run.event(kind, said, about, inputs, outputs))

    # -- streams -------------------------------------------------------------------------------------

    def _follow(self, run: RunOf, work: Work, answer: Any) -> None:
        started = answer[1]["write_stream_operation_start_result"]
        run = RunOf(started.query_id.run_id, run.namespace, started.name or run.name)
        leases = leases_of(self._emitter)
        named = self._identities(work)
        self._send(run, work, "START", leases.facet(), named)
        self._send(run, work, "RUNNING", leases.facet(), named)
        leases.hold(run.run_id, lambda: self._send(run, work, "RUNNING", leases.facet(), named))
        first = not self._streams
        self._streams[run.run_id] = Followed(run, work, started.query_id.id, named)
        if first:
            threading.Thread(target=self._watch, name="headwater-connect-streams", daemon=True).start()

    def _watch(self) -> None:
        """Look after streams until none is left: the server tells a client nothing unless it asks."""
        while self._streams and not self._closed.wait(POLL_SECONDS):
            for followed in list(self._streams.values()):
                if ending := _safely(partial(self._stream_ending, followed)):
                    self._stream_ended(followed, ending)

    def _stream_ending(self, followed: Followed) -> Ending | None:
        """How a stream has ended; None if it goes on. The server knows for a while, also of one that is over."""
        from pyspark.sql.connect.streaming.query import StreamingQuery

        query = StreamingQuery(self._spark, followed.query_id, followed.run.run_id, followed.run.name)
        if query.isActive:
            return None
        if (error := query.exception()) is not None:
            return query_ending(str(error), ends_itself=followed.work.ends, asked=False)
        return COMPLETED if followed.work.ends else Ending("ABORT", "stopped")

    def _stream_ended(self, followed: Followed, ending: Ending) -> None:
        run = followed.run
        if self._streams.pop(run.run_id, None) is not None:
            leases_of(self._emitter).release(run.run_id)
            self._send(run, followed.work, ending.kind, error_facets(ending), followed.named)

    # -- names ---------------------------------------------------------------------------------------

    def _identities(self, work: Work) -> tuple[list[Identity], list[Identity]]:
        return (
            [self._identity(place, source_identity) for place in work.inputs],
            [self._identity(place, sink_identity) for place in work.outputs],
        )

    def _identity(self, place: Place, named: Callable[[Any], Identity]) -> Identity:
        if not isinstance(place, Table):
            return named(replace_aliases(place, self._settings))
        if found := _safely(lambda: self._location(place.name)):
            return table_identity(str(found))
        return Identity((DatasetName("spark:table", place.name),), unnamed="the server does not say where it is")

    def _location(self, table: str) -> str:
        """Where the server has a table; '' for a view."""
        self._ours.asking = True
        try:
            rows = self._spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
        finally:
            self._ours.asking = False
        return next((row[1] for row in rows if str(row[0]).strip() == "Location"), "")


def job_name(work: Work, application: str) -> str:
    """A job as the agent would call it: the application, what it does, and to what."""
    if work.stream and work.name:
        return work.name
    target = work.outputs[0]
    last = target.name if isinstance(target, Table) else target.option("path").rstrip("/").rpartition("/")[2]
    return ".".join(filter(None, (application, work.verb, last.replace(".", "_") or getattr(target, "kind", ""))))


def replace_aliases(place: Any, settings: SparkSettings) -> Any:
    """A source or sink as the program asked for it, with the settled spellings of Kafka clusters."""
    return type(place)(place.format, place.options, place.owner, settings.kafka_aliases, place.topics)


def _datasets(identities: Iterable[Identity]) -> Iterable[dict[str, Any]]:
    for identity in identities:
        for name in identity.names:
            yield {"namespace": name.namespace, "name": name.name, "facets": {}}


def _safely(step: Callable[[], Any]) -> Any:
    try:
        return step()
    except Exception as error:
        log.debug("something of the lineage is missing: %s", error)
        return None
