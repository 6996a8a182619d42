"""Health, readiness and metrics."""

from tests.server.making import run
from tests.server.serving import Running, full_queue, serving


def test_a_server_that_works_is_healthy_and_ready(server: Running) -> None:
    assert server.get("/health")["status"] == "ok"  # type: ignore[index]
    assert server.get("/ready") == {"status": "ok", "checks": {"database": "ok", "writer": "ok"}}


def test_a_server_whose_writer_is_behind_is_alive_but_not_ready(sqlite_url: str) -> None:
    with serving(sqlite_url, queue=3) as server, full_queue(server):
        answer = server.http.get("/ready")
        assert answer.status_code == 503
        assert "is behind" in answer.json()["checks"]["writer"]
        assert server.http.get("/health").status_code == 200


def test_metrics_count_what_came(server: Running) -> None:
    server.post(run("load", "a", "b"), run("load", "a", "b"))
    server.http.post("/api/v1/lineage", content=b"{}")
    answer = server.http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#"))
    assert lines["headwater_events_total"] == "1"
    assert lines["headwater_duplicate_total"] == "1"
    assert lines["headwater_rejected_total"] == "1"
    assert lines["headwater_queue_events"] == "0"
