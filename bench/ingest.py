"""How many events a server takes, what each costs, and how long its sender waits.

Every set goes to Headwater and to the limit (bench/limit.py) in turn, round by round, each time into an empty
database after a tenth as many events to warm up; the figures are the medians of the rounds.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from urllib.request import urlopen

from bench import events, marquez, processes
from bench.client import Load, encode_posts, median, send
from bench.context import Context, Peer
from bench.processes import Databases, Server, cpu_seconds
from bench.report import Figure, Target

Maker = Callable[[int, datetime], Iterator[bytes]]


@dataclass(frozen=True)
class EventSet:
    """A kind of event, how many of them make a measurement, and Marquez's cost that each target is a part of."""

    name: str
    make: Maker
    share: float  # of the number asked for
    parts: dict[str, int]  # database -> "at most one part in so many of Marquez's processor time"


SETS = (
    EventSet("small", events.small, 1.0, {"SQLite": 50, "PostgreSQL": 25}),
    EventSet("medium", events.medium, 0.3, {"SQLite": 100, "PostgreSQL": 50}),
    EventSet("compatibility", events.compatibility, 0.5, {}),
)


@dataclass(frozen=True)
class Round:
    """One measurement of one server."""

    load: Load
    server_ms: float  # processor time an event
    database_ms: float
    events_a_commit: float | None

    @property
    def cpu_ms(self) -> float:
        return self.server_ms + self.database_ms


def measure(context: Context) -> Iterator[Figure]:
    """Every set of events on every database."""
    counts = {event_set.name: max(200, int(context.events * event_set.share)) for event_set in SETS}
    peers: dict[str, Round] = {}
    if context.peer:
        peers = {s.name: _measure_peer(context, context.peer, s, counts[s.name]) for s in SETS}
    for databases in context.databases:
        for event_set in SETS:
            count = counts[event_set.name]
            ours: list[Round] = []
            limits: list[Round] = []
            for number in range(context.rounds):
                place = f"round {number + 1} of {context.rounds}"
                with context.doing(f"{count:,} {event_set.name} events, {databases.name}, {place}"):
                    limits.append(_measure(context, databases, processes.limit, event_set, count))
                    ours.append(_measure(context, databases, processes.headwater, event_set, count))
            yield from _figures(event_set, databases, ours, limits, peers.get(event_set.name))


def _measure(
    context: Context,
    databases: Databases,
    start: Callable[[str], AbstractContextManager[Server]],
    event_set: EventSet,
    count: int,
) -> Round:
    with start(databases.create()) as server:
        return _drive(context, server.url, (server.pid,), databases.pid, event_set, count)


def _measure_peer(context: Context, peer: Peer, event_set: EventSet, count: int) -> Round:
    """A tenth of the events will do: the peer may take a hundred times as long for each."""
    with context.doing(f"{event_set.name} events to {peer.url}"):
        return _drive(context, peer.url, peer.pids, None, event_set, max(100, count // 10))


def _drive(
    context: Context,
    url: str,
    pids: Sequence[int],
    database_pid: int | None,
    event_set: EventSet,
    count: int,
) -> Round:
    send(url, encode_posts(url, event_set.make(max(100, count // 10), context.now())))
    requests = encode_posts(url, event_set.make(count, context.now()))
    commits, before = _commits(url), [sum(map(cpu_seconds, pids)), _cpu(database_pid)]
    load = send(url, requests)
    after = [sum(map(cpu_seconds, pids)), _cpu(database_pid)]
    server_ms, database_ms = ((b - a) / count * 1000 for a, b in zip(before, after, strict=True))
    made = None if commits is None else (_commits(url) or 0) - commits
    return Round(load, server_ms, database_ms, count / made if made else None)


def _cpu(pid: int | None) -> float:
    return 0.0 if pid is None else cpu_seconds(pid)


def _commits(url: str) -> int | None:
    """How many transactions the server has committed, if it says so."""
    try:
        with urlopen(f"{url}/metrics", timeout=10) as answer:
            match = re.search(rb"^headwater_commits_total (\d+)", answer.read(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) if match else 0


def _figures(
    event_set: EventSet, databases: Databases, ours: list[Round], limits: list[Round], peer: Round | None
) -> list[Figure]:
    group = f"Ingest on {databases.name}"
    name = f"{event_set.name} events"
    peer_cpu = peer.cpu_ms if peer and peer.cpu_ms else None
    reference = marquez.INGEST[event_set.name]
    # Neighbours in time share the machine's mood, so the ratio is taken round by round.
    share = median([a.load.rate / b.load.rate for a, b in zip(ours, limits, strict=True)])
    limit_rate = median([r.load.rate for r in limits])
    rate = Figure(
        group,
        f"{name}, throughput",
        median([r.load.rate for r in ours]),
        "events/s",
        marquez=reference.rate,
        limit=limit_rate,
        peer=peer.load.rate if peer else None,
        more_is_better=True,
    )
    of_limit = Figure(
        group,
        f"{name}, throughput as part of the limit",
        share,
        "",
        target=Target(0.5, "half of the limit"),
        more_is_better=True,
    )
    cpu_target = None
    if part := event_set.parts.get(databases.name):
        cpu_target = Target(reference.cpu_ms / part, f"1/{part} of Marquez")
    split = ""
    if databases.pid is not None:
        server, database = (median([getattr(r, f) for r in ours]) for f in ("server_ms", "database_ms"))
        split = f"{server:.2f} server + {database:.2f} database"
    cpu = Figure(
        group,
        f"{name}, CPU each",
        median([r.cpu_ms for r in ours]),
        "ms",
        marquez=reference.cpu_ms,
        limit=median([r.cpu_ms for r in limits]),
        peer=peer_cpu,
        target=cpu_target,
        note=split,
    )
    percents = (50, 95, 99)
    ours_ms, limit_ms = (
        [median([r.load.percentile(p) for r in rounds]) * 1000 for p in percents] for rounds in (ours, limits)
    )
    commits = [median([r.events_a_commit or 0 for r in rounds]) for rounds in (ours, limits)]
    latency = Figure(
        group,
        f"{name}, latency p50",
        ours_ms[0] / 1000,
        "s",
        limit=limit_ms[0] / 1000,
        peer=peer.load.percentile(50) if peer else None,
        note=f"p95 {ours_ms[1]:.1f}, p99 {ours_ms[2]:.1f} ms; {commits[0]:.1f} events a commit, limit {commits[1]:.1f}",
    )
    return [rate, of_limit, cpu, latency]
