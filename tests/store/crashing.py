"""A process that writes until it is killed, saying which events were acknowledged: `python -m … URL SEED`."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

from headwater.openlineage.events import Event
from headwater.settings import load_settings
from headwater.store.database import open_database
from headwater.store.writer import Writer
from tests.events import columns, dataset, facet, parent, run_event, schema, symlinks, version

SENDERS = 6


def story(seed: int) -> list[Event]:
    """A long stream of events that all touch the same few jobs and datasets, in an odd order."""
    events: list[Event] = []
    for n in range(1, 400):
        table = f"t{n % 7}"
        facets = {"parent": parent(n // 10 * 10 + 5_000, "dag")}
        made = dataset(
            table,
            schema=schema(id="int", **{f"c{n % 3}": "float"}),
            version=version(str(n)),
            columnLineage=columns({"id": [f"t{n % 5}.id"]}),
            symlinks=symlinks(("lake", f"{table}/")),
            notes=facet(text="x" * (n % 900)),
        )
        events.append(run_event("START", n, f"job {n % 11}", inputs=[f"t{n % 5}"], at=n, facets=facets))
        events.append(run_event("COMPLETE", n, f"job {n % 11}", outputs=[made], at=n + 3))
    random.Random(seed).shuffle(events)
    return events


async def write(writer: Writer, events: list[Event]) -> None:
    async def send(sender: int) -> None:
        for index in range(sender, len(events), SENDERS):
            await writer.write([events[index]])
            print(index, flush=True)

    await asyncio.gather(*(send(sender) for sender in range(SENDERS)))


def main(url: str, seed: int) -> None:
    database = open_database(url)
    writer = Writer(database, load_settings({}, {}, Path("/")))
    writer.start()
    asyncio.run(write(writer, story(seed)))
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
