from typing import Any

from tests.cli.conftest import Server, run

ORDERS: dict[str, Any] = {
    "id": {"namespace": "shop", "name": "load_orders"},
    "namespace": "shop",
    "name": "load_orders",
    "type": "BATCH",
    "inputs": [{"namespace": "shop", "name": "public.orders"}],
    "outputs": [],
    "latestRun": {"id": "r1", "state": "FAILED", "startedAt": "2026-01-31T08:00:00Z", "durationMs": 1200},
}
NEVER_RUN: dict[str, Any] = {
    "namespace": "shop",
    "name": "[bold]odd[/bold]",
    "type": "STREAM",
    "inputs": [],
    "outputs": [],
    "latestRun": None,
}


def test_jobs_of_all_namespaces_are_listed_with_their_latest_run(server: Server) -> None:
    server.says("/api/v1/jobs?limit=100&offset=0", {"jobs": [ORDERS, NEVER_RUN], "totalCount": 2})
    lines = run("jobs").stdout.splitlines()
    assert lines[1].split() == [
        "✕",
        "shop",
        "load_orders",
        "BATCH",
        "2026-01-31",
        "08:00:00",
        "1.2",
        "s",
        "1",
        "0",
    ]
    assert lines[2].split() == ["○", "shop", "[bold]odd[/bold]", "STREAM", "0", "0"]
    assert lines[3] == "jobs 1-2 of 2"


def test_a_page_of_a_namespace_is_asked_for(server: Server) -> None:
    server.says("/api/v1/namespaces/shop/jobs?limit=1&offset=1", {"jobs": [NEVER_RUN], "totalCount": 3})
    result = run("jobs", "shop", "--limit", "1", "--offset", "1")
    assert result.stdout.splitlines()[-1] == "jobs 2-2 of 3; next: --offset 2"


def test_json_is_the_answer_of_the_server_to_the_byte(server: Server) -> None:
    body = server.says("/api/v1/jobs?limit=100&offset=0", '{ "jobs":[],  "totalCount":0, "é": 1.0 }'.encode())
    assert run("jobs", "--json").stdout_bytes == body + b"\n"
