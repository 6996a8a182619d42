"""The connectors over HTTP: a real server, with an agent that watches a worker's API."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from headwater.capture.connect.agent import Agent
from headwater.capture.connect.api import connector_routes
from headwater.capture.connect.cluster import parse_clusters
from headwater.capture.connect.details import Sources
from headwater.capture.emitter import Emitter
from headwater.server.openapi import document
from tests.capture.connect.workers import Fake, fake_worker
from tests.server.serving import Running, serving, wait_until

DOCS = Path(__file__).parent.parent.parent.parent / "docs"
SECRET = "hunter2hunter2"


@contextmanager
def served(fake: Fake | None, folder: Path) -> Iterator[Running]:
    """A server with the routes, and an agent that looks often."""
    clusters = parse_clusters([] if fake is None else [f"lab={fake.url}"])
    emitter = Emitter(None, folder / "outbox", disabled=True)
    with (
        Agent(clusters, emitter, folder / "connect", "fh-local", Sources(), every=0.5) as agent,
        serving(f"sqlite:///{folder / 'headwater.db'}", more=connector_routes(agent)) as server,
    ):
        if fake is not None:
            wait_until(lambda: agent.clusters()[0].state == "ok")
        yield server


def send(server: Running, method: str, path: str, **more: object) -> httpx.Response:
    """A change, which must say that it is JSON."""
    headers = {"Content-Type": "application/json"}
    return server.http.request(method, f"/api/v2/connectors{path}", headers=headers, **more)  # type: ignore[arg-type]


def state(server: Running, name: str = "sink") -> str | None:
    found = server.http.get("/api/v2/connectors").json()["connectors"]
    return next((each["state"] for each in found if each["name"] == name), None)


def test_without_a_cluster_the_lists_are_empty_and_a_hint_says_what_to_do(tmp_path: Path) -> None:
    with served(None, tmp_path) as server:
        answer = server.http.get("/api/v2/connectors").json()
        assert (answer["clusters"], answer["connectors"]) == ([], [])
        assert "--connect http://localhost:8083" in answer["hint"]
        assert server.http.get("/api/v2/connectors/lab/sink").status_code == 404


def test_connectors_are_listed_with_state_tasks_topics_and_their_run(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("sink", "RUNNING", "FAILED", password=SECRET)
        with served(fake, tmp_path) as server:
            wait_until(lambda: server.http.get("/api/v2/connectors").json()["connectors"])
            wait_until(lambda: server.http.get("/api/v2/connectors").json()["connectors"][0]["topics"])
            answer = server.http.get("/api/v2/connectors").json()
    [cluster], [sink] = answer["clusters"], answer["connectors"]
    assert (cluster["name"], cluster["state"], cluster["version"]) == ("lab", "ok", "4.3.1")
    assert (sink["cluster"], sink["class"], sink["type"], sink["state"]) == (
        "lab",
        "org.example.Sink",
        "sink",
        "PARTLY_FAILED",
    )
    assert [(task["id"], task["state"], bool(task["error"])) for task in sink["tasks"]] == [
        (0, "RUNNING", False),
        (1, "FAILED", True),
    ]
    assert sink["topics"] == ["orders"]
    assert sink["job"] == {"namespace": "fh-local/lab", "name": "sink"}
    assert sink["runId"]
    assert sink["since"]


def test_one_connector_has_its_settings_without_secrets_and_its_offsets(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("sink", password=SECRET, connection__url=f"jdbc:postgresql://u:{SECRET}@db/x")
        fake.offsets["sink"] = [{"partition": {"kafka_topic": "orders"}, "offset": {"kafka_offset": 3}}]
        with served(fake, tmp_path) as server:
            wait_until(lambda: state(server))
            answer = server.http.get("/api/v2/connectors/lab/sink")
    assert SECRET not in answer.text
    assert answer.json()["config"]["password"] == "********"
    assert answer.json()["offsets"][0]["offset"]["kafka_offset"] == 3


def test_changes_reach_the_worker_and_are_seen(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("sink")
        with served(fake, tmp_path) as server:
            for action, expected in (("pause", "PAUSED"), ("resume", "RUNNING"), ("stop", "STOPPED")):
                assert send(server, "PUT", f"/lab/sink/{action}").status_code == 200
                wait_until(lambda expected=expected: state(server) == expected)
            assert send(server, "POST", "/lab/sink/restart?failed=true").status_code == 200
            assert fake.asked[-1].startswith(("POST", "GET"))
            assert any("onlyFailed=true" in request for request in fake.asked)
            assert send(server, "DELETE", "/lab/sink").status_code == 200
            wait_until(lambda: state(server) is None)
            assert send(server, "DELETE", "/lab/sink").status_code == 404


def test_a_restart_is_a_new_run_even_if_it_is_too_quick_to_be_seen(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("sink")
        with served(fake, tmp_path) as server:
            wait_until(lambda: state(server))

            def run_id() -> str:
                return str(server.http.get("/api/v2/connectors").json()["connectors"][0]["runId"])

            before = run_id()
            send(server, "POST", "/lab/sink/restart")
            wait_until(lambda: run_id() != before)


def test_settings_with_hidden_values_keep_what_is_there(tmp_path: Path) -> None:
    with fake_worker() as fake:
        fake.has("sink", password=SECRET)
        with served(fake, tmp_path) as server:
            wait_until(lambda: state(server))
            config = server.http.get("/api/v2/connectors/lab/sink").json()["config"]
            answer = send(server, "PUT", "/lab/sink", json={"config": {**config, "tasks.max": 2}})
            assert answer.json() == {"cluster": "lab", "name": "sink", "changed": True}
    kept = fake.connectors["sink"]["info"]["config"]
    assert (kept["password"], kept["tasks.max"]) == (SECRET, "2")


def test_a_hidden_value_that_is_nowhere_is_not_saved_as_stars(tmp_path: Path) -> None:
    with fake_worker() as fake, served(fake, tmp_path) as server:
        body = {"connector.class": "org.example.Sink", "password": "********"}
        answer = send(server, "PUT", "/lab/new", json=body)
        assert (answer.status_code, fake.connectors) == (422, {})
        assert "password" in answer.json()["message"]


def test_settings_that_the_worker_refuses_are_told_by_key_and_change_nothing(tmp_path: Path) -> None:
    with fake_worker() as fake, served(fake, tmp_path) as server:
        fake.faults = {"topics": ["it is missing"]}
        body = {"name": "new", "config": {"connector.class": "org.example.Sink", "password": SECRET}}
        checked = send(server, "POST", "/lab/validate", json=body)
        assert checked.json() == {"errors": [{"key": "topics", "messages": ["it is missing"]}]}
        refused = send(server, "PUT", "/lab/new", json=body["config"])
        assert refused.status_code == 422
        assert refused.json()["errors"] == [{"key": "topics", "messages": ["it is missing"]}]
        assert fake.connectors == {}
        fake.faults = {}
        assert send(server, "PUT", "/lab/new", json=body["config"]).status_code == 200
        assert "new" in fake.connectors


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/lab/sink/pause"), ("DELETE", "/lab/sink"), ("PUT", "/lab/sink")]
)
def test_a_change_that_does_not_say_it_is_json_is_refused(tmp_path: Path, method: str, path: str) -> None:
    with fake_worker() as fake, served(fake, tmp_path) as server:
        fake.has("sink")
        answer = server.http.request(method, f"/api/v2/connectors{path}", content=b"{}")
        assert answer.status_code == 415
        assert not [request for request in fake.asked if not request.startswith("GET")]


def test_a_worker_that_is_away_is_told_as_such(tmp_path: Path) -> None:
    with fake_worker() as fake, served(fake, tmp_path) as server:
        fake.has("sink")
        wait_until(lambda: state(server))
        fake.fault = lambda _request: (403, {"message": "no"})
        wait_until(lambda: server.http.get("/api/v2/connectors").json()["clusters"][0]["state"] == "refused")
        assert state(server) == "RUNNING"
        assert send(server, "PUT", "/lab/sink/pause").status_code == 502


def test_plugins_and_figures_for_prometheus(tmp_path: Path) -> None:
    with fake_worker() as fake, served(fake, tmp_path) as server:
        fake.plugins = [{"class": "org.example.Sink", "type": "sink", "version": "1"}]
        fake.has('odd"name')
        assert server.http.get("/api/v2/connectors/lab/plugins").json() == fake.plugins
        wait_until(lambda: state(server, 'odd"name'))
        text = server.http.get("/metrics/connectors").text
        assert 'headwater_connect_up{cluster="lab"} 1' in text
        assert 'headwater_connector_state{cluster="lab",connector="odd\\"name",state="RUNNING"} 1' in text


def test_every_route_is_in_the_document_and_on_the_page(tmp_path: Path) -> None:
    emitter = Emitter(None, tmp_path, disabled=True)
    routes = connector_routes(Agent((), emitter, tmp_path, "fh-local", Sources()))
    paths = document(routes)["paths"]
    page = (DOCS / "connect.md").read_text("utf-8")
    for route in routes:
        assert paths[route.path][route.method.lower()]["description"]
        assert f"`{route.method} {route.path}`" in page
