"""Events of connectors: what is in them, and what is not."""

from typing import Any

import msgspec
import pytest

from headwater.capture.connect.events import LONGEST_TRACE, Job, event
from headwater.capture.connect.flow import Flow, TopicFlow
from headwater.capture.connect.life_cycle import DELETED, RECONFIGURED, RESTARTED, Report, Run, Seen, step
from headwater.capture.connect.status import Status
from headwater.openlineage.events import decode_event
from headwater.openlineage.facets import problem
from tests.capture.connect.workers import recorded_status, status

CONFIG = {"connector.class": "org.example.Sink", "aws.secret.access.key": "s3cret", "place": "${file:/a:b}"}
JOB = Job("fh-local", "orders-job", "lab", "orders-sink", CONFIG, "4.3.1")


def reports(*tasks: str, stalled: str = "", **more: Any) -> list[Report]:
    found = msgspec.convert(status("RUNNING", *tasks, **more), Status)
    return list(step(None, Seen(found, "v1", "orders-job", stalled), 1_700_000_000_123_000, lambda: RUN).reports)


RUN = "01a1e2c2-9417-75ef-9bad-65ae1360ce7e"


@pytest.mark.parametrize("tasks", [("RUNNING",), ("FAILED",), ("RUNNING", "FAILED"), ()])
def test_every_event_is_one_that_a_server_takes_with_facets_as_they_should_be(tasks: tuple[str, ...]) -> None:
    flow = Flow(1.5, 3, (TopicFlow("orders", 1.5, 3),))
    for report in reports(*tasks):
        made = event(report, JOB, 30, inputs=[{"namespace": "n", "name": "a"}], flow=flow)
        found = decode_event(msgspec.json.encode(made))
        assert (found.type, found.time // 1000) == (report.type, report.time // 1000)
        for owner, facets in (("run", made["run"]["facets"]), ("job", made["job"]["facets"])):
            for name, content in facets.items():
                assert problem(owner, name, msgspec.json.encode(content)) is None, name


def test_a_start_has_the_settings_without_secrets_and_the_worker_s_version() -> None:
    [start] = reports("RUNNING")
    made = event(start, JOB, 30)
    assert made["job"]["facets"]["headwater_connectorSettings"]["config"] == {
        "connector.class": "org.example.Sink",
        "aws.secret.access.key": "********",
        "place": "${file:/a:b}",
    }
    assert made["run"]["facets"]["processing_engine"]["version"] == "4.3.1"
    assert made["run"]["facets"]["headwater_lease"]["seconds"] == 30


def test_a_failure_has_the_cause_and_the_whole_trace_without_secrets() -> None:
    _, end = reports("FAILED")
    error = event(end, JOB, 30)["run"]["facets"]["errorMessage"]
    assert error["message"] == "org.example.NotAuthorized: ******** is not the password"
    assert error["programmingLanguage"] == "JAVA"
    assert "s3cret" not in str(error)


def test_a_trace_without_end_is_cut() -> None:
    _, end = reports("FAILED", trace="x" * 1_000_000)
    trace = event(end, JOB, 30)["run"]["facets"]["errorMessage"]["stackTrace"]
    assert LONGEST_TRACE < len(trace) < LONGEST_TRACE + 100


def test_a_recorded_failure_is_told_with_its_cause() -> None:
    found = Seen(recorded_status("iceberg-missing-table-status"), "v1")
    end = step(None, found, 0, lambda: RUN).reports[1]
    error = event(end, JOB, 30)["run"]["facets"]["errorMessage"]
    assert error["message"].endswith("NoSuchTableException: Table does not exist: default.nope")


def test_the_evidence_of_a_stall_is_told_without_secrets() -> None:
    [start] = reports("RUNNING", stalled="the login s3cret was refused")
    facet = event(start, JOB, 30)["run"]["facets"]["headwater_connector"]
    assert (facet["state"], facet["stalled"]) == ("STALLED", "the login ******** was refused")


def test_a_run_of_which_nobody_knows_says_so() -> None:
    [start] = reports("RUNNING")
    unknown = Report("RUNNING", start.run, start.time, None, "Connect does not answer")
    facet = event(unknown, JOB, 30)["run"]["facets"]["headwater_connector"]
    assert (facet["state"], facet["reason"]) == ("UNREACHABLE", "Connect does not answer")
    gone = msgspec.structs.replace(start.run, ended="ABORT")
    assert isinstance(gone, Run)
    for reason, state in ((DELETED, "DELETED"), (RECONFIGURED, "RECONFIGURED"), (RESTARTED, "RESTARTED")):
        report = Report("ABORT", gone, start.time, None, reason)
        assert event(report, JOB, 30)["run"]["facets"]["headwater_connector"]["state"] == state
