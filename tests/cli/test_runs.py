from tests.cli.conftest import Server, run

TARGET = "/api/v1/namespaces/shop/jobs/load%20orders/runs?limit=100&offset=0"


def test_the_runs_of_a_job_are_listed(server: Server) -> None:
    complete = {
        "id": "0190-1",
        "state": "COMPLETED",
        "startedAt": "2026-01-31T08:00:00Z",
        "endedAt": "2026-01-31T08:01:05Z",
        "durationMs": 65000,
        "nominalStartTime": None,
    }
    server.says(TARGET, {"runs": [complete]})
    lines = run("runs", "shop", "load orders").stdout.splitlines()
    assert lines[1].split()[:4] == ["✓", "0190-1", "completed", "2026-01-31"]
    assert "1 min 05 s" in lines[1]
    assert lines[2] == "runs 1-1 of 1"


def test_json_is_the_answer_of_the_server_to_the_byte(server: Server) -> None:
    body = server.says(TARGET, b'{"runs":[]}')
    assert run("runs", "shop", "load orders", "--json").stdout_bytes == body + b"\n"
