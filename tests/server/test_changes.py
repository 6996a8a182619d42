"""The stream of changes: in order, resumable, and gone when the server stops."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from headwater.server import changes
from tests.server.making import dataset, run, run_id
from tests.server.serving import Running, serving, wait_until


def follow(url: str, count: int, headers: dict[str, str] | None = None, **params: str) -> list[dict[str, Any]]:
    """The first `count` server-sent events of a stream."""
    found: list[dict[str, Any]] = []
    with httpx.stream("GET", f"{url}/api/v2/changes", params=params, headers=headers, timeout=20) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        for one in events(answer.iter_lines()):
            found.append(one)
            if len(found) == count:
                break
    return found


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    current: dict[str, Any] = {}
    for line in lines:
        if not line and "data" in current:
            yield current
            current = {}
        elif ": " in line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            current[name] = json.loads(value) if name == "data" else value


def test_every_event_is_told_in_order_with_what_it_was_about(server: Running) -> None:
    server.post(
        run("load", "a", "b", state="START", run="r"), run("load", state="FAIL", run="r", at="2026-01-01T01:00:00Z")
    )
    job_event = run("plan", "a", "b")
    del job_event["run"], job_event["eventType"]
    dataset_event = {"eventTime": "2026-01-01T00:00:00Z", "producer": "t", "dataset": dataset("s3|a:b", "x")}
    server.post(job_event, dataset_event)
    found = follow(server.url, 4, since="0")
    assert [(e["id"], e["event"]) for e in found] == [("1", "run"), ("2", "run"), ("3", "job"), ("4", "dataset")]
    assert found[1]["data"] == {
        "type": "FAIL",
        "eventTime": "2026-01-01T01:00:00.000Z",
        "job": "job:ns:load",
        "run": run_id("r"),
        "state": "FAILED",
    }
    assert found[3]["data"]["dataset"] == "dataset:s3:a%3Ab"


def test_a_client_resumes_after_the_last_event_it_saw(server: Running) -> None:
    server.post(*(run(f"job{i}") for i in range(5)))
    assert [e["id"] for e in follow(server.url, 2, {"Last-Event-ID": "3"})] == ["4", "5"]


def test_a_client_that_waits_hears_of_new_events_at_once(server: Running) -> None:
    server.post(run("before"))
    found: list[dict[str, Any]] = []
    waiting = [threading.Thread(target=lambda: found.extend(follow(server.url, 2))) for _ in range(5)]
    for thread in waiting:
        thread.start()
    wait_until(lambda: server.app.services.changes.clients == 5)
    time.sleep(0.2)  # a client counts before it has its place; posting later cannot make the test pass wrongly
    server.post(run("one"), run("two"))
    for thread in waiting:
        thread.join(20)
    assert [e["data"]["job"] for e in found] == ["job:ns:one", "job:ns:two"] * 5
    wait_until(lambda: server.app.services.changes.clients == 0)


def test_a_client_far_behind_catches_up_completely(server: Running) -> None:
    count = 2 * changes.PAGE + 7
    batch = [run(f"job{i}") for i in range(count)]
    assert server.http.post("/api/v1/lineage/batch", json=batch).json()["status"] == "success"
    found = follow(server.url, count, since="0")
    assert [int(e["id"]) for e in found] == list(range(1, count + 1))


def test_an_idle_stream_shows_that_it_lives(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "HEARTBEAT_SECONDS", 0.05)
    with serving(sqlite_url) as server, httpx.stream("GET", f"{server.url}/api/v2/changes", timeout=20) as answer:
        assert next(line for line in answer.iter_lines() if line.startswith(":")) == ": still here"


def test_streams_end_when_the_server_stops(sqlite_url: str) -> None:
    ended = threading.Event()

    def listen(url: str) -> None:
        with httpx.stream("GET", f"{url}/api/v2/changes", timeout=20) as answer:
            for _ in answer.iter_lines():
                pass
        ended.set()

    with serving(sqlite_url) as server:
        threading.Thread(target=listen, args=(server.url,)).start()
        wait_until(lambda: server.app.services.changes.clients == 1)
    assert ended.wait(5)


def test_a_bad_place_to_start_from_is_refused(server: Running) -> None:
    assert server.http.get("/api/v2/changes", headers={"Last-Event-ID": "x"}).status_code == 400
    assert server.http.get("/api/v2/changes", params={"since": "-1"}).status_code == 400
