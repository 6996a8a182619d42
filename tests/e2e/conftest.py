"""A lab with real services, for tests that need several of them at once."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from headwater.pipeline.settings import PipelineSettings
from headwater.stack.board import Board
from headwater.stack.handover import hand_over, pipeline_settings
from headwater.stack.jar_folders import JOB_JARS
from headwater.stack.lab import Lab, open_lab
from headwater.stack.services import SERVICES
from headwater.stack.settings import DEFAULT_PORTS
from headwater.stack.stopping import down
from headwater.stack.supervisor import up
from tests.stack.real import quiet_ports


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep these tests on one worker of xdist: two labs at once would be too much for a small machine."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("lab"))
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="module")
def lab_home() -> Iterator[Path]:
    """A folder for a lab, away from pytest's own, which are kept for a while."""
    with tempfile.TemporaryDirectory(prefix="headwater-lab-") as folder:
        yield Path(folder) / "lab"


@pytest.fixture(scope="module")
def lab(lab_home: Path) -> Iterator[Lab]:
    """A lab whose services all run."""
    lab = open_lab(os.environ, lab_home.parent, home=lab_home)
    ports = dict(zip(DEFAULT_PORTS, quiet_ports(len(DEFAULT_PORTS)), strict=True))
    given: dict[str, Any] = {f"{name}_port": port for name, port in ports.items()}
    lab = replace(lab, settings=replace(lab.settings, **given), ports=ports)
    try:
        lab = up(lab, SERVICES, (), Board(Console(quiet=True)), more_jars=(JOB_JARS,)).lab
        hand_over(lab)
        yield lab
    finally:
        down(lab, SERVICES, (), Board(Console(quiet=True)))


@pytest.fixture(scope="module")
def settings(lab: Lab) -> PipelineSettings:
    """What the pipeline's jobs are told about the lab."""
    return pipeline_settings(lab)
