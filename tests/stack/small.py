"""A lab of small services: each a real process that answers on its port, or misbehaves as a test asks.

Run as a program, it brings them up in a process of its own, which a test can interrupt or kill.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console

from headwater.stack.credentials import load_credentials
from headwater.stack.lab import Lab
from headwater.stack.ports import remembered_ports
from headwater.stack.processes.marks import marked
from headwater.stack.service import Command, Service
from headwater.stack.settings import DEFAULT_PORTS, LabSettings
from headwater.stack.supervisor.board import Board
from headwater.stack.supervisor.up import Up, up

# Listens after a while; says so in its log; ends on SIGTERM unless it is stubborn.
PROGRAM = """
import os, signal, socket, sys, time
port, delay, manner = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
print("starting with", manner, flush=True)
if manner == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(delay)
if manner == "dying":
    sys.exit("no configuration: giving up")
if manner == "parent":
    os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)"], os.environ)
listener = socket.create_server(("127.0.0.1", port))
print("listening", flush=True)
while True:
    if manner == "deaf":
        time.sleep(600)
    connection, _ = listener.accept()
    connection.sendall(b"well")
    connection.close()
"""


def python(code: str, *args: str) -> Command:
    """A small program."""
    return Command(argv=(sys.executable, "-S", "-E", "-u", "-c", code, *args))


SLEEP = python("import time; print('here'); time.sleep(600)")


def small_lab(home: Path, settings: LabSettings | None = None) -> Lab:
    """A lab with a port of its own for each service, so that tests can run side by side."""
    home.mkdir(mode=0o700, exist_ok=True)
    settings = settings or with_ports([free_port() for _ in DEFAULT_PORTS])
    return Lab(
        home=home,
        settings=settings,
        ports={**DEFAULT_PORTS, **remembered_ports(home), **settings.ports},
        credentials=load_credentials(home),
        java=Path("/nowhere/java"),
        cache=home / "cache",
    )


def with_ports(ports: Iterable[int]) -> LabSettings:
    """Settings with these ports, in the order of the defaults."""
    given: dict[str, Any] = {f"{name}_port": port for name, port in zip(DEFAULT_PORTS, ports, strict=True)}
    return LabSettings(**given)


def small_service(
    name: str,
    *,
    needs: tuple[str, ...] = (),
    delay: float = 0.0,
    manner: str = "plain",
    deadline: float = 20.0,
    prepare: Callable[[Lab], None] = lambda lab: None,
    after_start: Callable[[Lab], None] = lambda lab: None,
) -> Service:
    """A service whose process listens on its port after a delay: plain, parent, stubborn, dying or deaf."""
    port_name = name.replace("-", "_")
    return Service(
        name=name,
        title=f"a small {name}",
        needs=needs,
        prepare=prepare,
        command=lambda lab: Command(
            argv=(sys.executable, "-S", "-E", "-c", PROGRAM, str(lab.ports[port_name]), str(delay), manner)
        ),
        problem=lambda lab: problem(port_of(lab, name)),
        deadline=deadline,
        address=lambda lab: lab.address(name),
        after_start=after_start,
    )


def port_of(lab: Lab, name: str) -> int:
    """The port at which a service is found, be it the lab's or the user's own."""
    own = lab.external(name)
    return int(own.rpartition(":")[2]) if own else lab.ports[name.replace("-", "_")]


def problem(port: int) -> str | None:
    """None if a small service answers on this port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.3) as connection:
            return None if connection.recv(4) == b"well" else "answers wrongly"
    except TimeoutError:
        return "does not answer"
    except OSError:
        return "does not listen"


def bring_up(lab: Lab, services: Iterable[Service], *names: str) -> Up:
    """Bring services up, in silence."""
    return up(lab, tuple(services), names, quiet_board())


def quiet_board() -> Board:
    """A board that nobody sees."""
    return Board(Console(quiet=True))


def processes(home: Path) -> list[psutil.Process]:
    """Every process of the lab in home, known by its mark alone."""
    return [process for process, _, _ in marked(small_lab(home))]


def wait_for(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def free_port() -> int:
    """A loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# What the program brings up: the second never becomes healthy, so that it can be interrupted at leisure.
TROUBLED = (
    small_service("kafka", manner="parent"),
    small_service("registry", manner="deaf", deadline=600.0),
    small_service("connect", needs=("kafka",)),
)
SOUND = (small_service("kafka", delay=0.5), small_service("registry"), small_service("connect", needs=("kafka",)))


def main(home: str, manner: str) -> None:
    """Bring services up in the lab at home, and print what was started."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    # Whoever runs the tests in the background has it ignored.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    services = TROUBLED if manner == "troubled" else SOUND
    board = Board(Console())
    lab = small_lab(Path(home), with_ports(map(int, os.environ["PORTS"].split(","))))
    print("started", *up(lab, services, (), board).started, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
