"""With OpenLineage's own Python client."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, Run, RunEvent, RunState
from openlineage.client.uuid import generate_new_uuid

from headwater.capture.transport import OutboxTransport
from tests.capture.backends import Told, headwater, told
from tests.server.serving import free_port

TYPE = "headwater.capture.transport.OutboxTransport"


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Told]:
    monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path / "outbox"))
    monkeypatch.chdir(tmp_path)
    with told() as running:
        yield running


def run_event(state: RunState = RunState.COMPLETE) -> RunEvent:
    return RunEvent(
        eventType=state,
        eventTime="2026-01-31T12:00:00.000Z",
        run=Run(runId=str(generate_new_uuid())),
        job=Job(namespace="tests", name="job-1"),
        inputs=[InputDataset(namespace="db", name="a")],
        producer="https://example.com/tests",
    )


def test_the_client_finds_it_by_name_in_its_configuration(backend: Told, tmp_path: Path) -> None:
    client = OpenLineageClient(config={"transport": {"type": TYPE, "url": backend.url, "outbox": str(tmp_path / "b")}})
    assert isinstance(client.transport, OutboxTransport)
    assert client.transport.emitter.directory == tmp_path / "b"
    client.emit(run_event())
    assert client.close(30)
    assert backend.taken == [1]


def test_the_client_finds_it_in_the_environment(backend: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", TYPE)
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", backend.url)
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__AUTH", '{"type": "api_key", "apiKey": "secret"}')
    client = OpenLineageClient()
    client.emit(run_event())
    assert client.close(30)
    assert backend.requests[0].headers["Authorization"] == "Bearer secret"


def test_the_client_finds_it_in_a_file_and_the_address_in_the_environment(
    backend: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "openlineage.yml").write_text(f"transport:\n  type: {TYPE}\n")
    monkeypatch.setenv("OPENLINEAGE_URL", backend.url)
    client = OpenLineageClient()
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE__TRANSPORT__TRANSPORTS")]:
        monkeypatch.delenv(name)  # which the client has put there itself
    client.emit(run_event())
    assert client.close(30)
    assert backend.taken == [1]


def test_a_backend_that_is_away_neither_fails_nor_holds_up_the_client(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    client = OpenLineageClient(config={"transport": {"type": TYPE, "url": url, "outbox": str(tmp_path / "outbox")}})
    client.emit(run_event(RunState.START))
    assert client.close(0.1) is False


def test_what_the_client_sends_is_stored_by_headwater(tmp_path: Path) -> None:
    with headwater(tmp_path) as server:
        settings = {"type": TYPE, "url": server.url, "outbox": str(tmp_path / "outbox")}
        client = OpenLineageClient(config={"transport": settings})
        for state in (RunState.START, RunState.RUNNING, RunState.COMPLETE):
            client.emit(run_event(state))
        assert client.close(30)
        assert server.numbers() == [1, 1, 1]
