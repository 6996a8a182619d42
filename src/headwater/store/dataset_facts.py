"""What an event says of a dataset: its life, its columns, its other names."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from headwater.openlineage import facets as standard
from headwater.openlineage.events import LONGEST_NAME, Dataset, content_hash
from headwater.store import tables
from headwater.store.ledger import NO_RUN, Ledger
from headwater.store.lineage_facts import LineageFacts
from headwater.store.memory import JobState, RunState
from headwater.store.packing import pack
from headwater.store.tables import INPUT, OUTPUT
from headwater.store.text import folded, indexable

_encode = msgspec.json.Encoder().encode


class DatasetFacts:
    """Writes what is said of datasets into a ledger."""

    def __init__(self, ledger: Ledger, lineage: LineageFacts) -> None:
        self._ledger = ledger
        self._lineage = lineage

    def mention(self, dataset: Dataset, at: int, run: RunState | None, job: JobState | None, direction: int) -> int:
        """Everything that one dataset of an event says."""
        facets = dataset.facets or {}
        lifecycle = (
            standard.read(standard.LifecycleStateChange, facets["lifecycleStateChange"])
            if ("lifecycleStateChange" in facets)
            else None
        )
        dropped = lifecycle is not None and lifecycle.lifecycleStateChange == "DROP"
        id = self._ledger.dataset(dataset.namespace, dataset.name, at, alive=not dropped, dropped=dropped)
        run_id = 0 if run is None or run.declared else run.id
        version, schema = "", None
        for name, raw in facets.items():
            hash = self._ledger.facet("dataset", id, 0, name, raw, at)
            if name == "schema":
                schema = self._schema(id, run, direction == OUTPUT, hash, raw, at)
            elif name == "symlinks":
                self._symlinks(id, raw, at)
            elif name == "dataSource":
                self._source(raw, at)
            elif name == "version":
                said = standard.read(standard.Version, raw)
                version = "" if said is None else indexable(str(said.datasetVersion))
            elif name == "columnLineage" and direction == OUTPUT:
                self._lineage.column_lineage(id, job, run, hash, raw, at)
            elif name == "lineage" and direction == OUTPUT:
                self._lineage.dataset_lineage(id, job, run, raw, at)
        if lifecycle is not None and lifecycle.lifecycleStateChange == "RENAME" and lifecycle.previousIdentifier:
            self._renamed(dataset, lifecycle.previousIdentifier, run, at)
        if run is not None:
            self._ledger.touch(run, direction, id, at)
            if direction == OUTPUT and not run.declared:
                state = None if lifecycle is None else lifecycle.lifecycleStateChange
                self._ledger.batch.version((id, run.id, version), at, state, schema)
        for owner, more in (("input", dataset.inputFacets), ("output", dataset.outputFacets)):
            for name, raw in (more or {}).items():
                self._ledger.facet(owner, run_id, id, name, raw, at)
        return id

    def _renamed(self, dataset: Dataset, previous: standard.PreviousIdentifier, run: RunState | None, at: int) -> None:
        """The old name is gone, and what was under it is where the new one comes from."""
        namespace, name = indexable(previous.namespace, LONGEST_NAME), indexable(previous.name, LONGEST_NAME)
        if (namespace, name) != (dataset.namespace, dataset.name):
            before = self._ledger.dataset(namespace, name, at, alive=False, dropped=True)
            if run is not None:
                self._ledger.touch(run, INPUT, before, at)

    def _schema(
        self, dataset_id: int, run: RunState | None, written: bool, hash: bytes, raw: Raw, at: int
    ) -> bytes | None:
        memory, batch = self._ledger.memory, self._ledger.batch
        known = memory.schemas.get(hash)
        if known is None:
            facet = standard.read(standard.Schema, raw)
            fields = _plain(facet.fields or []) if facet is not None else []
            if not fields:
                return None  # saying nothing of the columns does not take them away
            body = _encode(fields)
            known = (content_hash(body), tuple(dict.fromkeys(indexable(str(field["name"])) for field in fields)))
            memory.schemas[hash] = known
            batch.schemas[known[0]] = pack(body)
        schema, names = known
        batch.schema((dataset_id, schema), at, NO_RUN if run is None else run.uuid, written)
        if (dataset_id, schema) not in memory.dataset_schemas:
            memory.dataset_schemas[dataset_id, schema] = None
            for name in names:
                batch.fields[dataset_id, name] = None
                self._findable_column(name)
        return schema

    def _findable_column(self, name: str) -> None:
        if name not in self._ledger.memory.columns:
            self._ledger.memory.columns[name] = None
            stored = "SELECT 1 FROM search WHERE folded = ? AND kind = ? AND name = ?"
            if not self._ledger.session.rows(stored, (folded(name), tables.FIELD, name)):
                self._ledger.findable(tables.FIELD, 0, name)

    def _symlinks(self, dataset_id: int, raw: Raw, at: int) -> None:
        facet = standard.read(standard.Symlinks, raw)
        for link in (facet.identifiers if facet else None) or ():
            target = self._ledger.named_dataset(link.namespace, link.name, at)
            kind = indexable(link.type)
            if target != dataset_id and (dataset_id, target, kind) not in self._ledger.memory.symlinks:
                self._ledger.memory.symlinks[dataset_id, target, kind] = None
                self._ledger.batch.symlinks[dataset_id, target] = max(
                    kind, self._ledger.batch.symlinks.get((dataset_id, target), kind)
                )

    def _source(self, raw: Raw, at: int) -> None:
        facet = standard.read(standard.DataSource, raw)
        if facet is None or not facet.name:
            return
        name, url = indexable(facet.name), indexable(facet.uri or "", 10_000)
        kind = url.removeprefix("jdbc:").partition(":")[0].upper() or "UNKNOWN"
        old = self._ledger.batch.sources.get(name)
        if old is None:
            self._ledger.batch.sources[name] = (kind, url, at, at)
        else:
            newer = (kind, url) if (at, url) >= (old[3], old[1]) else old[:2]
            self._ledger.batch.sources[name] = (*newer, min(old[2], at), max(old[3], at))


def _plain(fields: list[standard.SchemaField]) -> list[dict[str, object]]:
    """A schema's identity: names, types and nesting in order, without descriptions."""
    return [
        {"name": field.name, "type": field.type} | ({"fields": _plain(field.fields)} if field.fields else {})
        for field in fields
    ]
