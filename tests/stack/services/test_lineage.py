import httpx

from headwater.stack.lab import Lab
from headwater.stack.services.lineage import command
from tests.stack.real import kill, start

EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-11-16T00:00:00Z",
    "run": {"runId": "01934b2e-0000-7000-8000-000000000001"},
    "job": {"namespace": "fh-local", "name": "supplier_stats"},
    "inputs": [],
    "outputs": [],
    "producer": "https://example.com/test",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
}


def test_the_server_is_told_how_to_watch_the_connectors_and_no_password_is_on_its_command_line(real_lab: Lab) -> None:
    made = command(real_lab)
    assert real_lab.address("connect") in made.argv
    assert made.env["OPENLINEAGE_NAMESPACE"] == "fh-local"
    assert f":{real_lab.credentials.registry_password}@" in made.env["HEADWATER_REGISTRY"]
    assert real_lab.credentials.registry_password not in " ".join(made.argv)


def test_lineage_is_there_after_the_server_was_killed(real_lab: Lab) -> None:
    start(real_lab, "lineage")
    address = real_lab.address("lineage")
    assert httpx.post(f"{address}/api/v1/lineage", json=EVENT, trust_env=False).status_code < 300
    kill(real_lab, "lineage")
    start(real_lab, "lineage")
    job = httpx.get(f"{address}/api/v1/namespaces/fh-local/jobs/supplier_stats", trust_env=False)
    assert job.json()["name"] == "supplier_stats"
