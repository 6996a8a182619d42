"""What tests do to the real services of a lab."""

import random
from functools import partial

import psutil

from headwater.stack.lab import Lab
from headwater.stack.marks import family
from headwater.stack.ports import free
from headwater.stack.records import alive, find, gone
from headwater.stack.services import SERVICES
from tests.stack.small import bring_up, wait_for


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
