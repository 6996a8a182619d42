"""What a server takes before and beside its work: time to start, memory, disk.

Memory is measured after 100,000 events of a mix (of ten: seven small, two of the compatibility set, one medium).
Disk is measured after 9,900 events: 6,900 small, 1,000 medium, 1,000 of the compatibility set and the 1,000 of the
layered graph; the server has stopped by then, so SQLite's log is merged into its file.
"""

from collections.abc import Iterator
from itertools import islice

from bench import events, marquez, processes
from bench.client import encode_posts, median, send
from bench.context import Context
from bench.processes import Databases, anonymous_mb, resident_mb
from bench.report import Figure, Target

PIECE = 5_000


def measure(context: Context) -> Iterator[Figure]:
    """Start, memory and disk on every database."""
    for databases in context.databases:
        yield from _start(context, databases)
        yield _memory(context, databases)
        yield _disk(context, databases)


def _start(context: Context, databases: Databases) -> list[Figure]:
    group = f"Start, memory and disk on {databases.name}"
    fresh: list[float] = []
    again: list[float] = []
    with context.doing(f"starting on {databases.name}"):
        for _ in range(context.scaled(5, 2)):
            url = databases.create()
            for times in (fresh, again):
                with processes.headwater(url) as server:
                    times.append(server.seconds_to_answer)
    return [
        Figure(
            group,
            f"start to first answer, {what}",
            median(times),
            "s",
            marquez=marquez.START_SECONDS,
            target=Target(1.5, "under 1.5 s"),
        )
        for what, times in (("new database", fresh), ("existing database", again))
    ]


def _memory(context: Context, databases: Databases) -> Figure:
    count = context.scaled(100_000, 5_000)
    stream = events.mixed(count, context.now())
    with (
        processes.headwater(databases.create()) as server,
        context.progress(f"mixed events to {databases.name}, for memory", count) as step,
    ):
        while piece := list(islice(stream, PIECE)):
            send(server.url, encode_posts(server.url, iter(piece)))
            step.advance(len(piece))
        memory, own = resident_mb(server.pid), anonymous_mb(server.pid)
    return Figure(
        f"Start, memory and disk on {databases.name}",
        f"resident memory of the server after {count:,} events",
        memory,
        "MB",
        marquez=marquez.MEMORY_MB,
        target=Target(200, "under 200 MB"),
        note=f"{own:.0f} MB without mapped files; Marquez's with its PostgreSQL",
    )


def _disk(context: Context, databases: Databases) -> Figure:
    scale = context.scaled(1, 10)
    now = context.now()
    bodies = [
        *events.small(6_900 // scale, now),
        *events.medium(1_000 // scale, now),
        *events.compatibility(1_000 // scale, now),
        *islice(events.layered(now), 1_000 // scale),
    ]
    url = databases.create()
    with context.doing(f"{len(bodies):,} events to {databases.name}, for disk"), processes.headwater(url) as server:
        send(server.url, encode_posts(server.url, iter(bodies)))
    return Figure(
        f"Start, memory and disk on {databases.name}",
        f"disk for each of {len(bodies):,} events",
        databases.size_mb(url) * 1000 / len(bodies),
        "KB",
        marquez=marquez.DISK_BYTES_AN_EVENT / 1000,
        target=Target(marquez.DISK_BYTES_AN_EVENT / 3000, "a third of Marquez's"),
    )
