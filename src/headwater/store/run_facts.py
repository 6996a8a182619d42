"""What an event says of a run: its state, its job, its parent."""

from __future__ import annotations

from msgspec import Raw

from headwater.openlineage import facets as standard
from headwater.openlineage.events import Event, parse_time, run_uuid
from headwater.store.ledger import Ledger
from headwater.store.memory import JobState, RunState
from headwater.store.text import indexable

TERMINAL = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
# Two ends at one instant: the worse news holds.
_SEVERITY = {"FAILED": 0, "ABORTED": 1, "COMPLETED": 2}
_NEVER = -(2**62)  # the time of a word that any event overrules


def _lost_at(event: Event) -> int | None:
    """Of the server's own note that a run is lost: the run's last sign of life, which is the note's place in time."""
    raw = (event.run.facets or {}).get(standard.LOST) if event.type == "OTHER" and event.run is not None else None
    facet = standard.read(standard.Lost, raw) if raw is not None else None
    try:
        return parse_time(facet.lastSeen) if facet is not None else None
    except (ValueError, OverflowError):
        return None


class RunFacts:
    """Writes what is said of runs into a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def event(self, event: Event, job: JobState) -> RunState:
        """A RunEvent's run, with its state moved on."""
        assert event.run is not None
        assert event.run_uuid is not None
        lost_at = _lost_at(event)
        at = event.time if lost_at is None else lost_at
        run = self._ledger.run(event.run_uuid, indexable(event.run.runId))
        if run.updated_at is not None and at < run.updated_at and lost_at is None:
            behind = (run.updated_at - at) / 1_000_000
            self._ledger.note("out-of-order", "eventTime", f"a later event of this run came {behind:.3f} s earlier")
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
        elif run.ended_at is None and (event.type != "OTHER" or run.lost_at is not None):
            run.state = "RUNNING"
        if lost_at is not None and (run.lost_at is None or lost_at > run.lost_at):
            run.lost_at = lost_at
        if run.ended_at is None and run.lost_at is not None:
            run.state = "LOST" if run.lost_at >= run.updated_at else "RUNNING"
        for name, raw in (event.run.facets or {}).items():
            self._ledger.facet("run", run.id, 0, name, raw, at)
            if name == "parent":
                self._parent(raw, run, job, at)
            elif name == standard.LEASE:
                self._lease(raw, run)
        return run

    def _lease(self, raw: Raw, run: RunState) -> None:
        """The run is alive now, by our clock: that of its machine may be wrong, and its event may have waited."""
        facet = standard.read(standard.Lease, raw)
        if facet is not None and run.ended_at is None:
            self._ledger.batch.leases[run.id] = (facet.seconds, self._ledger.now + facet.seconds * 1_000_000)

    def declared(self, hash: bytes, job: JobState, at: int) -> RunState:
        """A JobEvent claims edges as a run does, without being one."""
        run = self._ledger.run(hash, None, declared=True)
        run.job_id, run.job_at, run.started_at, run.updated_at = job.id, at, at, at
        return run

    def _assign_job(self, run: RunState, job: JobState, at: int) -> None:
        """The newest event says whose run it is."""
        if run.job_id is None or run.job_at is None:
            run.job_id, run.job_at = job.id, at
        elif run.job_id == job.id:
            run.job_at = max(run.job_at, at)
        elif (at, *self._ledger.job_key(job)) > (run.job_at, *self._key_of(run.job_id)):
            self._ledger.batch.touched.setdefault(run.job_id, set()).add(run.id)
            run.job_id, run.job_at = job.id, at
            run.moved = run.started_at is not None

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
        parent_job = self._ledger.named_job(facet.job.namespace, facet.job.name, at)
        if parent_job.id != job.id:
            stored = None if job.parent_id is None else self._ledger.memory.job_by_id(job.parent_id)
            if (
                job.parent_at is None
                or stored is None
                or ((at, *self._ledger.job_key(parent_job)) >= (job.parent_at, *self._ledger.job_key(stored)))
            ):
                job.parent_id, job.parent_at = parent_job.id, at

    def _named_run(self, run_id: str, job: standard.JobRef, at: int) -> RunState:
        """A run known by name: its own events say whose it is, a child's word only fills the gap."""
        run = self._ledger.run(run_uuid(run_id), indexable(run_id))
        named = self._ledger.named_job(job.namespace, job.name, at)
        if run.job_at is None or run.job_at == _NEVER:
            stored = None if run.job_id is None else self._ledger.memory.job_by_id(run.job_id)
            if stored is None or self._ledger.job_key(named) > self._ledger.job_key(stored):
                run.job_id, run.job_at = named.id, _NEVER
        return run

    def _key_of(self, job_id: int) -> tuple[str, str]:
        return self._ledger.job_key(self._ledger.memory.job_by_id(job_id))

    def _uuid(self, run_id: int | None) -> bytes:
        return b"" if run_id is None else self._ledger.memory.run_by_id(run_id).uuid
