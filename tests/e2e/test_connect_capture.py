"""The lab's lineage server watches a real worker: from a shop's table to an Iceberg table, whatever befalls."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pytest

from headwater.capture.connect.files import Connector
from headwater.capture.connect.worker import Worker
from headwater.openlineage.naming import kafka_topic, postgres_table
from headwater.pipeline.connectors.files import load, placeholders, secrets
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.shop import open_shop
from headwater.stack.lab import Lab
from tests.stack.real import kill, start
from tests.stack.small import wait_for

PATIENCE = 120.0
TABLE, SOURCE, SINK = "captured", "captured-source", "captured-sink"
Json = dict[str, Any]


class Watched:
    """The lab's lineage server, asked about the connectors."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(
            base_url=url, headers={"Content-Type": "application/json"}, trust_env=False, timeout=60
        )
        self.cluster = self.get("/api/v2/connectors")["clusters"][0]["name"]

    def get(self, path: str, **params: str) -> Json:
        answer = self.http.get(path, params=params)
        return answer.json() if answer.status_code == 200 else {}

    def connector(self, name: str) -> Json:
        found = self.get("/api/v2/connectors")["connectors"]
        return next((each for each in found if each["name"] == name), {"state": "GONE", "runId": None})

    def change(self, method: str, name: str, action: str = "", **more: Any) -> None:
        path = f"/api/v2/connectors/{quote(self.cluster, safe='')}/{name}{action}"
        answer = self.http.request(method, path, **more)
        assert answer.is_success, answer.text

    def wait_for_state(self, name: str, state: str) -> Json:
        wait_for(lambda: self.connector(name)["state"] == state, PATIENCE)
        return self.connector(name)

    def run_state(self, run: str) -> str:
        return str(self.get(f"/api/v2/runs/{run}").get("run", {}).get("state"))

    def wait_for_run(self, run: str, state: str) -> Json:
        wait_for(lambda: self.run_state(run) == state, PATIENCE)
        return self.get(f"/api/v2/runs/{run}")

    def columns(self, namespace: str, name: str) -> list[str]:
        found = self.get(f"/api/v2/datasets/{quote(namespace, safe='')}/{quote(name, safe='')}")
        return [column["name"] for column in found["schemas"][0]["columns"]] if found.get("schemas") else []


@pytest.fixture(scope="module")
def watched(running_lab: Lab) -> Iterator[Watched]:
    found = Watched(running_lab.address("lineage"))
    yield found
    found.http.close()


@pytest.fixture(scope="module")
def worker(settings: PipelineSettings) -> Iterator[Worker]:
    with Worker(settings.connect.url, secrets(settings)) as worker:
        yield worker


@pytest.fixture(scope="module")
def flowing(settings: PipelineSettings, worker: Worker) -> Iterator[None]:
    """Rows of a table of their own, through a topic into an Iceberg table."""
    add_rows(settings, "a", 50)
    worker.apply(source(settings))
    worker.apply(sink(settings))
    try:
        yield
    finally:
        for name in (SOURCE, SINK):
            worker.delete(name)


def source(settings: PipelineSettings) -> Connector:
    config = load("orders-source", placeholders(settings)).config
    return Connector(
        SOURCE,
        {
            **config,
            "table.include.list": f"public.{TABLE}",
            "slot.name": TABLE,
            "publication.name": TABLE,
            "topic.prefix": TABLE,
            "transforms.route.regex": rf"{TABLE}\.public\.(.*)",
            "predicates.isOrder.pattern": TABLE,
        },
    )


def sink(settings: PipelineSettings, **changes: str) -> Connector:
    config = load("orders-iceberg-sink", placeholders(settings)).config
    ours = {
        "topics": TABLE,
        "tasks.max": "2",
        "iceberg.tables": f"default.{TABLE}",
        "iceberg.control.topic": f"control-{TABLE}",
    }
    return Connector(SINK, {**config, **ours, **{key.replace("__", "."): value for key, value in changes.items()}})


def add_rows(settings: PipelineSettings, prefix: str, count: int, *columns: str) -> None:
    open_shop(settings.shop.url).close()
    with psycopg.connect(settings.shop.url, autocommit=True) as shop:
        shop.execute(
            f"CREATE TABLE IF NOT EXISTS {TABLE} (order_id text PRIMARY KEY, price numeric(10,2), bid_time timestamp)"
        )
        for column in columns:
            shop.execute(f"ALTER TABLE {TABLE} ADD COLUMN {column} text")
        shop.execute(
            f"INSERT INTO {TABLE} (order_id, price, bid_time) SELECT %s || n, n, now() FROM generate_series(1, %s) n",
            (prefix, count),
        )


@pytest.mark.usefixtures("flowing")
def test_a_column_is_followed_from_the_shop_through_the_topic_into_the_table(
    watched: Watched, settings: PipelineSettings
) -> None:
    wait_for(lambda: len(watched.connector(SINK).get("tasks", [])) == 2, PATIENCE)
    assert watched.connector(SINK)["job"] == {"namespace": "fh-local", "name": SINK}
    shop = httpx.URL(settings.shop.url)
    table = postgres_table(shop.host, shop.port, shop.path.strip("/"), "public", TABLE)
    topic = kafka_topic(settings.kafka.bootstrap, TABLE)

    def path() -> set[str]:
        node = f"datasetField:s3://warehouse:{TABLE}:price"
        return {each["id"] for each in watched.get("/api/v1/column-lineage", nodeId=node).get("graph", [])}

    expected = {f"datasetField:{each.namespace}:{each.name}:price" for each in (table, topic)}
    wait_for(lambda: expected <= path(), PATIENCE)
    wait_for(lambda: watched.connector(SINK)["lag"] is not None, PATIENCE)


@pytest.mark.usefixtures("flowing")
def test_a_new_column_of_the_shop_s_table_is_a_new_version_of_the_topic_and_of_the_iceberg_table(
    watched: Watched, settings: PipelineSettings
) -> None:
    topic = kafka_topic(settings.kafka.bootstrap, TABLE)
    wait_for(lambda: "price" in watched.columns(topic.namespace, topic.name), PATIENCE)
    add_rows(settings, "b", 5, "note")
    wait_for(lambda: "note" in watched.columns(topic.namespace, topic.name), PATIENCE)
    wait_for(lambda: "note" in watched.columns("s3://warehouse", TABLE), PATIENCE)


@pytest.mark.usefixtures("flowing")
def test_pausing_stopping_and_restarting_show_and_runs_end_as_they_should(watched: Watched) -> None:
    first = watched.wait_for_state(SINK, "RUNNING")["runId"]
    watched.change("PUT", SINK, "/pause")
    assert watched.wait_for_state(SINK, "PAUSED")["runId"] == first
    wait_for(lambda: "PAUSED" in str(watched.get(f"/api/v2/runs/{first}").get("facets")), PATIENCE)
    watched.change("PUT", SINK, "/resume")
    assert watched.wait_for_state(SINK, "RUNNING")["runId"] == first
    watched.change("PUT", SINK, "/stop")
    watched.wait_for_state(SINK, "STOPPED")
    watched.wait_for_run(first, "ABORTED")
    watched.change("PUT", SINK, "/resume")
    second = watched.wait_for_state(SINK, "RUNNING")["runId"]
    assert second != first
    watched.wait_for_run(second, "RUNNING")
    watched.change("POST", SINK, "/restart")
    wait_for(lambda: watched.connector(SINK)["runId"] not in (first, second), PATIENCE)
    watched.wait_for_run(second, "ABORTED")


@pytest.mark.usefixtures("flowing")
def test_a_failure_is_told_with_the_worker_s_trace_and_a_better_setting_is_a_new_run(
    watched: Watched, settings: PipelineSettings
) -> None:
    before = watched.wait_for_state(SINK, "RUNNING")["runId"]
    bad = sink(settings, iceberg__tables="default.no_such_table", **{"iceberg.tables.auto-create-enabled": "false"})
    watched.change("PUT", SINK, json={"config": dict(bad.config)})
    watched.wait_for_run(before, "ABORTED")
    add_rows(settings, "c", 5)
    failed = watched.wait_for_state(SINK, "FAILED")
    told = watched.wait_for_run(failed["runId"], "FAILED")
    assert "no_such_table" in told["error"]["message"]
    assert not any(secret in str(told) for secret in secrets(settings))
    watched.change("PUT", SINK, json={"config": dict(sink(settings).config)})
    again = watched.wait_for_state(SINK, "RUNNING")
    assert again["runId"] not in (before, failed["runId"])


def test_a_deleted_connector_is_gone_and_its_run_aborted(
    watched: Watched, worker: Worker, settings: PipelineSettings
) -> None:
    add_rows(settings, "d", 1)
    config = {
        **sink(settings).config,
        "iceberg.tables": "default.captured_gone",
        "iceberg.control.topic": "control-gone",
    }
    worker.apply(Connector("captured-gone", config))
    run = watched.wait_for_state("captured-gone", "RUNNING")["runId"]
    watched.wait_for_run(run, "RUNNING")
    watched.change("DELETE", "captured-gone")
    watched.wait_for_state("captured-gone", "GONE")
    watched.wait_for_run(run, "ABORTED")


def test_settings_are_checked_by_the_worker_and_shown_without_secrets(
    watched: Watched, settings: PipelineSettings
) -> None:
    config = {**source(settings).config, "database.password": "not the password"}
    path = f"/api/v2/connectors/{quote(watched.cluster, safe='')}/validate"
    answer = watched.http.post(path, json={"name": "captured-bad", "config": config})
    assert any("password authentication failed" in str(error["messages"]) for error in answer.json()["errors"])
    assert "not the password" not in answer.text


@pytest.mark.long
@pytest.mark.usefixtures("flowing")
def test_a_worker_that_is_killed_and_comes_back_ends_and_doubles_no_run(running_lab: Lab, watched: Watched) -> None:
    run = watched.wait_for_state(SINK, "RUNNING")["runId"]
    path = f"/api/v1/namespaces/fh-local/jobs/{SINK}/runs"
    before = watched.get(path)["totalCount"]
    kill(running_lab, "connect")
    wait_for(lambda: watched.get("/api/v2/connectors")["clusters"][0]["state"] == "unreachable", PATIENCE)
    assert watched.run_state(run) == "RUNNING"
    start(running_lab, "connect")
    wait_for(lambda: watched.get("/api/v2/connectors")["clusters"][0]["state"] == "ok", PATIENCE)
    assert watched.wait_for_state(SINK, "RUNNING")["runId"] == run
    assert (watched.run_state(run), watched.get(path)["totalCount"]) == ("RUNNING", before)


@pytest.mark.long
def test_a_source_that_lost_its_database_is_stalled_and_the_worker_says_why(
    watched: Watched, worker: Worker, settings: PipelineSettings
) -> None:
    add_rows(settings, "e", 5)
    shop = httpx.URL(settings.shop.url)
    own = {"slot.name": "captured_stall", "publication.name": "captured_stall", "topic.prefix": "stall"}
    route = {"transforms.route.regex": r"stall\.public\.(.*)", "transforms.route.replacement": "stall_$1"}
    with gate(shop.host, shop.port or 5432) as (port, shut):
        config = {**source(settings).config, **own, **route, "database.port": str(port)}
        worker.apply(Connector("captured-stall", config))
        try:
            wait_for(lambda: f"stall_{TABLE}" in watched.connector("captured-stall").get("topics", []), PATIENCE)
            shut()
            wait_for(lambda: watched.connector("captured-stall")["state"] == "STALLED", 300)
            wait_for(lambda: "refused" in watched.connector("captured-stall")["error"], PATIENCE)
            # The worker itself notices nothing.
            assert [task.state for task in worker.tasks("captured-stall")] == ["RUNNING"]
        finally:
            worker.delete("captured-stall")


@contextmanager
def gate(host: str, port: int) -> Iterator[tuple[int, Callable[[], None]]]:
    """A port that leads to another until it is shut."""
    sockets: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, far = listener.accept()[0], socket.create_connection((host, port))
                sockets.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    def shut() -> None:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield listener.getsockname()[1], shut
    finally:
        shut()
        thread.join()
        for each in sockets:
            each.close()
