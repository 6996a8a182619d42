"""What tests that need several services at once are told about them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headwater.pipeline.settings import PipelineSettings
from headwater.stack.handover import pipeline_settings
from headwater.stack.lab import Lab
from tests.e2e.pipelines import brought_down, run_once


@pytest.fixture(scope="session")
def settings(running_lab: Lab) -> PipelineSettings:
    """What the pipeline's jobs are told about the lab."""
    return pipeline_settings(running_lab)


class Finished(NamedTuple):
    """A lab in which the pipeline ran once: where it was, and what the command said."""

    home: Path
    answer: dict[str, Any]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    """A lab of its own, beside the one that other tests share, in which the pipeline ran once."""
    with brought_down(tmp_path_factory.mktemp("pipeline") / "lab") as home:
        yield Finished(home, run_once(home))
