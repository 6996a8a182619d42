"""What a service of the lab is: how to prepare it, start it, and tell that it is well."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.stack.lab import Lab


def nothing(lab: Lab) -> None:
    """What a service does at a step where it has nothing to do."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A process to start. Its env is added to a minimal inherited one, and is the place for secrets: argv is public."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    # The user to run as when we are root; PostgreSQL refuses to run as root.
    account: str | None = None


@dataclass(frozen=True, kw_only=True)
class Service:
    """One real part of the lab: how to prepare it, start it, and tell that it is well."""

    name: str
    title: str
    # Services that must be healthy before this one starts.
    needs: tuple[str, ...] = ()
    # Sets of jars.lock that it runs on.
    jars: tuple[str, ...] = ()
    # Idempotent, before every start: configuration files, initdb, format. It may block.
    prepare: Callable[[Lab], None] = nothing
    command: Callable[[Lab], Command]
    # None when the service is well, else what is wrong in a few words; it answers within 2 seconds.
    problem: Callable[[Lab], str | None]
    # Seconds from start to healthy.
    deadline: float = 120.0
    # What a person or a client uses, such as http://127.0.0.1:8083.
    address: Callable[[Lab], str]
    # Idempotent, once healthy and before the services that need this one: roles, databases, buckets.
    after_start: Callable[[Lab], None] = nothing
    # What asks the process to end; PostgreSQL waits for its clients on SIGTERM, and does not on SIGINT.
    stop_signal: signal.Signals = signal.SIGTERM
