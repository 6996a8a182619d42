"""The fold: what an event does to what is remembered. docs/fold.md says it in words.

Everything here merges: sets grow, times take their earliest or latest, registers keep the newest. Arrival order and
repeats therefore leave no trace, and a batch of events is folded in memory and written as one batch of rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Raw

from headwater.openlineage import facets as standard
from headwater.openlineage.events import DATASET_EVENT, JOB_EVENT, Dataset, Event, Job, content_hash, run_uuid
from headwater.store import tables
from headwater.store.batch import Batch
from headwater.store.claims import Content, column_claim, datasets_of, explicit_claim, jobs_of
from headwater.store.memory import JobState, Memory, RunState
from headwater.store.packing import Packer
from headwater.store.session import Session
from headwater.store.settle import settle_claims, settle_edges, settle_roots
from headwater.store.tables import COLUMNS, EXPLICIT, INPUT, OUTPUT
from headwater.store.text import folded, indexable

TERMINAL = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
# Two ends at one instant: the worse news holds.
_SEVERITY = {"FAILED": 0, "ABORTED": 1, "COMPLETED": 2}
_NAME = 2_000  # bytes of a namespace, job or dataset name
_NO_RUN = bytes(16)
_SHORT = 300  # bytes of a facet that is kept in its own row: a place of its own would cost more than it saves
_NEVER = -(2**62)  # the time of a word that any event overrules
_BEFORE_ALL = 10**17  # microseconds: puts a time before that of any run, and keeps the order among such
_KINDS = {
    "job": tables.JOB,
    "dataset": tables.DATASET,
    "run": tables.RUN,
    "input": tables.INPUT_FACET,
    "output": tables.OUTPUT_FACET,
}

_encode = msgspec.json.Encoder().encode


class Fold:
    """Folds events into one session's database, keeping in mind what it has seen."""

    def __init__(self, session: Session, late_after: int | None) -> None:
        self._session = session
        self._late_after = late_after  # microseconds; None: history is being loaded, nothing is late
        self._packer = Packer()
        self.forget()

    def forget(self) -> None:
        """Drop everything in mind: another writer had a turn, or a transaction was rolled back."""
        self._memory = Memory(self._session)
        self._batch = Batch()

    def forget_if(self, others_wrote: bool) -> None:
        """Forget where what is in mind may be stale."""
        if others_wrote:
            self.forget()

    # -- a batch -------------------------------------------------------------------------------------

    def apply(self, events: Sequence[Event], now: int) -> tuple[int, dict[str, int]]:
        """Fold `events` into the open transaction; the last event id, and how many of each diagnostic."""
        self._batch = Batch()
        self._checked = {run_uuid(event.run.runId) for event in events if event.run is not None}
        self._memory.load_runs([*self._checked])
        known = self._session.known_events([(event.time, event.hash) for event in events])
        seen = {bytes(hash): id for hash, id in known}
        last = 0
        for event in events:
            if event.hash in seen:
                self._note("duplicate", now, seen[event.hash], "", "the same event, byte for byte, was stored before")
                continue
            last = seen[event.hash] = self._memory.next_id("event")
            self._event(event, last, now)
        self._flush()
        counts: dict[str, int] = {}
        for row in self._batch.diagnostics:
            counts[row[1]] = counts.get(row[1], 0) + 1
        self._memory.trim()
        return last, counts

    def reject(self, message: str, field: str, body: bytes, now: int) -> None:
        """Keep input that is no event where people can see it."""
        row = (self._memory.next_id("diagnostic"), "rejected", now, None, field, indexable(message, 10_000))
        self._batch.diagnostics.append((*row, self._packer.pack(body)))

    def flush_rejects(self) -> None:
        """Write what `reject` kept."""
        self._batch.flush_facts(self._session)
        self._batch = Batch()

    def namespace(self, name: str, at: int) -> int:
        """The id of a namespace, made if need be."""
        self._batch = Batch()
        id = self._namespace(name, at)
        self._batch.flush_facts(self._session)
        return id

    def _flush(self) -> None:
        batch, session = self._batch, self._session
        batch.flush_facts(session)
        if batch.symlinks:
            settle_roots(batch, session)
        if batch.claims:
            settle_claims(batch, self._memory, session)
        batch.flush_jobs(session, settle_edges(batch, self._memory, session))
        for run in batch.runs.values():
            run.moved = False

    def _note(self, kind: str, now: int, event_id: int, field: str, message: str) -> None:
        id = self._memory.next_id("diagnostic")
        self._batch.diagnostics.append((id, kind, now, event_id, field, message, None))

    # -- an event ------------------------------------------------------------------------------------

    def _event(self, event: Event, id: int, now: int) -> None:
        self._id, self._now, self._hash = id, now, event.hash
        at = event.time
        if self._late_after is not None and now - at > self._late_after:
            seconds = (now - at) // 1_000_000
            self._note("late", now, id, "eventTime", f"arrived {seconds} s after its eventTime")
        run: RunState | None = None
        job: JobState | None = None
        dataset_id: int | None = None
        if event.type == DATASET_EVENT:
            assert event.dataset is not None
            dataset_id = self._mention(event.dataset, at, None, None, OUTPUT)
        else:
            assert event.job is not None
            job = self._job(event.job.namespace, event.job.name, at)
            declared = event.type == JOB_EVENT
            run = self._declared(event.hash, job, at) if declared else self._run_event(event, job)
            for dataset in event.inputs:
                self._mention(dataset, at, run, job, INPUT)
            for dataset in event.outputs:
                self._mention(dataset, at, run, job, OUTPUT)
            if event.job.facets:
                self._job_facets(event.job, job, run, at)
            for owner in {job.id, run.job_id or job.id}:  # an old event of a run that has moved to another job
                self._batch.touched.setdefault(owner, set()).add(run.id)
        body = self._packer.pack(event.body)
        run_id = run.id if run is not None and not run.declared else None
        job_id = None if job is None else job.id
        row = (id, event.hash, event.type, at, now, run_id, job_id, dataset_id, body)
        self._batch.events.append(row)

    def _declared(self, hash: bytes, job: JobState, at: int) -> RunState:
        """A JobEvent claims edges as a run does, without being one."""
        run = self._run(hash, None, declared=True)
        run.job_id, run.job_at, run.started_at, run.updated_at = job.id, at, at, at
        return run

    def _run_event(self, event: Event, job: JobState) -> RunState:
        assert event.run is not None
        at, run_id = event.time, event.run.runId
        run = self._run(run_uuid(run_id), indexable(run_id))
        if run.updated_at is not None and at < run.updated_at:
            behind = (run.updated_at - at) / 1_000_000
            self._note(
                "out-of-order",
                self._now,
                self._id,
                "eventTime",
                f"a later event of this run came {behind:.3f} s earlier",
            )
        self._assign_job(run, job, at)
        if run.started_at is None:
            run.started_at = at
        elif at < run.started_at:
            run.started_at, run.moved = at, True
        if run.updated_at is None or at > run.updated_at:
            run.updated_at = at
        end = TERMINAL.get(event.type)
        if end is not None:
            if run.ended_at is None or (at, _SEVERITY[end]) < (run.ended_at, _SEVERITY[run.state]):
                run.state, run.ended_at = end, at
        elif event.type != "OTHER" and run.ended_at is None:
            run.state = "RUNNING"
        for name, raw in (event.run.facets or {}).items():
            self._facet("run", run.id, 0, name, raw, at)
            if name == "parent":
                self._parent(raw, run, job, at)
        return run

    def _assign_job(self, run: RunState, job: JobState, at: int) -> None:
        """The newest event says whose run it is."""
        if run.job_id is None or run.job_at is None:
            run.job_id, run.job_at = job.id, at
        elif run.job_id == job.id:
            run.job_at = max(run.job_at, at)
        elif (at, *self._job_key(job)) > (run.job_at, *self._job_key(self._memory.job_by_id(run.job_id))):
            self._batch.touched.setdefault(run.job_id, set()).add(run.id)
            run.job_id, run.job_at = job.id, at
            run.moved = run.started_at is not None

    def _job_key(self, job: JobState) -> tuple[str, str]:
        return self._namespace_name(job.namespace_id), job.name

    # -- names ---------------------------------------------------------------------------------------

    def _namespace(self, name: str, at: int) -> int:
        memory = self._memory
        id = memory.namespaces.get(name)
        if id is None:
            rows = self._session.rows("SELECT id FROM namespace WHERE name = ?", (name,))
            id = rows[0][0] if rows else memory.next_id("namespace")
            memory.namespaces[name] = id
            memory.namespace_names[id] = name
        old = self._batch.namespaces.get(id)
        self._batch.namespaces[id] = (name, at, at) if old is None else (name, min(old[1], at), max(old[2], at))
        return id

    def _namespace_name(self, id: int) -> str:
        names = self._memory.namespace_names
        if id not in names:
            names[id] = self._session.rows("SELECT name FROM namespace WHERE id = ?", (id,))[0][0]
            self._memory.namespaces[names[id]] = id
        return names[id]

    def _job(self, namespace: str, name: str, at: int) -> JobState:
        namespace_id = self._namespace(namespace, at)
        job = self._memory.find_job(namespace, name)
        if job is None:
            job = JobState(self._memory.next_id("job"), namespace_id, name, at)
            self._memory.remember_job(namespace, job)
            self._findable(tables.JOB, job.id, name)
        job.created_at = min(job.created_at, at)
        job.updated_at = max(job.updated_at, at)
        self._batch.jobs[job.id] = job
        return job

    def _dataset(self, namespace: str, name: str, at: int, *, alive: bool = True, dropped: bool = False) -> int:
        """The id of a reported name, with the times of this mention noted."""
        namespace_id = self._namespace(namespace, at)
        id = self._memory.datasets.get((namespace, name))
        if id is None:
            rows = self._session.rows(
                "SELECT id FROM dataset WHERE namespace_id = ? AND name = ?", (namespace_id, name)
            )
            if rows:
                id = rows[0][0]
            else:
                id = self._memory.next_id("dataset")
                self._findable(tables.DATASET, id, name)
            self._memory.datasets[namespace, name] = id
        alive_at, dropped_at = at if alive else None, at if dropped else None
        old = self._batch.datasets.get(id)
        if old is None:
            self._batch.datasets[id] = (id, namespace_id, name, id, at, at, alive_at, dropped_at)
        else:
            first, last = min(old[4], at), max(old[5], at)
            self._batch.datasets[id] = (
                *old[:4],
                first,
                last,
                _latest(old[6], alive_at),
                _latest(old[7], dropped_at),
            )
        return id

    def _findable(self, kind: int, owner: int, name: str) -> None:
        self._batch.search.append((self._memory.next_id("search"), kind, owner, name, folded(name)))

    def _run(self, uuid: bytes, run_id: str | None, declared: bool = False) -> RunState:
        memory = self._memory
        if uuid not in memory.runs and uuid not in self._checked:
            memory.load_runs([uuid])
        run = memory.runs.get(uuid)
        if run is None:
            plain = run_id is None or run_id.replace("-", "").lower() == uuid.hex()
            run = memory.remember_run(RunState(memory.next_id("run"), uuid, None if plain else run_id, declared))
        self._batch.runs[run.id] = run
        return run

    # -- a dataset of an event -----------------------------------------------------------------------

    def _mention(self, dataset: Dataset, at: int, run: RunState | None, job: JobState | None, direction: int) -> int:
        """Everything that one dataset of an event says."""
        facets = dataset.facets or {}
        lifecycle = (
            standard.read(standard.LifecycleStateChange, facets["lifecycleStateChange"])
            if ("lifecycleStateChange" in facets)
            else None
        )
        dropped = lifecycle is not None and lifecycle.lifecycleStateChange == "DROP"
        id = self._dataset(dataset.namespace, dataset.name, at, alive=not dropped, dropped=dropped)
        run_id = 0 if run is None or run.declared else run.id
        version, schema = "", None
        for name, raw in facets.items():
            hash = self._facet("dataset", id, 0, name, raw, at)
            if name == "schema":
                schema = self._schema(id, _NO_RUN if run is None else run.uuid, hash, raw, at)
            elif name == "symlinks":
                self._symlinks(id, raw, at)
            elif name == "dataSource":
                self._source(raw, at)
            elif name == "version":
                said = standard.read(standard.Version, raw)
                version = "" if said is None else indexable(str(said.datasetVersion))
            elif name == "columnLineage" and direction == OUTPUT:
                self._column_lineage(id, job, run, hash, raw, at)
            elif name == "lineage" and direction == OUTPUT:
                self._dataset_lineage(id, job, run, raw, at)
        if lifecycle is not None and lifecycle.lifecycleStateChange == "RENAME" and lifecycle.previousIdentifier:
            self._renamed(dataset, lifecycle.previousIdentifier, run, at)
        if run is not None:
            self._touch(run, direction, id, at)
            if direction == OUTPUT and not run.declared:
                state = None if lifecycle is None else lifecycle.lifecycleStateChange
                self._batch.version((id, run.id, version), at, state, schema)
        for owner, more in (("input", dataset.inputFacets), ("output", dataset.outputFacets)):
            for name, raw in (more or {}).items():
                self._facet(owner, run_id, id, name, raw, at)
        return id

    def _renamed(self, dataset: Dataset, previous: standard.PreviousIdentifier, run: RunState | None, at: int) -> None:
        """The old name is gone, and what was under it is where the new one comes from."""
        namespace, name = indexable(previous.namespace, _NAME), indexable(previous.name, _NAME)
        if (namespace, name) != (dataset.namespace, dataset.name):
            before = self._dataset(namespace, name, at, alive=False, dropped=True)
            if run is not None:
                self._touch(run, INPUT, before, at)

    def _touch(self, run: RunState, direction: int, dataset_id: int, at: int) -> None:
        """A run named a dataset."""
        first = run.io.get((direction, dataset_id))
        if first is None or at < first:
            run.io[direction, dataset_id] = at
            self._batch.io[run.id, direction, dataset_id] = at
            if run.named_at is None or at < run.named_at:
                run.named_at = at

    def _facet(self, owner: str, owner_id: int, other_id: int, name: str, raw: Raw, at: int) -> bytes:
        """The newest value of a facet holds; its content is stored once, and checked then."""
        hash = content_hash(raw)
        key = (_KINDS[owner], owner_id, other_id, indexable(name))
        data = bytes(raw)
        short = data if len(data) <= _SHORT else None
        old = self._batch.facets.get(key)
        if old is None or (at, hash) > old[:2]:
            self._batch.facets[key] = (at, hash, short)
        if hash not in self._memory.contents:
            self._memory.contents[hash] = None
            if short is None:
                self._batch.blobs[hash] = self._packer.pack(data)
            if b'"_deleted"' not in data and (problem := standard.problem(owner, name, raw)):
                self._note("invalid-facet", self._now, self._id, f"{owner}.facets.{name}", problem)
        return hash

    # -- facets that mean more than themselves -------------------------------------------------------

    def _schema(self, dataset_id: int, run: bytes, hash: bytes, raw: Raw, at: int) -> bytes | None:
        memory, batch = self._memory, self._batch
        known = memory.schemas.get(hash)
        if known is None:
            facet = standard.read(standard.Schema, raw)
            fields = _plain(facet.fields or []) if facet is not None else []
            if not fields:
                return None  # saying nothing of the columns does not take them away
            body = _encode(fields)
            known = (content_hash(body), tuple(dict.fromkeys(indexable(str(field["name"])) for field in fields)))
            memory.schemas[hash] = known
            batch.schemas[known[0]] = self._packer.pack(body)
        schema, names = known
        batch.schema((dataset_id, schema), at, run)
        if (dataset_id, schema) not in memory.dataset_schemas:
            memory.dataset_schemas[dataset_id, schema] = None
            for name in names:
                batch.fields[dataset_id, name] = None
                self._findable_column(name)
        return schema

    def _findable_column(self, name: str) -> None:
        if name not in self._memory.columns:
            self._memory.columns[name] = None
            stored = "SELECT 1 FROM search WHERE folded = ? AND kind = ? AND name = ?"
            if not self._session.rows(stored, (folded(name), tables.FIELD, name)):
                self._findable(tables.FIELD, 0, name)

    def _symlinks(self, dataset_id: int, raw: Raw, at: int) -> None:
        facet = standard.read(standard.Symlinks, raw)
        for link in (facet.identifiers if facet else None) or ():
            target = self._dataset(indexable(link.namespace, _NAME), indexable(link.name, _NAME), at)
            kind = indexable(link.type)
            if target != dataset_id and (dataset_id, target, kind) not in self._memory.symlinks:
                self._memory.symlinks[dataset_id, target, kind] = None
                self._batch.symlinks[dataset_id, target] = max(
                    kind, self._batch.symlinks.get((dataset_id, target), kind)
                )

    def _source(self, raw: Raw, at: int) -> None:
        facet = standard.read(standard.DataSource, raw)
        if facet is None or not facet.name:
            return
        name, url = indexable(facet.name), indexable(facet.uri or "", 10_000)
        kind = url.removeprefix("jdbc:").partition(":")[0].upper() or "UNKNOWN"
        old = self._batch.sources.get(name)
        if old is None:
            self._batch.sources[name] = (kind, url, at, at)
        else:
            newer = (kind, url) if (at, url) >= (old[3], old[1]) else old[:2]
            self._batch.sources[name] = (*newer, min(old[2], at), max(old[3], at))

    def _parent(self, raw: Raw, run: RunState, job: JobState, at: int) -> None:
        """A run's parent, which may not have sent an event yet."""
        facet = standard.read(standard.Parent, raw)
        if facet is None:
            return
        parent = self._named_run(facet.run.runId, facet.job, at)
        root = self._named_run(facet.root.run.runId, facet.root.job, at) if facet.root else None
        root_id = None if root is None or root.id == run.id else root.id
        if parent.id != run.id and (
            run.parent_at is None
            or (at, parent.uuid, self._uuid(root_id))
            >= (run.parent_at, self._uuid(run.parent_id), self._uuid(run.root_id))
        ):
            run.parent_id, run.parent_at, run.root_id = parent.id, at, root_id
        parent_job = self._job(indexable(facet.job.namespace, _NAME), indexable(facet.job.name, _NAME), at)
        if parent_job.id != job.id:
            stored = None if job.parent_id is None else self._memory.job_by_id(job.parent_id)
            if (
                job.parent_at is None
                or stored is None
                or ((at, *self._job_key(parent_job)) >= (job.parent_at, *self._job_key(stored)))
            ):
                job.parent_id, job.parent_at = parent_job.id, at

    def _named_run(self, run_id: str, job: standard.JobRef, at: int) -> RunState:
        """A run known by name: its own events say whose it is, a child's word only fills the gap."""
        run = self._run(run_uuid(run_id), indexable(run_id))
        named = self._job(indexable(job.namespace, _NAME), indexable(job.name, _NAME), at)
        if run.job_at is None or run.job_at == _NEVER:
            stored = None if run.job_id is None else self._memory.job_by_id(run.job_id)
            if stored is None or self._job_key(named) > self._job_key(stored):
                run.job_id, run.job_at = named.id, _NEVER
        return run

    def _uuid(self, run_id: int | None) -> bytes:
        return b"" if run_id is None else self._memory.run_by_id(run_id).uuid

    # -- column lineage and explicit lineage ---------------------------------------------------------

    def _column_lineage(
        self, dataset_id: int, job: JobState | None, run: RunState | None, hash: bytes, raw: Raw, at: int
    ) -> None:
        known = self._memory.facet_mappings.get(hash)
        if known is None:
            facet = standard.read(standard.ColumnLineage, raw)
            if facet is not None:
                known = self._mapping(column_claim(facet), at)
            elif _is_deleted(raw):
                known = self._mapping(_EMPTY, at)
            else:
                return
            self._memory.facet_mappings[hash] = known
        self._claim(job, dataset_id, COLUMNS, known, run, at)

    def _dataset_lineage(self, dataset_id: int, job: JobState | None, run: RunState | None, raw: Raw, at: int) -> None:
        facet = standard.read(standard.LineageDataset, raw)
        if facet is not None and (facet.inputs is not None or facet.fields is not None):
            self._explicit(facet, dataset_id, job, run, at)

    def _explicit(
        self,
        entry: standard.LineageEntry | standard.LineageDataset,
        dataset_id: int,
        job: JobState | None,
        run: RunState | None,
        at: int,
    ) -> None:
        mapping = self._mapping(explicit_claim(entry), at)
        self._claim(job, dataset_id, EXPLICIT, mapping, run, at)
        if run is not None and job is not None:
            for source in mapping[1]:
                self._touch(run, INPUT, source[0], at)
            for namespace, name in jobs_of(entry):
                self._link(namespace, name, job, at)

    def _job_facets(self, event_job: Job, job: JobState, run: RunState, at: int) -> None:
        for name, raw in (event_job.facets or {}).items():
            self._facet("job", job.id, 0, name, raw, at)
            if name == "lineage":
                facet = standard.read(standard.LineageJob, raw)
                for entry in facet.entries if facet else ():
                    self._lineage_entry(entry, job, run, at)

    def _lineage_entry(self, entry: standard.LineageEntry, job: JobState, run: RunState, at: int) -> None:
        if entry.type == "DATASET" and entry.name is not None:
            target = self._dataset(indexable(entry.namespace or "", _NAME), indexable(entry.name, _NAME), at)
            self._touch(run, OUTPUT, target, at)
            self._explicit(entry, target, job, run, at)
        elif entry.type == "JOB":
            if entry.name is not None:
                job, run = self._hearsay(entry.namespace or "", entry.name, at)
            for source in datasets_of(entry.inputs):
                fed = self._dataset(indexable(source.namespace or "", _NAME), indexable(source.name or "", _NAME), at)
                self._touch(run, INPUT, fed, at)
            for namespace, name in jobs_of(entry):
                self._link(namespace, name, job, at)

    def _hearsay(self, namespace: str, name: str, at: int) -> tuple[JobState, RunState]:
        """A job that another job's event speaks of: what its own events say comes first, whenever they come."""
        job = self._job(indexable(namespace, _NAME), indexable(name, _NAME), at)
        run = self._run(content_hash(self._hash + f"{namespace}\0{name}".encode()), None, declared=True)
        run.job_id, run.job_at, run.started_at, run.updated_at = job.id, at, at - _BEFORE_ALL, at
        self._batch.touched.setdefault(job.id, set()).add(run.id)
        return job, run

    def _link(self, namespace: str, name: str, job: JobState, at: int) -> None:
        self._link_jobs(self._job(indexable(namespace, _NAME), indexable(name, _NAME), at), job, at)

    def _link_jobs(self, source: JobState, target: JobState, at: int) -> None:
        if source.id != target.id:
            key = (source.id, target.id)
            self._batch.job_links[key] = min(self._batch.job_links.get(key, at), at)

    def _mapping(self, content: Content, at: int) -> Mapping:
        """The id of a claim's content, stored at first sight, and the datasets it names."""
        memory, batch = self._memory, self._batch
        sources = {
            (edge.namespace, edge.name): (indexable(edge.namespace, _NAME), indexable(edge.name, _NAME))
            for edge in content.edges
        }
        ids = {key: self._dataset(*name, at) for key, name in sources.items()}
        id = memory.mappings.get(content.hash)
        if id is None:
            rows = self._session.rows("SELECT id FROM mapping WHERE hash = ?", (content.hash,))
            id = rows[0][0] if rows else memory.next_id("mapping")
            memory.mappings[content.hash] = id
            if not rows:
                batch.mappings.append((id, content.hash))
                unique = {
                    (
                        id,
                        indexable(edge.out_field),
                        ids[edge.namespace, edge.name],
                        indexable(edge.in_field),
                    ): edge
                    for edge in content.edges
                }
                batch.mapping_edges += [(*key, edge.direct, edge.transformations) for key, edge in unique.items()]
        return id, tuple((ids[key], *name) for key, name in sources.items())

    def _claim(
        self,
        job: JobState | None,
        dataset_id: int,
        kind: int,
        mapping: Mapping,
        run: RunState | None,
        at: int,
    ) -> None:
        for _, namespace, name in mapping[1]:
            self._dataset(namespace, name, at)
        job_id = 0 if job is None else job.id
        self._batch.claim((job_id, dataset_id, kind, mapping[0]), at, _NO_RUN if run is None else run.uuid)


Mapping = tuple[int, tuple[tuple[int, str, str], ...]]  # its id, and each input dataset: id, namespace, name
_EMPTY = Content(content_hash(b"[]"), ())


def _latest(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def _is_deleted(raw: Raw) -> bool:
    try:
        return bool(msgspec.json.decode(raw).get("_deleted"))
    except (msgspec.DecodeError, AttributeError):
        return False


def _plain(fields: list[standard.SchemaField]) -> list[dict[str, object]]:
    """A schema's identity: names, types and nesting in order, without descriptions."""
    return [
        {"name": field.name, "type": field.type} | ({"fields": _plain(field.fields)} if field.fields else {})
        for field in fields
    ]
