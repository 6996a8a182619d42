"""The connectors on a real worker: checked, applied, failing, and killed in the middle of their work."""

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.connect.answers import ConnectError, ConnectorFailed, InvalidConnector
from headwater.capture.connect.files import Connector
from headwater.capture.connect.worker import Worker
from headwater.pipeline.census import export_shop, shop_keys
from headwater.pipeline.connectors.files import load, placeholders, secrets
from headwater.pipeline.generator import Plan, generate
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.shop import KEYS, open_shop
from headwater.pipeline.topic_reader import TopicReader, key_of
from headwater.stack.lab import Lab
from headwater.stack.pipeline.job_runs import Job, run_jobs
from headwater.stack.pipeline.progress import connector_offsets
from tests.stack.real import kill, start
from tests.stack.small import wait_for

PATIENCE = 300.0
SINK = "orders-iceberg-sink"


@pytest.fixture
def worker(settings: PipelineSettings) -> Iterator[Worker]:
    with Worker(settings.connect.url, secrets(settings)) as worker:
        yield worker


def changed(variant: str, settings: PipelineSettings, **config: str) -> Connector:
    """One of our connectors under another name, with other settings; dots in their names are written as __."""
    connector = load(variant, placeholders(settings))
    return Connector("changed", {**connector.config, **{key.replace("__", "."): v for key, v in config.items()}})


def test_the_worker_tells_each_fault_by_its_key_before_anything_is_created(
    worker: Worker, settings: PipelineSettings
) -> None:
    with pytest.raises(InvalidConnector, match="password authentication failed") as raised:
        worker.apply(changed("orders-source", settings, database__password="not the password"))
    assert "database." in str(raised.value)
    assert "changed" not in worker.names()


def test_a_class_that_the_worker_does_not_have_is_an_error(worker: Worker, settings: PipelineSettings) -> None:
    with pytest.raises(ConnectError, match=r"com\.example\.Nothing"):
        worker.apply(changed("orders-source", settings, connector__class="com.example.Nothing"))


def test_a_connector_that_fails_says_why_and_hides_the_secrets(worker: Worker, settings: PipelineSettings) -> None:
    apply(worker, settings, "orders-source-multi")
    generate(settings.shop.url, Plan(orders=5, fast=True), threading.Event())
    url = f"aws2-s3://no-such-bucket?secretKey={settings.s3.secret_key}&accessKey={settings.s3.access_key}&keyName=x"

    def run_until_it_fails() -> None:
        worker.apply(changed("orders-s3-objects", settings, camel__sink__url=url))
        wait_for(lambda: worker.tasks("changed")[0].state == "FAILED", PATIENCE)
        worker.check("changed")

    try:
        with pytest.raises(ConnectorFailed, match="connector 'changed' failed: ") as raised:
            run_until_it_fails()
    finally:
        worker.delete("changed")
    assert "NoSuchBucket" in str(raised.value)
    assert not any(secret in str(raised.value) for secret in secrets(settings))
    assert "changed" not in worker.names()


def test_the_multi_topic_variants_take_over_both_topics(
    running_lab: Lab, worker: Worker, settings: PipelineSettings, tmp_path: Path
) -> None:
    apply(worker, settings, "orders-source-multi")
    generate(settings.shop.url, Plan(orders=50, fast=True), threading.Event())
    ends = {topic: wait_for_all(settings, topic) for topic in KEYS}
    apply(worker, settings, f"{SINK}-multi", "orders-s3-objects-multi")
    try:
        for connector in (SINK, "orders-s3-objects"):
            wait_for(lambda c=connector: all(taken_over(worker, t, ends[t], c) for t in KEYS), PATIENCE)  # type: ignore[misc]
    finally:
        worker.delete("orders-s3-objects")
        apply(worker, settings, SINK)
    with open_shop(settings.shop.url) as shop:
        keys = {f"{key}.json" for table in KEYS for key in shop_keys(shop, table)}
    objects = running_lab.data("object-store") / "buckets" / "fh-dev-bucket" / "objects"
    assert {file.name for file in objects.iterdir()} == keys
    # Rows that the other variant had brought to the table are not brought again.
    assert reconciled(running_lab, settings, tmp_path)[settings.catalog.table("bids")]["differences"] == []


@pytest.mark.long
def test_source_and_sink_lose_and_double_nothing_when_the_worker_is_killed(
    running_lab: Lab, worker: Worker, settings: PipelineSettings, tmp_path: Path
) -> None:
    apply(worker, settings, "orders-source-multi", SINK)
    with TopicReader(settings.kafka, "bids") as bids, orders_at(50, settings):
        for _ in range(3):
            # It is killed in full work: rows have come, and others are on their way.
            wait_for_rows(bids, 200)
            kill(running_lab, "connect")
            start(running_lab, "connect")
    ends = {topic: wait_for_all(settings, topic) for topic in KEYS}
    wait_for(lambda: taken_over(worker, "bids", ends["bids"]), PATIENCE)
    counted = reconciled(running_lab, settings, tmp_path)[settings.catalog.table("bids")]
    with open_shop(settings.shop.url) as shop:
        written = len(shop_keys(shop, "bids"))
    assert (counted["rows"], counted["keys"], counted["differences"]) == (written, written, [])


def apply(worker: Worker, settings: PipelineSettings, *variants: str) -> None:
    """Bring connectors to the worker, to a shop that has its tables."""
    open_shop(settings.shop.url).close()
    for variant in variants:
        worker.apply(load(variant, placeholders(settings)))


@contextmanager
def orders_at(rate: float, settings: PipelineSettings) -> Iterator[None]:
    """Orders that keep coming."""
    stop = threading.Event()
    writing = threading.Thread(target=generate, args=(settings.shop.url, Plan(rate=rate), stop))
    writing.start()
    try:
        yield
    finally:
        stop.set()
        writing.join()


def wait_for_rows(reader: TopicReader, count: int) -> None:
    """Wait until so many more records have come."""
    wanted = reader.rows + count

    def come() -> bool:
        return sum(1 for _ in reader.read()) >= 0 and reader.rows >= wanted

    wait_for(come, PATIENCE)


def wait_for_all(settings: PipelineSettings, topic: str) -> dict[int, int]:
    """Wait until every row of a table is on its topic, and check that each is there once; where the topic ends."""
    with open_shop(settings.shop.url) as shop:
        expected = Counter(shop_keys(shop, topic))
    found: Counter[str] = Counter()
    with TopicReader(settings.kafka, topic) as reader:

        def all_there() -> bool:
            found.update(key_of(message) for message in reader.read())
            return len(found) >= len(expected)

        wait_for(all_there, PATIENCE)
        assert found == expected
        return reader.next_offsets


def taken_over(worker: Worker, topic: str, ends: Mapping[int, int], connector: str = SINK) -> bool:
    """Whether a sink connector has come to the end of a topic."""
    reached = connector_offsets(worker.offsets(connector), topic)
    return all(reached.get(partition, 0) >= end for partition, end in ends.items())


def reconciled(running_lab: Lab, settings: PipelineSettings, folder: Path) -> dict[str, Any]:
    """What the job reconcile finds in the tables."""
    with open_shop(settings.shop.url) as shop:
        export_shop(shop, folder)
    report = folder / "report.json"
    run_jobs(running_lab, [Job("reconcile", ("--expected", str(folder), "--output", str(report)))], 1, 300)
    found: dict[str, Any] = json.loads(report.read_text())
    return found
