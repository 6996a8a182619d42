"""The watcher over a worker's API: what is sent, what is asked, and what becomes of runs on a bad day."""

import logging
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.connect.cluster import Cluster
from headwater.capture.connect.memory import Memory
from tests.capture.connect.watching import facet, types, watching
from tests.capture.connect.workers import answer, fake_worker

LIST = "GET /connectors?expand=status&expand=info"


def test_a_connector_is_a_job_with_a_start_datasets_and_an_end(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("orders-sink", "RUNNING", "RUNNING")
        start, running = agent.look()
        assert (start["eventType"], running["eventType"]) == ("START", "RUNNING")
        assert start["job"]["namespace"], start["job"]["name"] == ("fh-local", "orders-sink")
        kind = start["job"]["facets"]["jobType"]
        assert (kind["processingType"], kind["integration"], kind["jobType"]) == (
            "STREAMING",
            "KAFKA_CONNECT",
            "CONNECTOR",
        )
        assert facet(start, "headwater_lease")["seconds"] == 30
        assert facet(start, "processing_engine")["version"] == "4.3.1"
        assert [task["state"] for task in facet(start)["tasks"]] == ["RUNNING", "RUNNING"]
        assert [each["name"] for each in running["inputs"]] == ["orders"]
        assert agent.look() == []
        del fake.connectors["orders-sink"]
        [end] = agent.look()
        assert (end["eventType"], facet(end)["state"], facet(end)["reason"]) == ("ABORT", "DELETED", "it was deleted")
        assert "headwater_lease" not in end["run"]["facets"]
        assert len({each["run"]["runId"] for each in (start, running, end)}) == 1


def test_a_look_at_everything_is_one_request_and_one_for_offsets_when_nothing_is_new(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        for number in range(50):
            fake.has(f"sink-{number}", topics=f"topic-{number}")
        for _ in range(3):
            agent.look()
        fake.asked.clear()
        for _ in range(3):
            agent.look()
        assert fake.asked.count(LIST) == 3
        assert len(fake.asked) <= 6


def test_each_state_is_told_with_its_evidence(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink", "RUNNING", "RUNNING", password="s3cret")
        agent.look()
        fake.says("sink", "PAUSED", "PAUSED", state="PAUSED")
        assert [facet(each)["state"] for each in agent.look()] == ["PAUSED"]
        fake.says("sink", "RUNNING", "FAILED")
        [partly] = agent.look()
        assert (partly["eventType"], facet(partly)["state"]) == ("RUNNING", "PARTLY_FAILED")
        assert facet(partly)["tasks"][1]["error"] == "org.example.NotAuthorized: ******** is not the password"
        fake.says("sink", "FAILED", "FAILED")
        [failed] = agent.look()
        error = facet(failed, "errorMessage")
        assert failed["eventType"] == "FAIL"
        assert error["message"] == "org.example.NotAuthorized: ******** is not the password"
        assert "WorkerTask.java" in error["stackTrace"]
        fake.says("sink", "RUNNING", "RUNNING")
        assert types(agent.look())[0] == "START"


def test_no_secret_of_the_settings_is_in_any_event(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink", "FAILED", PASSWORD="s3cret", url="http://me:s3cret@host/", other="${file:/x:y}")
        events = agent.look()
        assert types(events) == ["START", "FAIL"]
        settings = events[0]["job"]["facets"]["headwater_connectorSettings"]["config"]
        assert settings["other"] == "${file:/x:y}"
        assert "s3cret" not in str(events)


def test_recorded_connectors_become_jobs(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.connectors = answer("connectors-expand-status-info")
        fake.topics = {"orders-source": ["orders"], "orders-s3-sink": ["orders"], "orders-iceberg-sink": ["orders"]}
        events = agent.look()
    names = {each["job"]["name"]: each for each in events if each["eventType"] == "RUNNING"}
    assert {name: [out["name"] for out in each["outputs"]] for name, each in names.items()} == {
        "orders-source": ["orders", "orders_tz"],
        "orders-s3-sink": ["orders"],
        "orders-iceberg-sink": ["orders_sink"],
    }


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ((401, {"message": "who are you"}), "refused"),
        ((403, {"message": "no"}), "refused"),
        ((409, {"message": "rebalance"}), "unreachable"),
        ((500, {"message": "oops"}), "unreachable"),
        (b'{"sink": {"status": {"na', "unreachable"),
    ],
)
def test_a_worker_that_does_not_answer_ends_no_run(
    tmp_path: Path, said: Any, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink")
        run = agent.look()[0]["run"]["runId"]
        fake.fault = lambda _request: said
        with caplog.at_level(logging.WARNING):
            assert [agent.look() for _ in range(5)] == [[]] * 5
        assert (agent.watcher.state, len(caplog.records)) == (state, 1)
        [unknown] = agent.look(30.0)
        assert (unknown["eventType"], facet(unknown)["state"]) == ("RUNNING", "UNREACHABLE")
        assert agent.look() == []
        fake.fault = lambda _request: None
        [back] = agent.look()
        assert (back["eventType"], facet(back)["state"], back["run"]["runId"]) == ("RUNNING", "RUNNING", run)
        assert agent.watcher.state == "ok"


def test_a_worker_that_has_just_started_and_lists_nothing_yet_ends_no_run(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink")
        agent.look()
        fake.fault = lambda request: (200, {}) if request == LIST else None
        assert agent.look() == []
        fake.fault = lambda request: (200, {}) if request == LIST else (500, {"message": "rebalance"})
        assert agent.look() == []


def test_an_agent_that_starts_again_goes_on_with_the_same_runs(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("runs")
        fake.has("fails", "FAILED")
        fake.has("goes")
        fake.has("changes")
        with watching(fake.url, tmp_path) as agent:
            before = {each["job"]["name"]: each["run"]["runId"] for each in agent.look()}
        del fake.connectors["goes"]
        fake.has("changes", tasks__max="2")
        fake.has("comes")
        with watching(fake.url, tmp_path) as agent:
            events = agent.look()
        told = [
            (each["job"]["name"], each["eventType"], each["run"]["runId"] == before.get(each["job"]["name"]))
            for each in events
            if not each["inputs"]
        ]
        assert sorted(told) == [
            ("changes", "ABORT", True),
            ("changes", "START", False),
            ("comes", "START", False),
            ("goes", "ABORT", True),
            ("runs", "RUNNING", True),
        ]


def test_another_kafka_cluster_behind_the_address_has_other_connectors(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("sink")
        with watching(fake.url, tmp_path) as agent:
            first = agent.look()[0]["run"]["runId"]
        fake.cluster_id = "another"
        with watching(fake.url, tmp_path) as agent:
            start = agent.look()[0]
        assert start["eventType"] == "START"
        assert start["run"]["runId"] != first


def test_a_run_that_the_server_had_given_up_is_spoken_of_again(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink")
        run = agent.look()[0]["run"]["runId"]
        agent.leases._held[run]()
        [again] = agent.look(0.1)
        assert (again["eventType"], again["run"]["runId"]) == ("RUNNING", run)


def test_a_second_agent_waits_for_its_turn(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink")
        with Memory(tmp_path / "connect", Cluster(agent.watcher.cluster.name, fake.url)):
            assert agent.look() == []
            assert "another agent watches" in agent.watcher.detail
        assert types(agent.look())[0] == "START"


def test_a_connector_that_cannot_be_read_costs_only_its_own_lineage(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("odd")
        fake.connectors["odd"]["info"]["config"] = ["not", "settings"]
        fake.has("sink")
        with caplog.at_level(logging.WARNING):
            names = {each["job"]["name"] for each in [*agent.look(), *agent.look()]}
        assert names == {"sink"}
        assert ["'odd' cannot be read" in record.getMessage() for record in caplog.records] == [True]


def test_a_restart_through_us_is_a_new_run(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink")
        agent.look()
        agent.watcher.note_restart("sink")
        assert types(agent.look(0.1)) == ["ABORT", "START", "RUNNING"]


def test_the_flow_of_a_sink_is_told_at_most_once_a_minute(tmp_path: Path) -> None:
    with fake_worker() as fake, watching(fake.url, tmp_path) as agent:
        fake.has("sink")
        flows = []
        for second in range(0, 200, 5):
            offset = {"partition": {"kafka_topic": "orders", "kafka_partition": 0}, "offset": {"kafka_offset": second}}
            fake.offsets["sink"] = [offset]
            flows += [each for each in agent.look() if "headwater_flow" in each["run"]["facets"]]
        assert 1 <= len(flows) <= 4
        assert facet(flows[-1], "headwater_flow")["recordsPerSecond"] == pytest.approx(1.0, abs=0.2)
        assert facet(flows[-1], "headwater_flow")["topics"][0]["topic"] == "orders"
