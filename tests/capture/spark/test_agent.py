"""The real agent in a real Spark."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pyspark.sql import SparkSession

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.capture.ending import Ending
from headwater.capture.spark.agent import Agent, agent_is_here, attach_agent, start_application
from headwater.capture.spark.application import Application
from headwater.capture.spark.settings import SparkSettings
from tests.capture.backends import Told, told, wait_for

Event = dict[str, Any]


@dataclass
class Watched:
    """A session with the agent in it, and what the backend got."""

    spark: SparkSession
    agent: Agent
    application: Application
    emitter: Emitter
    backend: Told

    def events(self) -> list[Event]:
        """Every event, once the agent has told all it knows."""
        self.agent.close()
        assert self.emitter.flush(30)
        return [msgspec.json.decode(body) for request in self.backend.accepted for body in request.events]

    def children(self) -> list[Event]:
        """The events but for the application's."""
        return [event for event in self.events() if event["run"]["runId"] != self.application.run.run_id]


@pytest.fixture
def watched(spark: SparkSession, tmp_path: Path) -> Iterator[Watched]:
    with told() as backend:
        emitter = Emitter(Destination(backend.url), tmp_path / "outbox")
        settings = SparkSettings("shop", "daily_totals")
        application = start_application(spark, emitter, settings)
        agent = attach_agent(spark, emitter, application, settings)
        assert agent is not None
        yield Watched(spark, agent, application, emitter, backend)
        agent.close()
        application.end()
        emitter.close(5)


@pytest.fixture
def table(spark: SparkSession) -> Iterator[Callable[[str], str]]:
    """Names of tables that are gone after the test."""
    made: list[str] = []

    def name(short: str) -> str:
        made.append(f"local_ib.agent.{short}")
        return made[-1]

    spark.sql("CREATE NAMESPACE IF NOT EXISTS local_ib.agent")
    yield name
    for each in made:
        spark.sql(f"DROP TABLE IF EXISTS {each}")


def test_an_overwrite_is_a_child_of_the_application_with_its_columns(
    watched: Watched, table: Callable[[str], str]
) -> None:
    orders, totals = table("orders"), table("totals")
    watched.spark.sql(f"CREATE TABLE {orders} (supplier STRING, price DECIMAL(10,2)) USING iceberg")
    watched.spark.sql(f"INSERT INTO {orders} VALUES ('Alice', 1.5), ('Bob', 2.5)")
    watched.spark.sql(f"CREATE TABLE {totals} (supplier STRING, total DECIMAL(20,2)) USING iceberg")
    watched.spark.sql(f"INSERT OVERWRITE {totals} SELECT supplier, sum(price) FROM {orders} GROUP BY supplier")
    events = watched.children()
    (name,) = {event["job"]["name"] for event in events if "overwrite_by_expression" in event["job"]["name"]}
    assert name == "daily_totals.overwrite_by_expression.local_ib_agent_totals"
    overwrite = [event for event in events if event["job"]["name"] == name]
    assert [overwrite[0]["eventType"], overwrite[-1]["eventType"]] == ["START", "COMPLETE"]
    assert {event["job"]["namespace"] for event in events} == {"shop"}
    parents = {event["run"]["facets"]["parent"]["run"]["runId"] for event in events}
    assert parents == {watched.application.run.run_id}
    assert all(event["inputs"][0]["name"].endswith("/agent/orders") for event in overwrite)
    columns = overwrite[-1]["outputs"][0]["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
    assert [column["field"] for column in columns] == ["price"]
    for event in events:
        for one in (*event["inputs"], *event["outputs"]):
            for facet in {**one.get("inputFacets", {}), **one.get("outputFacets", {})}.values():
                assert not isinstance(facet.get("snapshotId"), float)


def test_a_failure_is_the_last_that_is_heard_of_a_run(watched: Watched, tmp_path: Path) -> None:
    failing = watched.spark.range(10).selectExpr("CASE WHEN id > 3 THEN raise_error('no price') ELSE id END AS id")
    with pytest.raises(Exception, match="no price"):
        failing.write.parquet(str(tmp_path / "never"))
    runs: dict[str, list[Event]] = {}
    for event in watched.children():
        runs.setdefault(event["run"]["runId"], []).append(event)
    (failed,) = [run for run in runs.values() if run[-1]["eventType"] == "FAIL"]
    assert "no price" in failed[-1]["run"]["facets"]["errorMessage"]["message"]
    assert failed[0]["eventType"] == "START"
    assert all(run[-1]["eventType"] in ("COMPLETE", "FAIL") for run in runs.values())


def test_micro_batches_are_none_of_the_agents_business(watched: Watched, tmp_path: Path) -> None:
    stream = watched.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    plain = stream.writeStream.format("memory").queryName("agent_memory").trigger(processingTime="0 seconds").start()

    def write(frame: Any, number: int) -> None:
        frame.write.mode("append").parquet(str(tmp_path / "out"))

    batches = stream.writeStream.foreachBatch(write).trigger(processingTime="0 seconds").start()
    try:
        wait_for(lambda: min(len(query.recentProgress) for query in (plain, batches)) >= 3, 120)
    finally:
        plain.stop()
        batches.stop()
    assert watched.children() == []


def test_a_command_beside_a_running_batch_is_told(watched: Watched, table: Callable[[str], str]) -> None:
    inside, done = threading.Event(), threading.Event()

    def wait(frame: Any, number: int) -> None:
        inside.set()
        assert done.wait(60)

    stream = watched.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    query = stream.writeStream.foreachBatch(wait).start()
    try:
        assert inside.wait(60)
        watched.spark.sql(f"CREATE TABLE {table('beside')} (price DOUBLE) USING iceberg")
    finally:
        done.set()
        query.stop()
    told = watched.children()
    assert {event["job"]["name"].split(".")[1] for event in told} == {"create_table"}
    assert [event["eventType"] for event in told][-1] == "COMPLETE"


def test_an_agent_that_was_closed_says_no_more(watched: Watched, tmp_path: Path) -> None:
    watched.agent.close()
    watched.spark.range(3).write.parquet(str(tmp_path / "unseen"))
    assert watched.children() == []


def test_the_application_is_a_run_with_a_lease_and_one_end(watched: Watched) -> None:
    watched.application.end(Ending("FAIL", "no price", "somewhere"))
    watched.application.end()
    start, end = watched.events()
    assert (start["eventType"], end["eventType"]) == ("START", "FAIL")
    assert start["job"]["name"] == "daily_totals"
    assert start["job"]["facets"]["jobType"]["jobType"] == "APPLICATION"
    assert start["run"]["facets"]["headwater_lease"]["seconds"] == 30
    assert start["run"]["facets"]["spark_applicationDetails"]["appName"] == "tests"
    assert end["run"]["facets"]["errorMessage"]["message"] == "no price"


def test_a_session_that_was_started_with_the_agents_jar_needs_no_download(spark: SparkSession, tmp_path: Path) -> None:
    assert agent_is_here(spark, {"XDG_CACHE_HOME": str(tmp_path), "HEADWATER_MAVEN_URL": "http://127.0.0.1:1"})
