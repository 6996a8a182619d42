"""A run whose process dies without a word, against a real server."""

import pytest

from tests.server.making import run, run_id
from tests.server.serving import Running, serving, wait_until


def leased(state: str, seconds: int, at: str = "2026-01-01T00:00:00Z", run_name: str = "r") -> dict[str, object]:
    event = run("stream", "orders", "sums", state=state, run=run_name, at=at)
    event["run"]["facets"] = {
        "headwater_lease": {"_producer": "t", "_schemaURL": "https://example.com/f.json", "seconds": seconds}
    }
    return event


def state(server: Running, run_name: str = "r") -> str:
    detail = server.get(f"/api/v2/runs/{run_id(run_name)}")
    assert isinstance(detail, dict)
    return str(detail["run"]["state"])


def test_a_run_that_falls_silent_is_lost_and_taken_back_when_heard_of_again(server: Running) -> None:
    server.post(leased("START", 1))
    wait_until(lambda: state(server) == "LOST")
    detail = server.get(f"/api/v2/runs/{run_id('r')}")
    assert isinstance(detail, dict)
    assert detail["lost"]["lastSeen"] == "2026-01-01T00:00:00.000Z"
    assert "nothing was heard of it for 1 s" in detail["lost"]["reason"]
    marquez = server.get(f"/api/v1/jobs/runs/{run_id('r')}")
    assert isinstance(marquez, dict)
    assert (marquez["state"], marquez["endedAt"]) == ("ABORTED", "2026-01-01T00:00:00Z")
    server.post(leased("RUNNING", 600, at="2026-01-01T00:01:00Z"))
    detail = server.get(f"/api/v2/runs/{run_id('r')}")
    assert isinstance(detail, dict)
    assert (detail["run"]["state"], detail["lost"]) == ("RUNNING", None)


def test_a_renewed_lease_keeps_a_silent_run_alive(server: Running) -> None:
    server.post(leased("START", 1))
    answer = server.http.put(f"/api/v2/runs/{run_id('r')}/lease", json={"seconds": 3600})
    assert answer.status_code == 200
    assert answer.json()["state"] == "RUNNING"
    server.post(leased("START", 1, run_name="silent"))
    wait_until(lambda: state(server, "silent") == "LOST")
    assert state(server) == "RUNNING"


def test_renewing_tells_an_agent_what_became_of_its_run(server: Running) -> None:
    server.post(leased("START", 1))
    wait_until(lambda: state(server) == "LOST")
    assert server.http.put(f"/api/v2/runs/{run_id('r')}/lease", json={"seconds": 5}).json()["state"] == "LOST"
    server.post(leased("COMPLETE", 5, at="2026-01-01T00:02:00Z"))
    answer = server.http.put(f"/api/v2/runs/{run_id('r')}/lease", json={"seconds": 5}).json()
    assert answer == {"state": "COMPLETED"}


@pytest.mark.parametrize(
    ("body", "status"), [({}, 422), ({"seconds": 0}, 422), ({"seconds": "9"}, 422), ({"seconds": 99_999}, 422)]
)
def test_a_bad_lease_is_refused(any_server: Running, body: object, status: int) -> None:
    any_server.post(run("leases", state="START", run="bad-lease"))
    answer = any_server.http.put(f"/api/v2/runs/{run_id('bad-lease')}/lease", json=body)
    assert answer.status_code == status


def test_a_lease_of_an_unknown_run_is_not_found(any_server: Running) -> None:
    assert any_server.http.put(f"/api/v2/runs/{run_id('nobody')}/lease", json={"seconds": 5}).status_code == 404


def test_a_restarted_server_waits_a_full_lease_before_it_gives_a_run_up(database_url: str) -> None:
    with serving(database_url) as first:
        first.post(leased("START", 2))
    with serving(database_url) as second:
        assert state(second) == "RUNNING"
        wait_until(lambda: state(second) == "LOST")
