"""The streaming queries of a session, followed in the background from their start to their end."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import structs

from headwater.capture.emitter import Emitter
from headwater.capture.ending import Ending
from headwater.capture.leases import leases_of
from headwater.capture.run_events import RunOf, facet
from headwater.capture.spark import stream_run
from headwater.capture.spark.batches import Looked, is_write, read_write
from headwater.capture.spark.datasets import Identity
from headwater.capture.spark.described import Datasets, Seen, described, named
from headwater.capture.spark.follows import LastRun, follows_facet, note_last, read_last, runs_directory
from headwater.capture.spark.found import FUNCTION, Found, Owner, Table, sink_of, source_of
from headwater.capture.spark.jvm import field as java_field
from headwater.capture.spark.jvm import opened, told
from headwater.capture.spark.listener import (
    Executed,
    ExecutionListener,
    Happened,
    Progressed,
    QueryListener,
    Settled,
    Started,
    Terminated,
)
from headwater.capture.spark.progress import read_progress, topics_met
from headwater.capture.spark.query_end import STOPPED, query_ending
from headwater.capture.spark.running_plan import (
    FoundPlan,
    ends_itself,
    named_plan,
    read_query,
    read_text,
    with_text,
)
from headwater.capture.spark.stream_run import Step, StreamRun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0  # between looks at queries that say nothing
SETTLE_SECONDS = 2.0  # for what was executed to be heard of, once a query is over
DRAIN_SECONDS = 4.0  # at the end of a session or of the process
ENOUGH_BATCHES = 2  # after which a function that has written nothing will hardly write


@dataclass(frozen=True)
class Names:
    """What jobs are called, and how clusters are spelled."""

    namespace: str
    application: str
    aliases: Mapping[str, str]


@dataclass
class Tracked:
    """A query that we follow."""

    state: StreamRun
    query: Any  # the query in the JVM
    query_id: str
    owner: Owner
    found: FoundPlan | None = None
    seen: Seen | None = None
    session: str = ""  # in which its batches are executed
    finite: bool = False
    asked: bool = False  # somebody has called stop()
    looked: Looked = field(default_factory=Looked)
    gone: int = 0  # how often it was found inactive without a word

    @property
    def has_function(self) -> bool:
        """Whether its rows go to a function, in which anything can be written."""
        return self.found is not None and self.found.function is not None


class Streams:
    """Follows every query that is started in a session, until it is closed."""

    def __init__(self, spark: SparkSession, emitter: Emitter, names: Names, parent: Mapping[str, Any]) -> None:
        self._spark, self._emitter, self._names = spark, emitter, names
        self._facets = {"parent": dict(parent)} if parent else {}
        self._engine = facet("1-1-1/ProcessingEngineRunFacet", version=spark.version, name="spark")
        self._runs = runs_directory(emitter.directory)
        self._leases = leases_of(emitter)
        self._tracked: dict[str, Tracked] = {}
        self._starting = 0  # queries that we have heard of and not looked at yet
        self._asked: set[str] = set()
        self._happened: queue.SimpleQueue[Happened | threading.Event] = queue.SimpleQueue()
        # A signal handler may end a run while its thread is in here.
        self._lock = threading.RLock()
        self._closed = False

    def listen(self) -> None:
        """Hear of queries from now on."""
        from pyspark.java_gateway import ensure_callback_server_started

        session, jvm = self._spark._jsparkSession, self._spark._jvm
        ensure_callback_server_started(self._spark.sparkContext._gateway)  # type: ignore[no-untyped-call]
        find = session.streams().get
        jvm_id = jvm.java.util.UUID.fromString  # type: ignore[union-attr]
        listener = QueryListener(self._tell, lambda id: find(jvm_id(id)))
        wrapper = jvm.org.apache.spark.sql.streaming.PythonStreamingQueryListenerWrapper  # type: ignore[union-attr]
        self._listener = wrapper(listener)
        session.streams().addListener(self._listener)
        session.listenerManager().register(ExecutionListener(self._tell, self._any_function))
        for query in session.streams().active():  # which were started before us
            begun = datetime.now(UTC).isoformat()
            self._tell(Started(query.id().toString(), query.runId().toString(), begun, query.name(), query))
        threading.Thread(target=self._work, name="headwater-streams", daemon=True).start()

    def stop_asked(self, query: Any) -> None:
        """Somebody is about to stop a query."""
        run_id = query._jsq.runId().toString()
        self._asked.add(run_id)
        if run_id in self._tracked:
            self._tracked[run_id].asked = True

    def finish(self, seconds: float = DRAIN_SECONDS) -> None:
        """End every run, because the session or the process ends: what is still active is stopped by that.

        The JVM is asked by other threads alone, because a signal may have interrupted this one inside a call to it.
        """
        if not self._starting and not any(tracked.state.going for tracked in list(self._tracked.values())):
            return
        deadline = time.monotonic() + seconds
        asking = threading.Thread(target=self._wait_for_listeners, daemon=True)
        asking.start()
        asking.join(seconds / 2)
        for _ in range(2):  # what is reported may itself have to wait for something
            self._drain(max(0.1, (deadline - time.monotonic()) / 2))
        asking = threading.Thread(target=self._end_what_is_over, daemon=True)
        asking.start()
        asking.join(max(0.2, deadline - time.monotonic()))
        for tracked in list(self._tracked.values()):
            self._step(tracked, stream_run.end, STOPPED)

    def leave(self) -> None:
        """Follow no more; the other listener lives as long as its session, and is not heard."""
        self._closed = True
        _tried(lambda: self._spark._jsparkSession.streams().removeListener(self._listener), "a listener stays")

    def _tell(self, happened: Happened) -> None:
        if isinstance(happened, Started):
            self._starting += 1
        self._happened.put(happened)

    # -- in the background -------------------------------------------------------------------------

    def _work(self) -> None:
        looked = time.monotonic()
        while not self._closed:
            try:
                happened: Happened | threading.Event | None = self._happened.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                happened = None
            try:
                if isinstance(happened, threading.Event):
                    happened.set()
                elif happened is not None:
                    self._take(happened)
                if time.monotonic() - looked >= LOOK_SECONDS:
                    looked = time.monotonic()
                    self._look()
            except Exception:  # lineage must never cost a job more than its lineage
                log.debug("something that happened was not understood", exc_info=True)

    def _take(self, happened: Happened) -> None:
        if isinstance(happened, Started):
            try:
                self._start(happened)
            finally:
                self._starting -= 1
        elif isinstance(happened, Progressed):
            self._progress(happened)
        elif isinstance(happened, Executed):
            self._execute(happened)
        elif isinstance(happened, Settled):
            self._settled(happened)
        else:
            self._terminate(happened)

    def _start(self, started: Started) -> None:
        if started.runId in self._tracked:
            return
        execution = started.query.streamingQuery()
        found = _tried(lambda: read_query(execution), "what a query reads and writes could not be found out")
        job = started.name or self._derived_name(started, execution, found)
        run = RunOf(started.runId, self._names.namespace, job)
        tracked = Tracked(
            StreamRun(run, self._facets),
            started.query,
            started.id,
            Owner(job, self._names.aliases),
            found,
            finite=bool(_tried(lambda: ends_itself(execution), "a query's trigger could not be found out")),
            asked=started.runId in self._asked,
        )
        self._tracked[started.runId] = tracked
        last = read_last(self._runs, run.namespace, run.name)
        datasets = named(named_plan(found, tracked.owner)) if found else Datasets()
        facets = {"processing_engine": self._engine, **follows_facet(last, started.runId, started.id)}
        self._step(tracked, stream_run.start, datasets, _time(started.timestamp), facets)
        note_last(self._runs, run.namespace, run.name, LastRun(started.runId, started.id))
        self._leases.hold(started.runId, lambda: self._step(tracked, stream_run.speak))
        if found:
            tracked.found = with_text(found, read_text(execution))
            if tracked.has_function:
                tracked.session = java_field(execution, "sparkSessionForStream").sessionUUID()
            self._describe(tracked)

    def _derived_name(self, started: Started, execution: Any, found: FoundPlan | None) -> str:
        """A name for a query that has none: the one that its checkpoint had before, else one that no other has now."""
        checkpoint = str(_tried(lambda: execution.resolvedCheckpointRoot(), "a query's checkpoint is not known") or "")
        names = derived_names(self._names, found, checkpoint, started.id)
        lasts = {name: read_last(self._runs, self._names.namespace, name) for name in names}
        # A run whose end is on its way to us is in nobody's way.
        others = [each for each in self._tracked.values() if each.state.going and self._is_active(each)]
        taken = {each.state.run.name for each in others if each.query_id != started.id}
        free = [name for name in names if name not in taken]
        return next((name for name in free if (last := lasts[name]) and last.query == started.id), free[0])

    def _describe(self, tracked: Tracked) -> None:
        assert tracked.found is not None
        tracked.seen = named_plan(tracked.found, tracked.owner)
        self._step(tracked, stream_run.describe, described(tracked.seen))

    def _progress(self, happened: Progressed) -> None:
        progress = read_progress(happened.text)
        tracked = self._tracked.get(str(progress.get("runId")))
        if tracked is None:
            return
        topics = topics_met(progress) if tracked.found and tracked.found.has_pattern else ()
        if not set(topics) <= set(tracked.owner.topics):
            tracked.owner = Owner(tracked.owner.name, tracked.owner.aliases, topics)
            tracked.looked = Looked()  # what batches write is fed by the new topics too
            self._describe(tracked)
        self._step(tracked, stream_run.advance, progress)
        if (
            tracked.has_function
            and tracked.state.totals.batches >= ENOUGH_BATCHES
            and not tracked.state.datasets.outputs
        ):
            self._settle(Settled(tracked.state.run.run_id))

    def _terminate(self, happened: Terminated) -> None:
        tracked = self._tracked.get(happened.runId)
        if tracked is None or tracked.state.ended:
            return
        if tracked.has_function:
            # What the last batch wrote may still be on its way to us.
            self._settle(Settled(happened.runId, happened))
        else:
            self._end(tracked, happened.exception)

    def _settled(self, settled: Settled) -> None:
        """All that the batches of a query have written until now was heard of; if it is nothing, that is a node too."""
        tracked = self._tracked.get(settled.runId)
        if tracked is None:
            return
        function = tracked.found.function if tracked.found else None
        if settled.heard and function and tracked.seen and not tracked.state.datasets.outputs:
            handed = structs.replace(tracked.seen, sink=sink_of(function, tracked.owner))
            self._step(tracked, stream_run.describe, described(handed))
        if settled.end is not None:
            self._end(tracked, settled.end.exception)

    def _execute(self, happened: Executed) -> None:
        plan = happened.execution.analyzed()
        if not is_write(plan):
            return
        session = happened.execution.sparkSession()
        uuid = session.sessionUUID()
        tracked = next((each for each in self._tracked.values() if each.session == uuid and each.state.going), None)
        if tracked is None or tracked.seen is None or not tracked.looked.is_new(plan, time.monotonic()):
            return
        found = read_write(plan, session)
        if found is not None:
            self._step(tracked, stream_run.describe, described(named_plan(found, tracked.owner), tracked.seen))

    def _look(self) -> None:
        """Speak for queries that have nothing to report, and find those that are over without a word."""
        for tracked in list(self._tracked.values()):
            if not tracked.state.going:
                self._tracked.pop(tracked.state.run.run_id, None)
                continue
            self._step(tracked, stream_run.tick)
            if not self._is_active(tracked):
                tracked.gone += 1
                if tracked.gone > 1:  # its last words may have been on their way
                    self._end_by_itself(tracked)

    # -- ends --------------------------------------------------------------------------------------

    def _is_active(self, tracked: Tracked) -> bool:
        return bool(told(tracked.query, "isActive"))

    def _end_what_is_over(self) -> None:
        for tracked in list(self._tracked.values()):
            if tracked.state.going and not self._is_active(tracked):
                self._end_by_itself(tracked)

    def _end_by_itself(self, tracked: Tracked) -> None:
        """End a run by what its query says, once it is not active any more."""
        if told(tracked.query, "id") is None:
            self._step(tracked, stream_run.end, Ending("FAIL", "the driver's JVM is gone"))
            return
        error = opened(tracked.query.exception())
        self._end(tracked, _stack(self._spark._jvm, error) if error is not None else None)

    def _end(self, tracked: Tracked, error: str | None) -> None:
        asked = tracked.asked or tracked.state.run.run_id in self._asked
        self._step(tracked, stream_run.end, query_ending(error, ends_itself=tracked.finite, asked=asked))

    def _settle(self, settled: Settled) -> None:
        """Come back to something once listeners have heard of all that has happened, or some time has passed."""
        heard = self._wait_for_listeners()
        self._happened.put(structs.replace(settled, heard=heard))

    def _wait_for_listeners(self) -> bool:
        try:
            bus = self._spark.sparkContext._jsc.sc().listenerBus()
            bus.waitUntilEmpty(int(SETTLE_SECONDS * 1000))
        except Exception as error:
            log.debug("listeners are behind: %s", error)
            return False
        return True

    def _drain(self, seconds: float) -> None:
        """Wait until everything that was heard of until now is reported."""
        reached = threading.Event()
        self._happened.put(reached)
        reached.wait(seconds)

    # -- reporting ---------------------------------------------------------------------------------

    def _step(self, tracked: Tracked, step: Callable[..., Step], *facts: Any) -> None:
        """Let something happen to a run, and report what there is to say."""
        with self._lock:
            before = tracked.state
            at = [] if step is stream_run.start else [datetime.now(UTC)]
            tracked.state, events = step(before, *facts, *at)
            for event in events:
                if not tracked.state.ended:
                    event["run"]["facets"].update(self._leases.facet())
                self._emitter.emit(event)
            run = tracked.state.run
            if tracked.state.ended and not before.ended:
                self._leases.release(run.run_id)
                self._asked.discard(run.run_id)
                note_last(
                    self._runs, run.namespace, run.name, LastRun(run.run_id, tracked.query_id, events[-1]["eventType"])
                )

    def _any_function(self) -> bool:
        """Whether an execution may be of a batch; of a query that was just started, nobody knows yet."""
        if self._closed:
            return False
        return self._starting > 0 or any(tracked.has_function for tracked in list(self._tracked.values()))


def derived_names(names: Names, found: FoundPlan | None, checkpoint: str, query_id: str) -> list[str]:
    """What a query without a name may be called, the same at every start: after its application and its sink.

    Several that write to one place are told apart by what they read, then by the folders of their checkpoints.
    """
    sink = found.sink if found else None
    name = f"{names.application}.{_last_part(sink, sink_of, names) if sink else FUNCTION}"
    sources = [_last_part(leaf.found, source_of, names) for leaf in found.leaves] if found else []
    from_sources = ".".join((name, *sorted(set(sources))))
    kept = last_part(checkpoint)
    # Without a folder of its own its checkpoint is thrown away, and nothing is the same at every start.
    by_checkpoint = f"{from_sources}.{kept}" if kept and not kept.startswith("temporary-") else from_sources
    return list(dict.fromkeys((name, from_sources, by_checkpoint, f"{from_sources}.{query_id}")))


def _last_part(found: Found, identify: Callable[[Found, Owner], Identity], names: Names) -> str:
    """The last part of the name of a source or a sink."""
    if isinstance(found, Table):
        return found.name or last_part(found.place)
    known = identify(found, Owner(found.format, names.aliases)).names
    return last_part(known[0].name) if known else found.format


def last_part(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def _tried(action: Callable[[], Any], problem: str) -> Any:
    """What an action in the JVM gives; None if it fails, which costs some lineage and nothing else."""
    try:
        return action()
    except Exception as error:
        log.debug("%s: %s", problem, error)
        return None


def _stack(jvm: Any, error: Any) -> str:
    """An exception as Spark prints it."""
    cause = told(error, "cause") or error
    text: str = _tried(lambda: jvm.org.apache.spark.util.Utils.exceptionString(cause), "") or str(cause.toString())
    return text


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime.now(UTC)
