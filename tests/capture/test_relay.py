import gzip
import json
import socket
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.capture.relay import Relay, Transform, start_relay
from headwater.errors import HeadwaterError
from tests.capture.backends import Told, told, wait_for
from tests.capture.making import event, number
from tests.server.serving import free_port

AGENT = Path(__file__).parent.parent / "fixtures" / "events" / "spark-agent-3.5.7-batch.jsonl"


@contextmanager
def relaying(
    url: str, root: Path, transform: Transform | None = None, **more: Any
) -> Iterator[tuple[Relay, Emitter, httpx.Client]]:
    """A relay to `url`, and a client of it."""
    emitter = Emitter(Destination(url), root)
    relay = start_relay(emitter, transform=transform, **more)
    try:
        with httpx.Client(base_url=relay.url, timeout=30) as client:
            yield relay, emitter, client
    finally:
        relay.close()
        emitter.close(10)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


@pytest.fixture
def backend() -> Iterator[Told]:
    with told() as running:
        yield running


def test_an_event_is_answered_at_once_and_forwarded_byte_for_byte(root: Path, backend: Told) -> None:
    events = [line for line in AGENT.read_bytes().splitlines() if line]
    with relaying(backend.url, root) as (_, emitter, client):
        for body in events:
            answer = client.post("/api/v1/lineage", content=body)
            assert (answer.status_code, answer.content) == (201, b"")
        assert emitter.flush(30)
    assert [body for request in backend.accepted for body in request.events] == events


def test_a_backend_that_is_away_is_no_concern_of_the_producers(root: Path) -> None:
    port = free_port()
    with relaying(f"http://127.0.0.1:{port}", root) as (_, emitter, client):
        for each in range(50):
            assert client.post("/api/v1/lineage", json=event(each)).status_code == 201
        assert emitter.stats().waiting == 50
        with told(port=port) as backend:
            assert emitter.flush(60)
    assert backend.taken == list(range(50))


def test_a_batch_is_judged_event_by_event(root: Path, backend: Told) -> None:
    with relaying(backend.url, root) as (_, emitter, client):
        answer = client.post("/api/v1/lineage/batch", json=[event(1), {"no": "event"}, event(2)])
        assert answer.status_code == 200
        said = answer.json()
        assert said["status"] == "partial_success"
        assert said["summary"] == {"received": 3, "successful": 2, "failed": 1, "retriable": 0, "non_retriable": 1}
        assert said["failed_events"][0]["index"] == 1
        assert emitter.flush(30)
    assert backend.taken == [1, 2]


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/api/v1/lineage", b"{", 400, "not JSON"),
        ("/api/v1/lineage", b"", 400, "not JSON"),
        ("/api/v1/lineage", b"[]", 422, "expected `object`"),
        ("/api/v1/lineage", b'{"run": {}}', 422, "missing"),
        ("/api/v1/lineage", b'{"a": "\xff"}', 400, "not JSON"),
        ("/api/v1/lineage/batch", b"{}", 400, "not a JSON array"),
        ("/api/v1/jobs", b"{}", 404, "/api/v1/lineage"),
    ],
)
def test_what_is_no_event_is_refused_with_the_reason_and_not_kept(
    path: str, body: bytes, status: int, said: str, root: Path, backend: Told
) -> None:
    with relaying(backend.url, root) as (_, emitter, client):
        answer = client.post(path, content=body)
        assert answer.status_code == status
        assert said in answer.json()["message"]
        assert emitter.stats().written == 0
        assert client.post("/api/v1/lineage", json=event(1)).status_code == 201  # the connection is still good


# -- bodies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "packed"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)]
)
def test_a_body_may_be_packed_and_in_chunks(encoding: str, packed: Any, root: Path, backend: Told) -> None:
    body: bytes = packed(json.dumps(event(1, size=5000)).encode())
    with relaying(backend.url, root) as (_, emitter, client):
        headers = {"Content-Encoding": encoding}
        assert client.post("/api/v1/lineage", content=body, headers=headers).status_code == 201
        pieces = (body[at : at + 100] for at in range(0, len(body), 100))
        assert client.post("/api/v1/lineage", content=pieces, headers=headers).status_code == 201
        assert emitter.stats().written == 2


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({}, b" " * 20_000, 413),
        ({"Content-Encoding": "gzip"}, gzip.compress(b" " * 20_000), 413),
        ({"Content-Encoding": "gzip"}, b"not packed", 400),
        ({"Content-Encoding": "gzip"}, gzip.compress(b"{}")[:-4], 400),
        ({"Content-Encoding": "br"}, b"{}", 415),
    ],
    ids=["too long", "too long when unpacked", "not packed", "cut", "unknown packing"],
)
def test_a_body_that_cannot_be_taken_is_refused(
    headers: dict[str, str], body: bytes, status: int, root: Path, backend: Told
) -> None:
    with relaying(backend.url, root, max_bytes=10_000) as (_, emitter, client):
        answer = client.post("/api/v1/lineage", content=body, headers=headers)
        assert (answer.status_code, emitter.stats().written) == (status, 0)


def test_a_body_that_says_no_length_or_breaks_off_is_refused(root: Path, backend: Told) -> None:
    with relaying(backend.url, root) as (relay, emitter, _):
        address = ("127.0.0.1", int(relay.url.rpartition(":")[2]))
        for sent, said in ((b"\r\n", b"411"), (b"Content-Length: 50\r\n\r\n{", b"400")):
            with socket.create_connection(address, timeout=30) as connection:
                connection.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nHost: a\r\n" + sent)
                connection.shutdown(socket.SHUT_WR)
                assert said in connection.recv(4096)
        assert emitter.stats().written == 0


# -- repairs on the way in -------------------------------------------------------------------------


def test_an_event_may_be_changed_multiplied_or_kept_back_on_its_way_in(root: Path, backend: Told) -> None:
    def transform(given: dict[str, Any]) -> list[dict[str, Any]]:
        n = number(json.dumps(given).encode())
        return [event(n * 10 + i) for i in range(n)]

    with relaying(backend.url, root, transform) as (_, emitter, client):
        for each in range(3):
            assert client.post("/api/v1/lineage", json=event(each)).status_code == 201
        assert client.post("/api/v1/lineage", content=b"{").status_code == 400
        assert emitter.flush(30)
    assert backend.taken == [10, 20, 21]


def test_a_repair_that_fails_lets_the_event_through_as_it_came(
    root: Path, backend: Told, caplog: pytest.LogCaptureFixture
) -> None:
    def transform(given: dict[str, Any]) -> list[dict[str, Any]]:
        raise KeyError("inputs")

    with relaying(backend.url, root, transform) as (_, emitter, client):
        assert client.post("/api/v1/lineage", json=event(7)).status_code == 201
        assert emitter.flush(30)
    assert backend.taken == [7]
    assert "delivered as it came" in caplog.text


# -- the server ------------------------------------------------------------------------------------


def test_health_says_how_it_goes(root: Path, backend: Told) -> None:
    with relaying(backend.url, root) as (_, emitter, client):
        client.post("/api/v1/lineage", json=event(1))
        assert emitter.flush(30)
        assert client.get("/health").json() == {
            "status": "ok",
            "to": f"{backend.url}/api/v1/lineage",
            "outbox": str(root),
            "written": 1,
            "sent": 1,
            "rejected": 0,
            "waiting": 0,
            "dropped": 0,
        }
        assert client.get("/").status_code == 404


def test_only_this_machine_can_reach_it_unless_told_otherwise(root: Path, backend: Told) -> None:
    with relaying(backend.url, root) as (relay, _, _):
        assert relay.url.startswith("http://127.0.0.1:")
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", int(relay.url.rpartition(":")[2])), timeout=5)


def test_a_closed_relay_takes_nothing_more_even_on_an_open_connection(root: Path, backend: Told) -> None:
    emitter = Emitter(Destination(backend.url), root)
    relay = start_relay(emitter)
    with httpx.Client(base_url=relay.url, timeout=30) as client:
        assert client.post("/api/v1/lineage", json=event(1)).status_code == 201
        relay.close()
        with pytest.raises(httpx.TransportError):
            client.post("/api/v1/lineage", json=event(2))
    assert emitter.close(30)
    wait_for(lambda: backend.taken == [1])


def test_a_port_that_is_taken_is_said(root: Path, backend: Told) -> None:
    with relaying(backend.url, root) as (relay, emitter, _):
        port = int(relay.url.rpartition(":")[2])
        with pytest.raises(HeadwaterError, match=f"cannot listen on 127.0.0.1:{port}.*--port"):
            start_relay(emitter, port)
