"""One batch being written up: names become ids, and what is said of them becomes rows."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Raw

from headwater.openlineage import facets as standard
from headwater.openlineage.events import LONGEST_NAME, content_hash
from headwater.store import tables
from headwater.store.batch import Batch
from headwater.store.memory import JobState, Memory, RunState
from headwater.store.packing import pack
from headwater.store.session import Session
from headwater.store.text import folded, indexable

NO_RUN = bytes(16)
_SHORT = 300  # bytes of a facet that is kept in its own row: a place of its own would cost more than it saves
_KINDS = {
    "job": tables.JOB,
    "dataset": tables.DATASET,
    "run": tables.RUN,
    "input": tables.INPUT_FACET,
    "output": tables.OUTPUT_FACET,
}


class Ledger:
    """What every part of the fold writes into. `event_id`, `event_hash` and `now` are those of the event at hand."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.event_id, self.event_hash, self.now = 0, b"", 0
        self.forget()

    def forget(self) -> None:
        """Drop everything in mind."""
        self.memory = Memory(self.session)
        self.open(())

    def open(self, looked_up: Collection[bytes]) -> None:
        """Begin a new batch; runs with these UUIDs are in mind if they are stored."""
        self.batch = Batch()
        self._looked_up = looked_up

    def namespace(self, name: str, at: int) -> int:
        """The id of a namespace, made if need be."""
        memory = self.memory
        id = memory.namespaces.get(name)
        if id is None:
            rows = self.session.rows("SELECT id FROM namespace WHERE name = ?", (name,))
            id = rows[0][0] if rows else memory.next_id("namespace")
            memory.namespaces[name] = id
            memory.namespace_names[id] = name
        old = self.batch.namespaces.get(id)
        if old is None:
            self.batch.namespaces[id] = (name, at, at)
        elif not old[1] <= at <= old[2]:
            self.batch.namespaces[id] = (name, min(old[1], at), max(old[2], at))
        return id

    def namespace_name(self, id: int) -> str:
        """The name of a stored namespace."""
        names = self.memory.namespace_names
        if id not in names:
            names[id] = self.session.rows("SELECT name FROM namespace WHERE id = ?", (id,))[0][0]
            self.memory.namespaces[names[id]] = id
        return names[id]

    def job_key(self, job: JobState) -> tuple[str, str]:
        """What orders two jobs where their times do not."""
        return self.namespace_name(job.namespace_id), job.name

    def job(self, namespace: str, name: str, at: int) -> JobState:
        """A job, with the time of this mention noted."""
        namespace_id = self.namespace(namespace, at)
        job = self.memory.find_job(namespace, name)
        if job is None:
            job = JobState(self.memory.next_id("job"), namespace_id, name, at)
            self.memory.remember_job(namespace, job)
            self.batch.new_jobs[namespace_id] += 1
            self.findable(tables.JOB, job.id, name)
        job.created_at = min(job.created_at, at)
        job.updated_at = max(job.updated_at, at)
        self.batch.jobs[job.id] = job
        return job

    def dataset(self, namespace: str, name: str, at: int, *, alive: bool = True, dropped: bool = False) -> int:
        """The id of a reported name, with the times of this mention noted."""
        id = self.memory.datasets.get((namespace, name))
        known = None if id is None else self.batch.datasets.get(id)
        if id is not None and known is not None and alive and known[4] <= at <= known[5] == known[6]:
            return id  # all of this was noted, of its namespace too
        namespace_id = self.namespace(namespace, at)
        if id is None:
            id = self._dataset_id(namespace_id, namespace, name)
        alive_at, dropped_at = at if alive else None, at if dropped else None
        if known is None:
            self.batch.datasets[id] = (id, namespace_id, name, id, at, at, alive_at, dropped_at)
        else:
            times = (min(known[4], at), max(known[5], at), _latest(known[6], alive_at), _latest(known[7], dropped_at))
            self.batch.datasets[id] = (*known[:4], *times)
        return id

    def _dataset_id(self, namespace_id: int, namespace: str, name: str) -> int:
        rows = self.session.rows("SELECT id FROM dataset WHERE namespace_id = ? AND name = ?", (namespace_id, name))
        if rows:
            id: int = rows[0][0]
        else:
            id = self.memory.next_id("dataset")
            self.batch.new_datasets[namespace_id] += 1
            self.findable(tables.DATASET, id, name)
        self.memory.datasets[namespace, name] = id
        return id

    def findable(self, kind: int, owner: int, name: str) -> None:
        """Let search find a name."""
        self.batch.search.append((self.memory.next_id("search"), kind, owner, name, folded(name)))

    def run(self, uuid: bytes, run_id: str | None, declared: bool = False) -> RunState:
        """A run, made if need be; `run_id` is the id as it was sent."""
        memory = self.memory
        if uuid not in memory.runs and uuid not in self._looked_up:
            memory.load_runs([uuid])
        run = memory.runs.get(uuid)
        if run is None:
            plain = run_id is None or run_id.replace("-", "").lower() == uuid.hex()
            run = memory.remember_run(RunState(memory.next_id("run"), uuid, None if plain else run_id, declared))
        self.batch.runs[run.id] = run
        return run

    def touch(self, run: RunState, direction: int, dataset_id: int, at: int) -> None:
        """A run named a dataset."""
        first = run.io.get((direction, dataset_id))
        if first is None or at < first:
            run.io[direction, dataset_id] = at
            self.batch.io[run.id, direction, dataset_id] = at
            if run.named_at is None or at < run.named_at:
                run.named_at = at

    def note(self, kind: str, field: str, message: str, event_id: int | None = None) -> None:
        """Something about the event at hand that people should see."""
        id = self.memory.next_id("diagnostic")
        row = (id, kind, self.now, event_id or self.event_id, indexable(field), indexable(message, 10_000), None)
        self.batch.diagnostics.append(row)

    def facet(self, owner: str, owner_id: int, other_id: int, name: str, raw: Raw, at: int) -> bytes:
        """The newest value of a facet holds; its content is stored once, and checked then."""
        hash = content_hash(raw)
        content, contents = (owner, name, hash), self.memory.contents
        if content not in contents:
            contents[content] = self._new_content(owner, name, hash, raw)
        key = (_KINDS[owner], owner_id, other_id, indexable(name))
        old = self.batch.facets.get(key)
        if old is None or (at, hash) > old[:2]:
            self.batch.facets[key] = (at, hash, contents[content])
        return hash

    def _new_content(self, owner: str, name: str, hash: bytes, raw: Raw) -> bytes | None:
        """Check and store a facet that was not seen before; returned if it is to stand in its own row."""
        data = bytes(raw)
        if b'"_deleted"' not in data and (problem := standard.problem(owner, name, raw)):
            self.note("invalid-facet", f"{owner}.facets.{name}", problem)
        if len(data) <= _SHORT:
            return data
        self.batch.blobs[hash] = pack(data)
        return None

    # -- names inside facets, which nobody has checked ------------------------------------------------

    def named_dataset(self, namespace: str | None, name: str | None, at: int) -> int:
        """A dataset that a facet names."""
        return self.dataset(indexable(namespace or "", LONGEST_NAME), indexable(name or "", LONGEST_NAME), at)

    def named_job(self, namespace: str | None, name: str, at: int) -> JobState:
        """A job that a facet names."""
        return self.job(indexable(namespace or "", LONGEST_NAME), indexable(name, LONGEST_NAME), at)


def _latest(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)
