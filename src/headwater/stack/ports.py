"""Which ports the lab's services listen on, and who holds one that is taken."""

import json
import socket
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from headwater.errors import SettingError
from headwater.stack.claims import Claims
from headwater.stack.files import private_folder, write_private
from headwater.stack.settings import DEFAULT_PORTS, LabSettings

PORTS_FILE = "run/ports.json"
HIGHEST = 65535
FADING_SECONDS = 3.0
TICK = 0.05


@dataclass(frozen=True)
class Ports:
    """A port for each port name, and for each that is not the usual one, why."""

    ports: Mapping[str, int]
    notes: Mapping[str, str]


def settle_ports(
    home: Path, settings: LabSettings, wanted: Collection[str], in_use: Collection[str], claims: Claims
) -> Ports:
    """Decide the ports of this start, claim them, and remember them.

    Of the wanted port names, those in use are held by the lab's own services since the last start. A port of the
    settings file that someone else holds is an error that names the holder; a default one gives way to the next.
    """
    last = remembered_ports(home)
    ports = {**DEFAULT_PORTS, **last, **settings.ports}
    notes: dict[str, str] = {}
    for name in wanted:
        ours = name in in_use and ports[name] == last.get(name)
        # A service of ours that was just killed can hold its port for a moment longer than its process lives.
        patience = FADING_SECONDS if ports[name] == last.get(name) else 0.0
        vacant = ours or becomes_free(settings.host, ports[name], patience)
        if ours or (vacant and claims.take(ports[name])):
            continue
        holder = "another lab, which is starting" if vacant else who_holds(ports[name])
        if name in settings.ports:
            raise SettingError(
                f"port {ports[name]}, which is set for {name}, is held by {holder}; "
                f"end that program, or set another port in lab.toml"
            )
        notes[name] = f"port {ports[name]} is held by {holder}"
        ports[name] = next_free(settings.host, ports[name], {*ports.values(), *DEFAULT_PORTS.values()}, claims)
    private_folder((home / PORTS_FILE).parent)
    write_private(home / PORTS_FILE, json.dumps(ports))
    return Ports(ports, notes)


def remembered_ports(home: Path) -> dict[str, int]:
    """The ports of the last start, by port name."""
    try:
        kept = json.loads((home / PORTS_FILE).read_text("utf-8"))
        return {name: port for name, port in kept.items() if name in DEFAULT_PORTS and isinstance(port, int)}
    except (OSError, ValueError, AttributeError):
        # Without what was remembered, the defaults are as good as at the first start.
        return {}


def next_free(host: str, taken: int, avoid: Collection[int], claims: Claims) -> int:
    """The first port after a taken one that is free and that no other service is to have, now claimed."""
    for port in range(taken + 1, HIGHEST + 1):
        if port not in avoid and free(host, port) and claims.take(port):
            return port
    raise SettingError(f"no port from {taken} to {HIGHEST} is free on {host}; set a lower one in lab.toml")


def becomes_free(host: str, port: int, patience: float) -> bool:
    """Whether a service can listen on this port, now or within so many seconds."""
    deadline = time.monotonic() + patience
    while not free(host, port):
        if time.monotonic() > deadline:
            return False
        time.sleep(TICK)
    return True


def free(host: str, port: int) -> bool:
    """Whether a service can listen on this port now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # As servers do: a port whose last connections are only fading away is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    # Some systems allow one address of a port to be bound while a wildcard listens on it.
    with socket.socket(family) as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((host, port)) != 0


def who_holds(port: int) -> str:
    """The program that listens on a port, as far as this user may know."""
    for pid, connection in connections():
        if connection.laddr and connection.laddr.port == port and connection.status == psutil.CONN_LISTEN and pid:
            return describe(pid)
    return "a program of another user"


def connections() -> Iterator[tuple[int | None, Any]]:
    """Every TCP socket that this user may see, with the process that has it."""
    try:
        for connection in psutil.net_connections("tcp"):
            yield connection.pid, connection
    except psutil.AccessDenied:
        # Some systems let only root look at all of them at once, but anyone at their own.
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                for connection in process.net_connections("tcp"):
                    yield process.pid, connection


def describe(pid: int) -> str:
    """A process by name, id and user."""
    try:
        process = psutil.Process(pid)
        return f"{process.name()} (pid {pid}, user {process.username()})"
    except psutil.Error:
        return f"pid {pid}"
