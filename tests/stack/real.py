"""What tests do to the real services of a lab."""

import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil

from headwater.stack.handover import hand_over
from headwater.stack.jars.folders import JOB_JARS
from headwater.stack.lab import Lab, open_lab
from headwater.stack.ports import free
from headwater.stack.processes.marks import family
from headwater.stack.processes.records import alive, find, gone
from headwater.stack.services import SERVICES
from headwater.stack.settings import DEFAULT_PORTS
from headwater.stack.supervisor.stopping import down
from headwater.stack.supervisor.up import up
from tests.stack.small import bring_up, quiet_board, wait_for, with_ports


@contextmanager
def new_lab(name: str) -> Iterator[Lab]:
    """A lab on ports of its own, in a folder of this name, of which nothing runs afterwards."""
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as folder:
        settings = with_ports(quiet_ports(len(DEFAULT_PORTS)))
        opened = open_lab(os.environ, Path(folder), home=Path(folder) / name)
        lab = replace(opened, settings=settings, ports=settings.ports)
        try:
            yield lab
        finally:
            down(lab, SERVICES, (), quiet_board())


def start_all(lab: Lab) -> Lab:
    """Start every service, ready for the pipeline's jobs; the lab as it is then."""
    lab = up(lab, SERVICES, (), quiet_board(), more_jars=(JOB_JARS,)).lab
    hand_over(lab)
    return lab


def start(lab: Lab, *names: str) -> None:
    """Start the services, if they do not run, and wait until they are healthy."""
    bring_up(lab, SERVICES, *names)


def quiet_ports(count: int) -> list[int]:
    """Free ports that the system gives to no client: one that tries again and again to reach a dead service from a
    port that happens to be the service's own ends up connected to itself, and holds the port.
    """
    return [port for port in random.sample(range(20_000, 32_000), 100) if free("127.0.0.1", port)][:count]


def process_of(lab: Lab, name: str) -> psutil.Process:
    """The process of a service that runs."""
    record = find(lab, name)
    process = record and alive(record)
    assert process, f"{name} does not run"
    return process


def kill(lab: Lab, name: str) -> None:
    """Kill a service without giving it a moment, as when the power fails."""
    process = process_of(lab, name)
    members = family(process)
    process.kill()
    for member in members:
        wait_for(partial(gone, member))
    # The first of a program's threads can be gone before the last one, and with it the port, is.
    wait_for(partial(free, lab.host, lab.ports[name.replace("-", "_")]))
