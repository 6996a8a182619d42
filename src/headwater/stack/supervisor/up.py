"""Brings a lab up: cleans up, settles ports, downloads, and starts what does not run yet."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.stack.claims import Claims
from headwater.stack.jars.folders import fill_sets, jar_sets, jars_of
from headwater.stack.lab import Lab
from headwater.stack.ports import settle_ports
from headwater.stack.processes.lock import locked
from headwater.stack.processes.records import running
from headwater.stack.service import Service
from headwater.stack.supervisor.board import Board, Row
from headwater.stack.supervisor.fingerprint import is_stale
from headwater.stack.supervisor.selection import choose, port_names
from headwater.stack.supervisor.starting import Start
from headwater.stack.supervisor.stopping import end_orphans, end_services


@dataclass(frozen=True, kw_only=True)
class Up:
    """What a start came to: the lab with the ports it has now, and what was done."""

    lab: Lab
    # The services that this call started, not those that ran before or are the user's own.
    started: tuple[str, ...]
    # Bytes that came over the network, and bytes of all jars that the services need.
    downloaded: int
    jar_bytes: int
    seconds: float


def up(
    lab: Lab,
    services: Sequence[Service],
    wanted: Iterable[str],
    board: Board,
    env: Mapping[str, str] = os.environ,
    more_jars: Iterable[str] = (),
) -> Up:
    """Start the wanted services and what they need, or all if none is named; return when every one is healthy.

    Their jars are downloaded first if they must be, and those of more_jars, which are sets of jars.lock, with them.
    Raises NotUp when one is not; those that are stay up. An interrupt stops what this call started.
    """
    began = time.monotonic()
    chosen = choose(services, wanted)
    with locked(lab, board.say), Claims(lab.cache / "ports") as claims:
        end_orphans(lab, board.say)
        lab = with_ports(lab, services, chosen, board, claims)
        # A service that knows the lab as it was before its settings changed is started again.
        stale = [service for service in services if is_stale(lab, service, running(lab, service.name))]
        if stale:
            names = ", ".join(service.name for service in stale)
            board.say(f"started again, because settings or jars have changed since they were started: {names}")
            end_services(lab, stale)
            chosen = choose(services, [service.name for service in (*chosen, *stale)])
        sets = jar_sets(lab, chosen) | set(more_jars)
        downloaded = fill_sets(lab, sets, board.console, env)
        board.add(Row(service.name, service.address(lab)) for service in chosen)
        with board.open():
            started = Start(lab, chosen, board).run()
    return Up(
        lab=lab,
        started=tuple(started),
        downloaded=downloaded,
        jar_bytes=sum(artifact.size for artifact in jars_of(sets)),
        seconds=time.monotonic() - began,
    )


def with_ports(lab: Lab, services: Sequence[Service], chosen: Sequence[Service], board: Board, claims: Claims) -> Lab:
    """The lab with the ports of this start: what runs keeps its own, the rest get free ones."""
    settled = settle_ports(
        lab.home,
        lab.settings,
        wanted=[port for service in chosen if not lab.external(service.name) for port in port_names(service.name)],
        in_use=[port for service in services if running(lab, service.name) for port in port_names(service.name)],
        claims=claims,
    )
    for name, note in settled.notes.items():
        board.say(f"{note}; {name} gets {settled.ports[name]}")
    return replace(lab, ports=settled.ports)
