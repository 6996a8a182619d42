import os
import random
import shutil
import signal
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest

from headwater.capture.destination import Destination, destination_of
from headwater.capture.emitter import Emitter
from headwater.capture.sender import LONGEST_WAIT, backoff
from tests.capture.backends import Answers, Request, Said, headwater, takes_batches, takes_one, told, wait_for
from tests.capture.making import event, number
from tests.capture.processes import running
from tests.server.serving import free_port


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


def send(url: str, root: Path, *numbers: int, wait: bool = True) -> Emitter:
    """An emitter that was given these events, and has sent or set aside all of them."""
    emitter = Emitter(Destination(url), root)
    for each in numbers:
        emitter.emit(event(each))
    assert not wait or emitter.close(30)
    return emitter


def rejected(root: Path) -> list[dict[str, object]]:
    return [msgspec.json.decode(line) for line in (root / "rejected.ndjson").read_bytes().splitlines()]


# -- the ordinary way ------------------------------------------------------------------------------


def test_a_backend_without_batches_gets_events_one_by_one_in_order(root: Path) -> None:
    with told(takes_one) as backend:
        send(backend.url, root, *range(200))
    assert backend.taken == list(range(200))
    assert sum(request.path.endswith("/batch") for request in backend.requests) <= 1


def test_a_backend_with_batches_gets_many_at_once_in_order(root: Path) -> None:
    with told() as backend:
        send(backend.url, root, *range(2000))
    assert backend.taken == list(range(2000))
    assert len(backend.requests) < 50


def test_one_connection_serves_many_requests_packed_or_not(root: Path) -> None:
    with told(takes_one) as backend:
        emitter = Emitter(Destination(backend.url), root)
        for each in range(100):
            emitter.emit(event(each, size=each * 40))
        assert emitter.close(30)
    assert backend.taken == list(range(100))
    assert backend.connections == 1
    assert {request.headers.get("Content-Encoding") for request in backend.requests} == {None, "gzip"}


def test_a_backend_that_closes_every_connection_gets_everything(root: Path) -> None:
    with told(takes_one, keep_alive=False) as backend:
        send(backend.url, root, *range(50))
    assert backend.taken == list(range(50))


def test_the_key_the_endpoint_and_own_headers_are_sent(root: Path) -> None:
    settings = {"endpoint": "/in/v2/", "auth": {"type": "api_key", "apiKey": "secret"}, "headers": {"X-Team": "data"}}
    with told(takes_one) as backend:
        emitter = Emitter(destination_of({"url": f"{backend.url}/below", **settings}, "here"), root)
        emitter.emit(event(1))
        assert emitter.close(30)
    (request,) = backend.requests
    assert request.path == "/below/in/v2"
    assert request.headers["Authorization"] == "Bearer secret"
    assert request.headers["X-Team"] == "data"


def test_an_event_is_the_same_bytes_alone_and_among_others(root: Path) -> None:
    with told() as backend:
        emitter = Emitter(Destination(backend.url), root)
        for each in range(3):
            emitter.emit(b'\n {"job": {"name": "job-%d"}}  \n' % each)
        assert emitter.close(30)
    assert [body for request in backend.requests for body in request.events] == [
        b'{"job": {"name": "job-%d"}}' % each for each in range(3)
    ]


# -- trouble that passes ---------------------------------------------------------------------------


def test_the_wait_between_attempts_doubles_to_a_limit_and_is_spread() -> None:
    longest = [backoff(failures, lambda: 1.0) for failures in range(1, 12)]
    assert longest[:4] == [0.5, 1.0, 2.0, 4.0]
    assert longest[-1] == LONGEST_WAIT
    assert [backoff(3, lambda: 0.0), backoff(3, lambda: 0.5)] == [1.0, 1.5]


@pytest.mark.parametrize("status", [500, 502, 503, 429, 401, 403, 404, 302])
def test_trouble_that_may_pass_is_waited_out(status: int, root: Path) -> None:
    troubles = iter([status] * 3)

    def answers(request: Request) -> Said:
        trouble = next(troubles, None)
        return takes_one(request) if trouble is None else (trouble, {}, b"not now")

    with told(answers) as backend:
        emitter = send(backend.url, root, *range(5))
    assert backend.taken == list(range(5))
    assert (emitter.stats().sent, emitter.stats().rejected) == (5, 0)


def test_retry_after_is_honoured(root: Path) -> None:
    with told(lambda _: (503, {"Retry-After": "2"}, b"busy")) as backend:
        emitter = send(backend.url, root, 1, wait=False)
        wait_for(lambda: backend.requests)
        backend.answers = takes_one
        assert emitter.close(30)
    first, second = backend.requests
    assert second.at - first.at >= 2


def test_a_backend_that_is_away_gets_everything_when_it_is_back(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    port = free_port()
    emitter = send(f"http://127.0.0.1:{port}", root, *range(100), wait=False)
    wait_for(lambda: "cannot be reached" in caplog.text)
    with told(port=port) as backend:
        assert emitter.close(60)
    assert backend.taken == list(range(100))
    assert caplog.text.count("cannot be reached") == 1


def test_events_that_the_backend_had_no_time_for_are_sent_again_and_no_others(root: Path) -> None:
    """As Headwater answers when its queue fills up in the middle of a batch."""
    overloaded = iter([True])

    def answers(request: Request) -> Said:
        if request.path.endswith("/batch") and len(request.events) > 2 and next(overloaded, False):
            n = len(request.events)
            failed = [{"index": i, "reason": "queue is full", "retriable": True} for i in range(2, n)]
            return 200, {}, msgspec.json.encode({"summary": {"received": n}, "failed_events": failed})
        return takes_batches(request)

    with told(answers) as backend:
        emitter = send(backend.url, root, *range(200))
    seen = [number(body) for request in backend.requests for body in request.events]
    assert sorted(set(seen)) == list(range(200))
    partly = next(request for request in backend.requests if len(request.events) > 2)
    accepted = {number(body) for body in partly.events[:2]}
    assert all(seen.count(each) == 1 for each in accepted)
    assert emitter.stats().sent == 200


# -- trouble that does not pass --------------------------------------------------------------------


def refuses(bad: set[int], status: int) -> Answers:
    def answers(request: Request) -> Said:
        if any(number(body) in bad for body in request.events):
            return status, {}, b'{"message": "eventTime is missing"}'
        return takes_batches(request)

    return answers


@pytest.mark.parametrize("status", [400, 413, 422])
def test_an_event_refused_for_good_is_set_aside_with_the_answer(status: int, root: Path) -> None:
    with told(refuses({7, 30}, status)) as backend:
        emitter = send(backend.url, root, *range(50))
    assert set(backend.taken) == set(range(50)) - {7, 30}
    assert (emitter.stats().sent, emitter.stats().rejected, emitter.stats().waiting) == (48, 2, 0)
    first, second = rejected(root)
    assert (first["status"], first["answer"]) == (status, '{"message": "eventTime is missing"}')
    assert number(str(second["event"]).encode()) == 30


def test_headwater_itself_says_which_event_of_a_batch_is_bad(root: Path, tmp_path: Path) -> None:
    with headwater(tmp_path) as server:
        emitter = Emitter(Destination(server.url), root)
        for each in range(100):
            emitter.emit({**event(each), **({"eventTime": "yesterday"} if each == 42 else {})})
        assert emitter.close(30)
        assert server.numbers() == [each for each in range(100) if each != 42]
    (only,) = rejected(root)
    assert number(str(only["event"]).encode()) == 42
    assert "eventTime is yesterday" in str(only["answer"])


@pytest.mark.parametrize("way", ["batches", "one by one"])
def test_an_event_that_makes_the_backend_fail_does_not_hold_up_the_others(
    way: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Marquez, which answers 500 to what it cannot read."""
    monkeypatch.setattr("headwater.capture.sender.FIRST_WAIT", 0.02)
    with told(lambda _: (503, {}, b"")) as backend:
        emitter = send(backend.url, root, *range(450), wait=False)
        fails = refuses({3, 310, 311}, 500)
        backend.answers = fails if way == "batches" else lambda r: takes_one(r) if "batch" in r.path else fails(r)
        assert emitter.close(60)
    assert sorted(set(backend.taken)) == sorted(set(range(450)) - {3, 310, 311})
    assert [(note["status"], number(str(note["event"]).encode())) for note in rejected(root)] == [
        (500, 3),
        (500, 310),
        (500, 311),
    ]
    assert len(backend.requests) < (150 if way == "batches" else 550)


def test_a_backend_that_fails_for_every_event_loses_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.capture.sender.FIRST_WAIT", 0.005)
    monkeypatch.setattr("headwater.capture.sender.LONGEST_WAIT", 0.02)
    with told(lambda _: (500, {}, b"out of order")) as backend:
        emitter = send(backend.url, root, *range(10), wait=False)
        wait_for(lambda: len(backend.requests) > 30)
        backend.answers = takes_batches
        assert emitter.close(30)
    assert sorted(set(backend.taken)) == list(range(10))
    assert emitter.stats().rejected == 0


def test_a_server_that_takes_anything_for_an_event_gets_no_batches(root: Path) -> None:
    with told(lambda _: (201, {}, b"")) as backend:
        send(backend.url, root, *range(20))
    singles = [request for request in backend.requests if not request.path.endswith("/batch")]
    assert {number(request.body) for request in singles} >= set(range(2, 20))


def test_a_backend_that_cannot_unpack_gets_plain_events(root: Path) -> None:
    def answers(request: Request) -> Said:
        return (415, {}, b"no gzip") if request.headers.get("Content-Encoding") else takes_one(request)

    with told(answers) as backend:
        emitter = Emitter(Destination(backend.url), root)
        for each in range(10):
            emitter.emit(event(each, size=5000))
        assert emitter.close(30)
    assert backend.taken == list(range(10))
    assert sum("Content-Encoding" in request.headers for request in backend.requests) <= 2


# -- TLS -------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody has signed, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    new += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(files[0]), "-keyout", str(files[1])]
    subprocess.run(new, check=True, capture_output=True)
    return files


@pytest.fixture
def tls_backend(certificate: tuple[Path, Path]) -> Iterator[tuple[str, list[bytes]]]:
    """A backend behind TLS, and the bodies that reached it."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(201)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output to the test's."""

    class Quiet(HTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that does not trust us breaks off."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with Quiet(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}", bodies
        server.shutdown()
        thread.join()


def test_https_trusts_the_given_certificate_and_no_unknown_one(
    root: Path, certificate: tuple[Path, Path], tls_backend: tuple[str, list[bytes]], caplog: pytest.LogCaptureFixture
) -> None:
    url, bodies = tls_backend
    stranger = send(url, root, 1, wait=False)
    wait_for(lambda: "CERTIFICATE_VERIFY_FAILED" in caplog.text)
    assert not stranger.close(0)
    assert bodies == []
    settings = {"url": url, "sslContext": {"caCertPath": str(certificate[0])}}
    friend = Emitter(destination_of(settings, "here"), root)
    assert friend.flush(30, everything=True)
    friend.close()
    assert [number(body) for body in bodies] == [1]


# -- exactly once ----------------------------------------------------------------------------------

EMITS = """
    import sys, time
    from pathlib import Path
    from headwater.capture.destination import Destination
    from headwater.capture.emitter import Emitter
    from tests.capture.making import event
    emitter = Emitter(Destination(sys.argv[2]), Path(sys.argv[1]))
    for number in range(int(sys.argv[3]), int(sys.argv[3]) + 10_000):
        emitter.emit(event(number, size=number % 2000))
        sys.stdout.write(f"{number}\\n")
        sys.stdout.flush()
        time.sleep(0.0005)
"""


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_every_event_is_stored_once_however_often_sender_and_server_are_killed(root: Path, tmp_path: Path) -> None:
    chance = random.Random(20)
    emitted: set[int] = set()
    unsure: set[int] = set()
    with headwater(tmp_path) as server:
        for turn in range(8):
            first = turn * 10_000
            with running(EMITS, root, server.url, first) as process:
                assert process.stdout is not None
                lines = [process.stdout.readline() for _ in range(chance.randrange(50, 500))]
                if turn % 3 == 1:
                    server.stop()
                    lines += [process.stdout.readline() for _ in range(chance.randrange(50, 300))]
                os.kill(process.pid, signal.SIGKILL)
                lines += process.stdout.read().splitlines()
            if turn % 3 == 1:
                server.start()
            numbers = [int(line) for line in lines if line.strip()]
            emitted.update(numbers)
            unsure.add(numbers[-1] + 1)  # it may have been on disk already when the process was killed
        last = Emitter(Destination(server.url), root)
        assert last.flush(60, everything=True)
        last.close()
        stored = server.numbers()
        assert len(stored) == len(set(stored))
        assert emitted <= set(stored) <= emitted | unsure
        assert server.oddities().get("duplicate", 0) > 0, "no event was sent twice: the test has tested nothing"
    assert os.listdir(root) == []


@pytest.mark.slow
def test_nothing_is_lost_while_the_backend_is_killed_and_started_again(root: Path, tmp_path: Path) -> None:
    with headwater(tmp_path) as server:
        emitter = Emitter(Destination(server.url), root)
        for each in range(600):
            emitter.emit(event(each))
            if each == 200:
                server.stop()
            if each == 400:
                server.start()
        assert emitter.close(60)
        stored = server.numbers()
    assert stored == list(range(600))
