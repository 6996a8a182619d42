"""A lab of small services for each test, and one of real services for all: nothing is left running after them."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from headwater.stack.lab import Lab
from headwater.stack.processes.records import gone
from tests.stack.real import new_lab
from tests.stack.small import processes, small_lab, wait_for


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of real services on one worker of xdist, where they share a lab, and give them time."""
    for item in items:
        if "real_lab" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("services"))
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


@pytest.fixture(scope="session")
def real_lab() -> Iterator[Lab]:
    """A lab of real services; a test starts those that it needs, or kills them, and they stay for the next test."""
    with new_lab("läb of ours") as lab:
        yield lab
