"""A lab of small services for each test, and one of real services for all: nothing is left running after them."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from headwater.stack.lab import Lab, open_lab
from headwater.stack.records import gone
from headwater.stack.services import SERVICES
from headwater.stack.settings import DEFAULT_PORTS
from headwater.stack.stopping import down
from tests.stack.real import quiet_ports
from tests.stack.small import processes, quiet_board, small_lab, wait_for, with_ports


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of real services on one worker of xdist, where they share a lab, and give them time."""
    for item in items:
        if "real_lab" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("lab"))
            item.add_marker(pytest.mark.slow)
            # The first of them all may have to download the jars.
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab with free ports."""
    lab = small_lab(tmp_path / "lab")
    yield lab
    for process in processes(lab.home):
        process.kill()
        wait_for(partial(gone, process))


@pytest.fixture(scope="package")
def real_lab() -> Iterator[Lab]:
    """A lab of real services; a test starts those that it needs, and they stay for the next test."""
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as folder:
        settings = with_ports(quiet_ports(len(DEFAULT_PORTS)))
        opened = open_lab(os.environ, Path(folder), home=Path(folder) / "läb of ours")
        lab = replace(opened, settings=settings, ports=settings.ports)
        try:
            yield lab
        finally:
            down(lab, SERVICES, (), quiet_board())
