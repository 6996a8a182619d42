"""What tests that need several services at once are told about them."""

import pytest

from headwater.pipeline.settings import PipelineSettings
from headwater.stack.handover import pipeline_settings
from headwater.stack.lab import Lab


@pytest.fixture(scope="session")
def settings(running_lab: Lab) -> PipelineSettings:
    """What the pipeline's jobs are told about the lab."""
    return pipeline_settings(running_lab)
