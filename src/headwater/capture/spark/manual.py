"""Runs reported by hand, for code that no listener can see: `with run("name", inputs=[…], outputs=[…]) as this: …`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol

from headwater.capture.emitter import Emitter
from headwater.capture.ending import Ending, ending_of, when_process_ends
from headwater.capture.leases import leases_of
from headwater.capture.run_events import RunOf, error_facets, facet, job_type_facet, new_run_id, parent_facet
from headwater.capture.spark.defaults import DEFAULTS

log = logging.getLogger(__name__)

ColumnRef = tuple[str, str, str]


@dataclass(frozen=True)
class Dataset:
    """A dataset with what is known of it beyond its name.

    `schema` has the type of each column. `columns` has, for columns of an output, the columns that they are made from,
    each as namespace, dataset and column.
    """

    namespace: str
    name: str
    schema: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Sequence[ColumnRef]] = field(default_factory=dict)


class Named(Protocol):
    """Anything with a namespace and a name, such as a dataset of OpenLineage's own client."""

    @property
    def namespace(self) -> str: ...

    @property
    def name(self) -> str: ...


Given = Dataset | Named | tuple[str, str]


def run(
    name: str,
    inputs: Iterable[Given] = (),
    outputs: Iterable[Given] = (),
    *,
    namespace: str | None = None,
    emitter: Emitter | None = None,
) -> ManualRun:
    """A run of the job `name` around a block: START before it, RUNNING with the datasets, and its end after it.

    The end is COMPLETE, FAIL with the error, or ABORT for Ctrl-C and SIGTERM. A run inside another is part of it. Where
    events go and the namespace are as the settings say unless given. Nothing here ever fails the block.
    """
    return ManualRun(name, tuple(inputs or ()), tuple(outputs or ()), namespace, emitter)


class ManualRun:
    """The run of a block; what the block reads and writes can still be added inside it."""

    def __init__(
        self,
        name: str,
        inputs: Sequence[Given],
        outputs: Sequence[Given],
        namespace: str | None,
        emitter: Emitter | None,
    ) -> None:
        self._emitter = emitter or DEFAULTS.emitter()
        self._run = RunOf(new_run_id(), namespace or DEFAULTS.namespace(), name)
        self._inputs, self._outputs = _datasets(inputs), _datasets(outputs)
        self._leases = leases_of(self._emitter)
        self._parent: dict[str, Any] | None = None
        self._before: Token[dict[str, Any] | None] | None = None
        self._forget: Callable[[], None] = lambda: None
        self._open = False
        self._lock = threading.RLock()

    def __enter__(self) -> ManualRun:
        _safely(self._start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        _safely(lambda: self._leave(ending_of(error)))

    def add_input(self, *datasets: Given) -> None:
        """Say that the block reads these too."""
        _safely(lambda: self._add(self._inputs, datasets))

    def add_output(self, *datasets: Given) -> None:
        """Say that the block writes these too."""
        _safely(lambda: self._add(self._outputs, datasets))

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._run.run_id

    def _start(self) -> None:
        self._parent = _around.get() or DEFAULTS.parent()
        root = self._parent.get("root") if self._parent else None
        self._before = _around.set(parent_facet(self._run.run_id, self._run.namespace, self._run.name, root))
        self._open = True
        self._send("START", bare=True)
        if self._inputs or self._outputs:
            self._send("RUNNING")
        self._leases.hold(self._run.run_id, lambda: self._send("RUNNING"))
        self._forget = when_process_ends(self._end)

    def _leave(self, ending: Ending) -> None:
        self._end(ending)
        if self._before is not None:
            _around.reset(self._before)

    def _end(self, ending: Ending) -> None:
        with self._lock:
            if not self._open:
                return
            self._open = False
        self._forget()
        self._leases.release(self._run.run_id)
        self._send(ending.kind, error_facets(ending))

    def _add(self, side: dict[tuple[str, str], Given], datasets: Iterable[Given]) -> None:
        side |= _datasets(datasets)
        if self._open:
            self._send("RUNNING")

    def _send(self, kind: str, facets: Mapping[str, Any] | None = None, *, bare: bool = False) -> None:
        lasting = self._leases.facet() if facets is None else facets
        self._emitter.emit(
            self._run.event(
                kind,
                {**lasting, **({"parent": self._parent} if self._parent else {})},
                {"jobType": job_type_facet("JOB", "BATCH", "PYTHON")},
                () if bare else [_described(one, "inputFacets") for one in self._inputs.values()],
                () if bare else [_described(one, "outputFacets") for one in self._outputs.values()],
            )
        )


# -- datasets --------------------------------------------------------------------------------------


def _datasets(given: Iterable[Given]) -> dict[tuple[str, str], Given]:
    """Datasets by their names; what is none is left out, with a word about it."""
    found: dict[tuple[str, str], Given] = {}
    for each in given:
        try:
            namespace, name = each if isinstance(each, tuple) else (each.namespace, each.name)
        except (AttributeError, ValueError):
            namespace = name = ""
        if _is_text(namespace) and _is_text(name):
            found[namespace, name] = each
        else:
            log.warning("%r is left out of the lineage: expected (namespace, name) or a Dataset", each)
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _described(given: Given, group: str) -> dict[str, Any]:
    if isinstance(given, tuple):
        return {"namespace": given[0], "name": given[1], "facets": {}, group: {}}
    known: dict[str, Any] = {}
    if isinstance(given, Dataset):
        if given.schema:
            fields = [{"name": name, "type": kind} for name, kind in given.schema.items()]
            known["schema"] = facet("1-2-0/SchemaDatasetFacet", fields=fields)
        if given.columns:
            made = {column: {"inputFields": [*map(_column, used)]} for column, used in given.columns.items()}
            known["columnLineage"] = facet("1-2-0/ColumnLineageDatasetFacet", fields=made)
    return {"namespace": given.namespace, "name": given.name, "facets": known, group: {}}


def _column(used: ColumnRef) -> dict[str, Any]:
    namespace, name, column = used
    how = {"type": "DIRECT", "subtype": "TRANSFORMATION"}
    return {"namespace": namespace, "name": name, "field": column, "transformations": [how]}


_around: ContextVar[dict[str, Any] | None] = ContextVar("headwater_run", default=None)


def _safely(step: Callable[[], object]) -> None:
    try:
        step()
    except Exception as error:
        # Whatever it is, the block whose lineage this is goes on.
        log.warning("the lineage of a run may be incomplete: %s", error)
