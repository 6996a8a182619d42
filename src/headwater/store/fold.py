"""The fold: what an event does to what is remembered. docs/fold.md says it in words.

Everything merges: sets grow, times take their earliest or latest, registers keep the newest. Arrival order and
repeats therefore leave no trace, and a batch of events is folded in memory and written as one batch of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from headwater.openlineage import facets as standard
from headwater.openlineage.events import DATASET_EVENT, JOB_EVENT, Event, Job
from headwater.store.dataset_facts import DatasetFacts
from headwater.store.ledger import Ledger
from headwater.store.lineage_facts import LineageFacts
from headwater.store.memory import JobState, RunState
from headwater.store.packing import pack
from headwater.store.run_facts import RunFacts
from headwater.store.session import Session
from headwater.store.settle import settle_claims, settle_edges, settle_roots
from headwater.store.tables import INPUT, OUTPUT
from headwater.store.text import indexable


class Fold:
    """Folds events into one session's database, keeping in mind what it has seen."""

    def __init__(self, session: Session, late_after: int | None) -> None:
        self._session = session
        self._late_after = late_after  # microseconds; None: history is being loaded, nothing is late
        self._ledger = Ledger(session)
        self._lineage = LineageFacts(self._ledger)
        self._datasets = DatasetFacts(self._ledger, self._lineage)
        self._runs = RunFacts(self._ledger)
        self._stored: dict[bytes, int] = {}  # hash -> id

    def forget(self) -> None:
        """Drop everything in mind: another writer had a turn, or a transaction was rolled back."""
        self._ledger.forget()

    def begin(self, events: Sequence[Event] = ()) -> None:
        """Start a transaction, with the runs and the copies of `events` looked up on the way."""
        memory = self._ledger.memory
        uuids = {event.run_uuid for event in events if event.run_uuid is not None}
        unknown = [uuid for uuid in uuids if uuid not in memory.runs]
        opened = self._session.begin(unknown, [(event.time, event.hash) for event in events])
        if opened.others_wrote:
            self.forget()
            self._ledger.memory.load_runs([*uuids])
        else:
            memory.remember_runs(opened.runs)
        self._ledger.open(uuids)
        self._stored = {bytes(hash): id for hash, id in opened.events}

    def apply(self, events: Sequence[Event], now: int) -> tuple[int, Counter[str]]:
        """Fold the events that `begin` was told of; the last event id, and how many of each diagnostic."""
        ledger, seen = self._ledger, self._stored
        ledger.now = now
        last = 0
        for event in events:
            if event.hash in seen:
                message = "the same event, byte for byte, was stored before"
                ledger.note("duplicate", "", message, event_id=seen[event.hash])
                continue
            last = seen[event.hash] = ledger.event_id = ledger.memory.next_id("event")
            self._event(event)
        counts = Counter(row[1] for row in ledger.batch.diagnostics)
        self._flush()
        return last, counts

    def reject(self, message: str, field: str, body: bytes, now: int) -> None:
        """Keep input that is no event where people can see it, once `flush_rejects` is called."""
        row = (
            self._ledger.memory.next_id("diagnostic"),
            "rejected",
            now,
            None,
            indexable(field),
            indexable(message, 10_000),
        )
        self._ledger.batch.diagnostics.append((*row, pack(body)))

    def flush_rejects(self) -> None:
        """Write what `reject` kept."""
        self._ledger.batch.flush_facts(self._session)
        self._ledger.open(())

    def namespace(self, name: str, at: int) -> int:
        """The id of a namespace, made if need be."""
        id = self._ledger.namespace(name, at)
        self._ledger.batch.flush_facts(self._session)
        self._ledger.open(())
        return id

    def _flush(self) -> None:
        batch, memory, session = self._ledger.batch, self._ledger.memory, self._session
        batch.flush_facts(session)
        if batch.symlinks:
            settle_roots(batch, session)
        if batch.claims:
            settle_claims(batch, memory, session)
        batch.flush_jobs(session, settle_edges(batch, memory, session))
        for run in batch.runs.values():
            run.moved = False
        memory.trim()
        self._ledger.open(())

    def _event(self, event: Event) -> None:
        ledger, at = self._ledger, event.time
        ledger.event_hash = event.hash
        if self._late_after is not None and ledger.now - at > self._late_after:
            seconds = (ledger.now - at) // 1_000_000
            ledger.note("late", "eventTime", f"arrived {seconds} s after its eventTime")
        run_id: int | None = None
        job_id: int | None = None
        dataset_id: int | None = None
        if event.type == DATASET_EVENT:
            assert event.dataset is not None
            dataset_id = self._datasets.mention(event.dataset, at, None, None, OUTPUT)
        else:
            job, run = self._job_and_run(event)
            job_id, run_id = job.id, None if run.declared else run.id
        body = pack(event.body)
        row = (ledger.event_id, event.hash, event.type, at, ledger.now, run_id, job_id, dataset_id, body)
        ledger.batch.events.append(row)

    def _job_and_run(self, event: Event) -> tuple[JobState, RunState]:
        ledger, at = self._ledger, event.time
        assert event.job is not None
        job = ledger.job(event.job.namespace, event.job.name, at)
        declared = event.type == JOB_EVENT
        run = self._runs.declared(event.hash, job, at) if declared else self._runs.event(event, job)
        for dataset in event.inputs:
            self._datasets.mention(dataset, at, run, job, INPUT)
        for dataset in event.outputs:
            self._datasets.mention(dataset, at, run, job, OUTPUT)
        if event.job.facets:
            self._job_facets(event.job, job, run, at)
        for owner in {job.id, run.job_id or job.id}:  # an old event of a run that has moved to another job
            ledger.batch.touched.setdefault(owner, set()).add(run.id)
        return job, run

    def _job_facets(self, event_job: Job, job: JobState, run: RunState, at: int) -> None:
        for name, raw in (event_job.facets or {}).items():
            self._ledger.facet("job", job.id, 0, name, raw, at)
            if name == "lineage":
                facet = standard.read(standard.LineageJob, raw)
                for entry in facet.entries if facet else ():
                    self._lineage.job_entry(entry, job, run, at)
