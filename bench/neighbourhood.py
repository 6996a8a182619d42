"""A hundred nodes around a dataset, with a thousand datasets stored and with a million."""

import json
from collections.abc import Iterator
from urllib.parse import quote

from bench import processes
from bench.client import BenchError, Reader
from bench.context import HUB_READERS, Context
from bench.events import BULK_BLOCK, bulk_dataset
from bench.processes import Databases
from bench.reads import Timing, ask
from bench.report import Figure, Target

NODES = 100


def measure(context: Context) -> Iterator[Figure]:
    """The median with much stored, beside the median with little."""
    few, many = BULK_BLOCK, context.scaled(100_000, 5_000)
    for databases in context.databases:
        group = f"Neighbourhood of {NODES} nodes on {databases.name}"
        small, _ = _times(context, databases, few)
        large, hub = _times(context, databases, many)
        yield from (
            Figure(group, f"/api/v2/graph with {10 * few:,} datasets stored", small.median, "s", note=small.cpu),
            Figure(
                group,
                f"/api/v2/graph with {10 * many:,} datasets stored",
                large.median,
                "s",
                target=Target(2 * small.median, "twice as long at most"),
                note=f"{large.median / small.median:.2f}× as long, {large.cpu}",
            ),
            Figure(group, f"the same around a hub with {HUB_READERS:,} readers", hub.median, "s", note=hub.cpu),
        )


def _times(context: Context, databases: Databases, jobs: int) -> tuple[Timing, Timing]:
    """Answers around datasets all over the store, and around the hub."""
    repeats = context.scaled(200, 20)
    url = context.bulk_database(databases, jobs)
    with processes.headwater(url) as server, Reader(server.url) as reader:
        # The same place of blocks far apart, so that no answer is warm from the one before.
        blocks = jobs // BULK_BLOCK
        places = [number * 7919 % blocks * BULK_BLOCK + 44 for number in range(repeats)]
        paths = [_path(f"dataset:bulk-db:{bulk_dataset(place)}") for place in places]
        nodes = len(json.loads(reader.get(paths[0])[0])["nodes"])
        if nodes != NODES:
            raise BenchError(f"GET {paths[0]} has {nodes} nodes; {NODES} were expected")
        pids = (server.pid, databases.pid)
        hub = _path("dataset:hub-db:hub")
        return ask(reader, paths, repeats, pids), ask(reader, [hub], context.scaled(20, 5), pids)


def _path(node: str) -> str:
    return f"/api/v2/graph?node={quote(node, safe='')}&depth=8&limit={NODES}"
