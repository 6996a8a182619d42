import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.capture.leases import LONGEST_SECONDS, Leases, lease_facet, lease_seconds, leases_of
from headwater.capture.run_events import RunOf, new_run_id
from headwater.errors import SettingError
from tests.capture.backends import wait_for
from tests.server.serving import serving

RUN = "01234567-89ab-7def-8123-456789abcdef"


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[Destination, list[str]]]:
    """A backend that answers every PUT alike, and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Destination(f"http://127.0.0.1:{server.server_port}/below"), asked
        finally:
            server.shutdown()
            thread.join()


def test_a_run_that_is_held_is_renewed_until_it_is_released() -> None:
    with answering(200, b'{"state": "RUNNING"}') as (destination, asked):
        leases = Leases(destination, lambda: False, 1)
        leases.hold(RUN, lambda: pytest.fail("it was never given up"))
        wait_for(lambda: len(asked) >= 2)
        leases.release(RUN)
        assert set(asked) == {f"/below/api/v2/runs/{RUN}/lease"}
        wait_for(lambda: not leases._renewing)


def test_a_run_that_was_given_up_is_spoken_for_by_an_event() -> None:
    again = threading.Event()
    with answering(200, b'{"state": "LOST"}') as (destination, _):
        leases = Leases(destination, lambda: False, 1)
        leases.hold(RUN, again.set)
        assert again.wait(30)
        leases.release(RUN)


@pytest.mark.parametrize("status", [404, 405, 501])
def test_where_nobody_renews_leases_a_run_promises_little(status: int) -> None:
    again = threading.Event()
    with answering(status, b"no such thing") as (destination, _):
        leases = Leases(destination, lambda: False, 1)
        leases.hold(RUN, again.set)
        assert again.wait(30)
        leases.release(RUN)
        assert leases.facet() == lease_facet(LONGEST_SECONDS)


def test_a_run_that_the_server_has_not_heard_of_yet_is_asked_for_again() -> None:
    with answering(404, b"""{"message": "nothing stored has the id 'run:1'"}""") as (destination, asked):
        leases = Leases(destination, lambda: False, 1)
        leases.hold(RUN, lambda: None)
        wait_for(lambda: len(asked) >= 2)
        leases.release(RUN)
        assert leases.seconds == 1


def test_a_real_server_keeps_a_run_alive_beyond_its_lease(sqlite_url: str, tmp_path: Path) -> None:
    with serving(sqlite_url) as server:
        emitter = Emitter(Destination(server.url), tmp_path / "outbox")
        leases = Leases(emitter.destination, lambda: False, 1)
        run = RunOf(new_run_id(), "tests", "long")
        emitter.emit(run.event("START", leases.facet(), {}))
        assert emitter.flush(30)
        renewed: list[float] = []
        leases.hold(run.run_id, lambda: renewed.append(1))

        def until() -> str:
            found: Any = server.http.put(f"/api/v2/runs/{run.run_id}/lease", json={"seconds": 1}).json()
            return str(found["until"])

        first = until()
        wait_for(lambda: until() > first)
        state: Any = server.get(f"/api/v1/jobs/runs/{run.run_id}")
        leases.release(run.run_id)
        emitter.close()
    assert (state["state"], renewed) == ("RUNNING", [])


def test_an_emitter_has_one_thread_for_all_its_runs(tmp_path: Path) -> None:
    one, other = Emitter(None, tmp_path / "one"), Emitter(None, tmp_path / "other")
    assert leases_of(one) is leases_of(one)
    assert leases_of(one) is not leases_of(other)
    one.close()
    other.close()


def test_the_length_of_a_lease_is_a_setting() -> None:
    assert lease_seconds({}) == 30
    assert lease_seconds({"HEADWATER_LEASE_SECONDS": " 5 "}) == 5


@pytest.mark.parametrize("written", ["0", "-1", "soon", "1.5", "90000"])
def test_a_length_that_cannot_be_is_said(written: str) -> None:
    with pytest.raises(SettingError, match="expected a whole number of seconds from 1 to 86400"):
        lease_seconds({"HEADWATER_LEASE_SECONDS": written})
