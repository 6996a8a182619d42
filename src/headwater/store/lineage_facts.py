"""What facets say of where data comes from: column lineage, and lineage that is spelled out."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from headwater.openlineage import facets as standard
from headwater.openlineage.events import LONGEST_NAME, content_hash
from headwater.store.claims import Content, column_claim, datasets_of, explicit_claim, jobs_of
from headwater.store.ledger import NO_RUN, Ledger
from headwater.store.memory import JobState, Mapping, RunState
from headwater.store.tables import COLUMNS, EXPLICIT, INPUT, OUTPUT
from headwater.store.text import indexable

_BEFORE_ALL = 10**17  # microseconds: puts a time before that of any run, and keeps the order among such
_EMPTY = Content(content_hash(b"[]"), ())


class LineageFacts:
    """Writes claims of how datasets are made into a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def column_lineage(
        self, dataset_id: int, job: JobState | None, run: RunState | None, hash: bytes, raw: Raw, at: int
    ) -> None:
        """What a columnLineage facet claims; one seen before costs a look-up."""
        known = self._ledger.memory.facet_mappings.get(hash)
        if known is None:
            facet = standard.read(standard.ColumnLineage, raw)
            if facet is not None:
                known = self._mapping(column_claim(facet), at)
            elif _is_deleted(raw):
                known = self._mapping(_EMPTY, at)
            else:
                return
            self._ledger.memory.facet_mappings[hash] = known
        self._claim(job, dataset_id, COLUMNS, known, run, at)

    def dataset_lineage(self, dataset_id: int, job: JobState | None, run: RunState | None, raw: Raw, at: int) -> None:
        """What a dataset's explicit lineage facet claims."""
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
                self._ledger.touch(run, INPUT, source[0], at)
            for namespace, name in jobs_of(entry):
                self._link(namespace, name, job, at)

    def job_entry(self, entry: standard.LineageEntry, job: JobState, run: RunState, at: int) -> None:
        """What one entry of a job's explicit lineage facet claims."""
        if entry.type == "DATASET" and entry.name is not None:
            target = self._ledger.named_dataset(entry.namespace, entry.name, at)
            self._ledger.touch(run, OUTPUT, target, at)
            self._explicit(entry, target, job, run, at)
        elif entry.type == "JOB":
            if entry.name is not None:
                job, run = self._hearsay(entry.namespace or "", entry.name, at)
            for source in datasets_of(entry.inputs):
                fed = self._ledger.named_dataset(source.namespace, source.name, at)
                self._ledger.touch(run, INPUT, fed, at)
            for namespace, name in jobs_of(entry):
                self._link(namespace, name, job, at)

    def _hearsay(self, namespace: str, name: str, at: int) -> tuple[JobState, RunState]:
        """A job that another job's event speaks of: what its own events say comes first, whenever they come."""
        job = self._ledger.named_job(namespace, name, at)
        run = self._ledger.run(
            content_hash(self._ledger.event_hash + f"{namespace}\0{name}".encode()), None, declared=True
        )
        run.job_id, run.job_at, run.started_at, run.updated_at = job.id, at, at - _BEFORE_ALL, at
        self._ledger.batch.touched.setdefault(job.id, set()).add(run.id)
        return job, run

    def _link(self, namespace: str, name: str, job: JobState, at: int) -> None:
        self._link_jobs(self._ledger.named_job(namespace, name, at), job, at)

    def _link_jobs(self, source: JobState, target: JobState, at: int) -> None:
        if source.id != target.id:
            key = (source.id, target.id)
            self._ledger.batch.job_links[key] = min(self._ledger.batch.job_links.get(key, at), at)

    def _mapping(self, content: Content, at: int) -> Mapping:
        """The id of a claim's content, stored at first sight, and the datasets it names."""
        memory, batch = self._ledger.memory, self._ledger.batch
        sources = {
            (edge.namespace, edge.name): (indexable(edge.namespace, LONGEST_NAME), indexable(edge.name, LONGEST_NAME))
            for edge in content.edges
        }
        ids = {key: self._ledger.dataset(*name, at) for key, name in sources.items()}
        id = memory.mappings.get(content.hash)
        if id is None:
            rows = self._ledger.session.rows("SELECT id FROM mapping WHERE hash = ?", (content.hash,))
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
            self._ledger.dataset(namespace, name, at)
        job_id = 0 if job is None else job.id
        self._ledger.batch.claim((job_id, dataset_id, kind, mapping[0]), at, NO_RUN if run is None else run.uuid)


def _is_deleted(raw: Raw) -> bool:
    try:
        return bool(msgspec.json.decode(raw).get("_deleted"))
    except (msgspec.DecodeError, AttributeError, RecursionError):
        return False
