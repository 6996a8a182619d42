"""What was said of a dataset when it was written, from the events themselves."""

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection, select

from headwater.store.packing import unpack
from headwater.store.read.datasets import DatasetRow
from headwater.store.read.facets import Facets
from headwater.store.read.lists import rows_for
from headwater.store.tables import event

MOST_EVENTS = 8  # of one run: a stream has any number, and each says the same or more


class _Output(Struct):
    namespace: str
    name: str
    facets: dict[str, Raw] | None = None


class _Event(Struct):
    outputs: list[_Output] | None = None


_decoder = msgspec.json.Decoder(_Event)


def facets_when_written(db: Connection, writes: Mapping[tuple[DatasetRow, int], int]) -> dict[tuple[int, int], Facets]:
    """(dataset, run) -> the dataset's facets in the run's events up to the time given for the write."""
    runs = {run_id for _, run_id in writes}
    statement = select(event.c.run_id, event.c.id, event.c.event_time)
    by_run: dict[int, list[tuple[int, int]]] = {}
    for run_id, id, at in rows_for(db, statement, event.c.run_id, runs):
        by_run.setdefault(run_id, []).append((at, id))
    until_of: dict[int, int] = {}
    for (_, run_id), until in writes.items():
        until_of[run_id] = max(until, until_of.get(run_id, until))
    chosen = {
        run_id: sorted(one for one in events if one[0] <= until_of[run_id])[-MOST_EVENTS:]
        for run_id, events in by_run.items()
    }
    ids = [id for events in chosen.values() for _, id in events]
    bodies = dict(map(tuple, rows_for(db, select(event.c.id, event.c.body), event.c.id, ids)))
    found: dict[tuple[int, int], Facets] = {}
    for (row, run_id), until in writes.items():
        facets = found.setdefault((row.id, run_id), {})
        for at, id in chosen.get(run_id, ()):
            if at <= until and id in bodies:
                for output in _decoder.decode(unpack(bodies[id])).outputs or ():
                    if (output.namespace, output.name) == (row.namespace, row.name):
                        facets |= {name: bytes(body) for name, body in (output.facets or {}).items()}
    return found
