"""Events in over HTTP: taken, refused with the reason, bounded in size, and kept as they were sent."""

import asyncio
import gzip
import json
import zlib
from typing import Any

import pytest
from sqlalchemy import func, select

from headwater.server.body import MB
from headwater.store import tables as t
from headwater.store.writer import Overloaded
from tests.server.making import run
from tests.server.serving import Running, full_queue, serving


def stored(server: Running) -> int:
    with server.app.services.db.read() as db:
        return db.execute(select(func.count()).select_from(t.event)).scalar_one()


def test_an_event_that_is_taken_is_on_disk_and_reads_back_byte_for_byte(server: Running) -> None:
    body = json.dumps(run("load", "a", "b"), indent=1).encode()
    answer = server.http.post("/api/v1/lineage", content=body)
    assert (answer.status_code, answer.content) == (201, b"")
    assert stored(server) == 1
    assert server.http.get("/api/v2/events/1").content == body


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_events_are_taken(server: Running, encoding: str) -> None:
    body = json.dumps(run("load", "a", "b")).encode()
    packed = gzip.compress(body) if encoding == "gzip" else zlib.compress(body)
    answer = server.http.post("/api/v1/lineage", content=packed, headers={"Content-Encoding": encoding})
    assert answer.status_code == 201, answer.text
    assert server.http.get("/api/v2/events/1").content == body


BAD = [
    (b"{", 400, "$"),
    (b"", 400, "$"),
    (b"\xff\xfe", 400, "$"),
    (b"[]", 422, "$"),
    (b'{"eventTime": 5}', 422, "eventTime"),
    (b'{"eventTime": "noon", "job": {"namespace": "n", "name": "j"}}', 422, "eventTime"),
    (b'{"eventTime": "2026-01-01T00:00:00Z"}', 422, "run"),
    (b'{"eventTime": "2026-01-01T00:00:00Z", "run": {"runId": "x"}}', 422, "job"),
    (b'{"eventTime": "2026-01-01T00:00:00Z", "run": {"runId": null}, "job": {}}', 422, "run.runId"),
]


def test_a_bad_event_is_refused_by_field_and_kept_as_a_diagnostic(server: Running) -> None:
    for count, (body, status, field) in enumerate(BAD, 1):
        answer = server.http.post("/api/v1/lineage", content=body)
        assert answer.status_code == status, answer.text
        said = answer.json()
        assert (said["code"], said["field"]) == (status, field)
        assert said["errors"] == [said["message"]]
        listed: Any = server.get("/api/v2/diagnostics")
        assert listed["counts"] == {"rejected": count}
        assert listed["diagnostics"][0]["field"] == field
        kept: Any = server.get(f"/api/v2/diagnostics/{listed['diagnostics'][0]['id']}")
        assert kept.get("body", "") == body.decode("utf-8", "replace")
    assert stored(server) == 0


def test_a_bad_event_after_a_good_one_does_not_disturb_it(server: Running) -> None:
    server.post(run("load", "a", "b"))
    assert server.http.post("/api/v1/lineage", content=b"{}").status_code == 422
    server.post(run("load", "a", "c", at="2026-01-02T00:00:00Z"))
    assert stored(server) == 2


def test_a_batch_stores_the_good_and_names_the_bad(server: Running) -> None:
    good = run("load", "a", "b")
    answer = server.http.post("/api/v1/lineage/batch", json=[good, {"eventTime": 1}, good, 7])
    assert answer.status_code == 200
    said = answer.json()
    assert said["status"] == "partial_success"
    summary = {"received": 4, "successful": 2, "failed": 2, "retriable": 0, "non_retriable": 2}
    assert said["summary"] == summary
    assert [(f["index"], f["retriable"]) for f in said["failed_events"]] == [(1, False), (3, False)]
    assert stored(server) == 1
    assert server.get("/api/v2/diagnostics")["counts"] == {"duplicate": 1, "late": 1, "rejected": 2}  # type: ignore[index]


@pytest.mark.parametrize("body", [b"[", b"{}", b"null", b'"x"'])
def test_a_batch_that_is_no_array_is_refused(any_server: Running, body: bytes) -> None:
    assert any_server.http.post("/api/v1/lineage/batch", content=body).status_code in (400, 422)


def test_an_empty_batch_is_a_success(any_server: Running) -> None:
    assert any_server.http.post("/api/v1/lineage/batch", content=b"[]").json()["status"] == "success"


def test_a_body_over_the_limit_is_refused_also_when_it_only_unpacks_to_that(sqlite_url: str) -> None:
    with serving(sqlite_url, max_event_mb=1) as server:
        large = b" " * (MB + 1)
        assert server.http.post("/api/v1/lineage", content=large).status_code == 413
        bomb = gzip.compress(b" " * (50 * MB))
        answer = server.http.post("/api/v1/lineage", content=bomb, headers={"Content-Encoding": "gzip"})
        assert answer.status_code == 413
        assert server.app.services.inflight.held == 0
        server.post(run("load", "a", "b"))


def test_a_chunked_body_over_the_limit_is_refused(sqlite_url: str) -> None:
    with serving(sqlite_url, max_event_mb=1) as server:
        answer = server.http.post("/api/v1/lineage", content=iter([b" " * MB, b" " * MB]))
        assert answer.status_code == 413


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [("gzip", b"not gzip", 400), ("gzip", gzip.compress(b"{}" * 99, mtime=0)[:-9], 400), ("br", b"{}", 415)],
)
def test_a_body_that_cannot_be_unpacked_is_refused(
    any_server: Running, encoding: str, body: bytes, status: int
) -> None:
    answer = any_server.http.post("/api/v1/lineage", content=body, headers={"Content-Encoding": encoding})
    assert answer.status_code == status, answer.text


def test_a_large_event_is_taken(sqlite_url: str) -> None:
    with serving(sqlite_url) as server:
        event = run("load", "a", "b", job_facets={"sql": {"_producer": "t", "_schemaURL": "t", "query": "x" * 20 * MB}})
        server.post(event)
        assert server.http.get("/api/v2/events/1").json() == event


def test_senders_hear_of_it_when_too_much_is_in_flight(sqlite_url: str) -> None:
    with serving(sqlite_url, max_inflight_mb=1) as server:
        server.app.services.inflight.held += MB
        answer = server.http.post("/api/v1/lineage", json=run("load", "a", "b"))
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) >= 1


def test_senders_hear_of_it_when_the_writer_is_behind(sqlite_url: str) -> None:
    with serving(sqlite_url, queue=3) as server:
        with full_queue(server):
            answer = server.http.post("/api/v1/lineage", json=run("load", "a", "b"))
            assert answer.status_code == 503
            assert int(answer.headers["Retry-After"]) >= 1
        server.post(run("load", "a", "b"))
        assert stored(server) == 4


def test_the_rest_of_a_batch_that_does_not_fit_may_be_sent_again(sqlite_url: str) -> None:
    """A stand-in for the writer, because a queue cannot be made to fill up between two pieces."""
    from headwater.server.events import PIECE, take_batch

    class Full:
        taken = 0

        async def write(self, events: list[object]) -> None:
            if self.taken:
                raise Overloaded(9)
            self.taken += len(events)

    batch = json.dumps([run(f"job{i}") for i in range(PIECE + 3)]).encode()
    answer = asyncio.run(take_batch(batch, Full()))  # type: ignore[arg-type]
    assert answer.status == "partial_success"
    assert [f.index for f in answer.failed_events] == [PIECE, PIECE + 1, PIECE + 2]
    assert answer.summary.retriable == 3


@pytest.mark.parametrize("id", ["0", "99999", "x", "-1", "9" * 30])
def test_an_event_that_is_not_there_is_a_404(any_server: Running, id: str) -> None:
    assert any_server.http.get(f"/api/v2/events/{id}").status_code == 404
