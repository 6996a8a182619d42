"""Requests made up from our own OpenAPI document never make the server fail."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

from headwater.server.app import ROUTES
from headwater.server.openapi import document
from tests.server.making import dataset, run
from tests.server.serving import Running, serving

# A stream does not end, so it is no case for this test.
DESCRIBED = document([route for route in ROUTES if route.media_type != "text/event-stream"])
schema = schemathesis.openapi.from_dict(DESCRIBED)


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that knows a few things, so that some requests find something."""
    folder: Path = tmp_path_factory.mktemp("schemathesis")
    with serving(f"sqlite:///{folder / 'headwater.db'}") as server:
        made = {"x": ["a.x"]}
        server.post(run("0", [dataset("a", "x")], [dataset("0|0", "x", made)]), run("1", "0|0", "b"))
        yield server


@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
def test_no_request_makes_the_server_fail(case: Any, busy: Running) -> None:
    answer = case.call(base_url=busy.url)
    case.validate_response(answer, checks=[not_a_server_error])
