"""What may be amiss with the graph, found where every event was fine."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.server.making import dataset, facet, run, run_id
from tests.server.serving import Running


def found(server: Running, kind: str) -> list[Any]:
    """The findings of a kind."""
    answer: Any = server.get("/api/v2/diagnostics/findings")
    return [finding for finding in answer["findings"] if finding["kind"] == kind]


def ago(**time: float) -> str:
    """A time before now, as an event has it."""
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def test_one_topic_under_two_spellings_of_its_broker(server: Running) -> None:
    here, there = dataset("kafka://localhost:9092|orders"), dataset("kafka://127.0.0.1:9092|orders")
    server.post(run("write", "", [here]), run("read", [there], [dataset("kafka://other:9092|orders")]))
    (finding,) = found(server, "two-names")
    assert finding["nodes"] == [
        "dataset:kafka://127.0.0.1:9092:orders",
        "dataset:kafka://localhost:9092:orders",
    ]


def test_jobs_that_lack_datasets_but_not_those_that_only_run_others(server: Running) -> None:
    parent = facet(run={"runId": run_id("dag")}, job={"namespace": "ns", "name": "dag"})
    server.post(
        run("dag", run="dag"),
        run("nothing", run_facets={"parent": parent}),
        run("generate", "", "a"),
        run("read", "a", ""),
        run("copy", "a", "b"),
    )
    for kind, job in (("no-datasets", "nothing"), ("no-inputs", "generate"), ("no-outputs", "read")):
        assert [finding["nodes"] for finding in found(server, kind)] == [[f"job:ns:{job}"]], kind


def test_a_job_that_is_later_than_usual_is_quiet_and_one_in_time_is_not(server: Running) -> None:
    for minutes in (100, 90, 80, 70, 60):
        server.post(run("late", at=ago(minutes=minutes)))
        server.post(run("in_time", at=ago(minutes=minutes - 59)))
    (finding,) = found(server, "quiet")
    assert finding["nodes"] == ["job:ns:late"]
    assert "usually starts every" in finding["message"]


def test_a_job_that_still_runs_is_not_late_for_its_next_start(server: Running) -> None:
    for minutes in (60, 58, 56, 54):
        server.post(run("long", at=ago(minutes=minutes), state="START"))
    assert found(server, "quiet") == []


def test_a_run_that_is_open_and_silent_is_quiet(server: Running) -> None:
    server.post(run("silent", at=ago(hours=3), state="START"), run("fresh", at=ago(minutes=3), state="START"))
    (finding,) = found(server, "quiet")
    assert finding["nodes"] == ["job:ns:silent"]
    assert "said nothing for 3 h" in finding["message"]
