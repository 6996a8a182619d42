import uuid
from datetime import UTC, datetime

import msgspec

from headwater.capture.ending import Ending
from headwater.capture.run_events import RunOf, error_facets, job_type_facet, new_run_id, parent_facet
from headwater.openlineage.events import decode_event
from headwater.openlineage.facets import problem

RUN = RunOf("01234567-89ab-7def-8123-456789abcdef", "shop", "totals")


def test_an_event_of_a_run_is_one_of_the_standard() -> None:
    moment = datetime(2026, 1, 31, 12, tzinfo=UTC)
    made = RUN.event("START", {"parent": parent_facet("r", "n", "j")}, {}, [], [], now=lambda: moment)
    event = decode_event(msgspec.json.encode(made))
    assert (event.type, made["eventTime"]) == ("START", "2026-01-31T12:00:00.000Z")


def test_the_facets_keep_to_their_schemas() -> None:
    of_runs = {"parent": parent_facet("r", "n", "j"), **error_facets(Ending("FAIL", "no price", "somewhere"))}
    for name, facet in of_runs.items():
        assert problem("run", name, msgspec.json.encode(facet)) is None
    assert problem("job", "jobType", msgspec.json.encode(job_type_facet("JOB", "BATCH", "PYTHON"))) is None


def test_an_ending_without_words_has_no_error() -> None:
    assert error_facets(Ending("COMPLETE")) == {}
    assert "stackTrace" not in error_facets(Ending("ABORT", "interrupted"))["errorMessage"]


def test_without_a_root_of_its_own_a_parent_is_the_root() -> None:
    parent = parent_facet("r", "n", "j")
    assert parent["root"] == {"run": {"runId": "r"}, "job": {"namespace": "n", "name": "j"}}


def test_ids_of_runs_are_of_version_7_and_in_order_of_time() -> None:
    ids = [new_run_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert {uuid.UUID(one).version for one in ids} == {7}
    assert ids[0][:13] <= ids[-1][:13]
