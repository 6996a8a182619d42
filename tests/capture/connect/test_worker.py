"""What a worker's answers mean: those that a test can bring about at will only from a server of prepared answers.

The tests with a real worker are in tests/e2e/test_connectors.py.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from headwater.capture.connect.answers import ConnectError, ConnectorFailed, InvalidConnector, Plugin
from headwater.capture.connect.files import Connector
from headwater.capture.connect.worker import Worker
from tests.capture.connect.workers import TRACE, answer, fake_worker

CONNECTOR = Connector("mine", {"connector.class": "org.example.Sink", "password": "${env:PASSWORD}"})
Answer = tuple[int, Any]


@contextmanager
def worker_that_says(answers: dict[str, list[Answer]], patience: float = 5.0) -> Iterator[tuple[Worker, list[str]]]:
    """A worker with answers in the order given, the last of which it repeats; and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = f"{self.command} {self.path}"
            asked.append(request)
            prepared = answers.get(request, [(404, {"message": f"nothing was prepared for {request}"})])
            status, said = prepared.pop(0) if len(prepared) > 1 else prepared[0]
            body = b"" if said is None else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        with Worker(f"http://127.0.0.1:{http.server_port}", ["s3cret"], patience) as worker:
            yield worker, asked
        http.shutdown()
        thread.join()


def status(*states: str, trace: str = "") -> Answer:
    return 200, {"tasks": [{"id": n, "state": state, "trace": trace} for n, state in enumerate(states)]}


VALIDATE = "PUT /connector-plugins/org.example.Sink/config/validate"
CONFIG = "/connectors/mine/config"
STATUS = "GET /connectors/mine/status"
RESTART = "POST /connectors/mine/restart?includeTasks=true&onlyFailed=true"
VALID: Answer = (200, {"configs": [{"value": {"name": "topics", "errors": []}}, {"value": None}]})


def test_a_rebalance_is_waited_for_in_both_ways_that_it_is_told() -> None:
    answers = {
        f"GET {CONFIG}": [(500, {"message": "Request cannot be completed because a rebalance is expected"}), (404, {})],
        VALIDATE: [(500, {"message": "Request timed out"}), VALID],
        f"PUT {CONFIG}": [(409, {"message": "Cannot complete request because of a conflicting operation"}), (201, {})],
        STATUS: [(404, {}), status("UNASSIGNED"), status("RUNNING", "UNASSIGNED"), status("RUNNING", "RUNNING")],
    }
    with worker_that_says(answers) as (worker, asked):
        worker.apply(CONNECTOR)
    assert asked.count(f"PUT {CONFIG}") == 2
    assert asked.count(STATUS) == 4


def test_a_connector_that_is_as_wished_is_left_alone() -> None:
    answers = {f"GET {CONFIG}": [(200, {**CONNECTOR.config, "name": "mine"})], STATUS: [status("RUNNING")]}
    with worker_that_says(answers) as (worker, asked):
        worker.apply(CONNECTOR)
    assert asked == [f"GET {CONFIG}", STATUS]


def test_each_fault_is_told_by_its_key_without_secrets() -> None:
    faulty = {"configs": [{"value": {"name": "password", "errors": ["s3cret is too short", "and too old"]}}]}
    with worker_that_says({VALIDATE: [(200, faulty)]}) as (worker, _), pytest.raises(InvalidConnector) as raised:
        worker.validate(CONNECTOR)
    assert str(raised.value).splitlines()[1:] == ["  password: ******** is too short", "  password: and too old"]


def test_a_task_that_had_failed_is_started_again_once_and_then_it_is_an_error() -> None:
    answers = {STATUS: [status("FAILED", trace=TRACE)], RESTART: [(202, None)]}
    with worker_that_says(answers) as (worker, asked), pytest.raises(ConnectorFailed) as raised:
        worker.wait_running("mine")
    assert asked.count(RESTART) == 1
    assert "connector 'mine' failed: org.example.NotAuthorized: ******** is not the password" in str(raised.value)


def test_a_task_that_recovers_when_started_again_is_well() -> None:
    answers = {STATUS: [status("FAILED", trace=TRACE), status("RUNNING")], RESTART: [(202, None)]}
    with worker_that_says(answers) as (worker, _):
        worker.wait_running("mine")


def test_a_connector_without_tasks_does_not_run() -> None:
    with (
        worker_that_says({STATUS: [status()]}, patience=0.5) as (worker, _),
        pytest.raises(ConnectorFailed, match="no tasks"),
    ):
        worker.wait_running("mine")


def test_what_a_worker_refuses_is_told_with_its_words() -> None:
    with (
        worker_that_says({"GET /connectors": [(500, {"message": "s3cret trouble"})]}) as (worker, _),
        pytest.raises(ConnectError, match=r"GET /connectors at .*: 500: \*{8} trouble"),
    ):
        worker.names()


def test_a_worker_that_is_not_there_is_an_error_once_patience_ends() -> None:
    with Worker("http://127.0.0.1:1", patience=0.5) as worker, pytest.raises(ConnectError, match="Connect worker"):
        worker.names()


def test_what_is_gone_already_can_be_deleted() -> None:
    with worker_that_says({}) as (worker, asked):
        worker.delete("mine")
        assert worker.tasks("mine") == ()
        assert worker.offsets("mine") == []
    assert asked[0] == "DELETE /connectors/mine"


def test_tasks_are_told_with_the_cause_of_their_end() -> None:
    with worker_that_says({STATUS: [status("FAILED", trace=TRACE)]}) as (worker, _):
        [task] = worker.tasks("mine")
    assert (task.id, task.state) == (0, "FAILED")
    assert task.cause == "org.example.NotAuthorized: ******** is not the password"


def test_everything_is_had_with_one_request_and_decoded_later() -> None:
    with fake_worker() as fake, Worker(fake.url, patience=0) as worker:
        fake.connectors = answer("connectors-expand-status-info")
        listed = worker.look()
        assert fake.asked == ["GET /connectors?expand=status&expand=info"]
    assert sorted(listed) == ["orders-iceberg-sink", "orders-s3-sink", "orders-source"]
    assert json.loads(bytes(listed["orders-source"].status))["connector"]["state"] == "RUNNING"


def test_what_a_worker_can_run_is_listed() -> None:
    with fake_worker() as fake, Worker(fake.url, patience=0) as worker:
        fake.plugins = answer("connector-plugins")
        found = worker.plugins()
    assert Plugin("io.debezium.connector.postgresql.PostgresConnector", "source", "3.6.1.Final") in found


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ((401, {"message": "User cannot access the resource."}), 401, "give user and password in its address"),
        ((403, {"message": "no"}), 403, "give user and password in its address"),
        ((409, {"message": "a rebalance is in process"}), 409, "a rebalance is in process"),
        ((500, {"message": "IO Error"}), 500, "IO Error"),
        ((500, "<html>oops</html>"), 500, "oops"),
        (b'{"orders": {"status": {"na', 200, "not one of a Connect worker"),
        (b"<html>a proxy</html>", 200, "check the address"),
        (b"\xff\xfe", 200, "check the address"),
        (b"[]", 200, "check the address"),
    ],
)
def test_every_bad_answer_is_one_error_that_says_what_to_do(said: Any, status: int, words: str) -> None:
    with fake_worker() as fake, Worker(fake.url, patience=0) as worker:
        fake.fault = lambda _request: said
        with pytest.raises(ConnectError, match=words) as raised:
            worker.look()
    assert raised.value.status == status


def test_a_password_in_the_address_is_used_and_not_shown() -> None:
    with fake_worker() as fake, Worker(fake.url.replace("//", "//admin:hunter2@"), patience=0) as worker:
        worker.names()
        assert fake.logins == ["Basic YWRtaW46aHVudGVyMg=="]
        fake.fault = lambda _request: (500, {"message": "oops"})
        with pytest.raises(ConnectError) as raised:
            worker.names()
    assert "hunter2" not in str(raised.value)


def test_names_with_a_slash_or_a_space_are_one_segment() -> None:
    with fake_worker() as fake, Worker(fake.url, patience=0) as worker:
        fake.has("a/b c")
        assert worker.status("a/b c") is not None
        worker.pause("a/b c")
    assert fake.asked[-1] == "PUT /connectors/a%2Fb%20c/pause"
