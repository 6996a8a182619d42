"""Streaming queries of a real Spark: their names, columns and ends."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from headwater.capture.spark.described import UNNAMED
from headwater.capture.spark.follows import FOLLOWS
from headwater.capture.spark.found import Asking, Found, Table
from headwater.capture.spark.progress import PROGRESS
from headwater.capture.spark.running_plan import FoundLeaf, FoundPlan
from headwater.capture.spark.streams import Names, derived_names
from headwater.openlineage.facets import LEASE
from tests.capture.backends import wait_for
from tests.capture.spark.heard import Heard, captured, facets_of, names
from tests.capture.spark.place import BROKER, IMPATIENT, Place

# -- sources and sinks -----------------------------------------------------------------------------


def rates_to_memory(place: Place) -> StreamingQuery:
    return place.start(place.rates().selectExpr("value * 2 AS twice").writeStream.format("memory"))


def rates_to_console(place: Place) -> StreamingQuery:
    return place.start(place.rates().where("value < 0").writeStream.format("console"))


def rates_to_foreach(place: Place) -> StreamingQuery:
    return place.start(place.rates().writeStream.foreach(lambda row: None))


def files_to_files(place: Place) -> StreamingQuery:
    return place.start(place.files().writeStream.format("parquet").option("path", str(place.folder / "out")))


def lines_to_lines(place: Place) -> StreamingQuery:
    (place.folder / "lines").mkdir()
    lines = place.spark.readStream.text(str(place.folder / "lines"))
    row = F.from_json("value", "order_id string, price double").alias("r")
    out = lines.select(row).select(F.to_json(F.struct("r.price")).alias("line"))
    return place.start(out.writeStream.format("text").option("path", str(place.folder / "out")))


def files_to_older_table(place: Place) -> StreamingQuery:
    writer = place.files().writeStream.queryName(place.name).format("parquet")
    return writer.option("checkpointLocation", str(place.folder / "c")).toTable(f"spark_catalog.default.{place.name}")


def older_table_to_nowhere(place: Place) -> StreamingQuery:
    table = f"spark_catalog.default.{place.name}"
    place.spark.sql(f"CREATE TABLE {table} (order_id string, price double) USING parquet")
    return place.start(place.spark.readStream.table(table).writeStream.format("noop"))


def topic_to_table(place: Place) -> StreamingQuery:
    writer = place.topic().writeStream.queryName(place.name)
    return writer.option("checkpointLocation", str(place.folder / "c")).toTable(place.make_table())


def topic_to_path_of_table(place: Place) -> StreamingQuery:
    return place.start(place.topic().writeStream.format("iceberg").option("path", place.make_table()))


def topic_to_topic(place: Place) -> StreamingQuery:
    out = place.topic().select(F.to_json(F.struct("price")).alias("value"))
    return place.start(
        out.writeStream.format("kafka").options(**{"kafka.bootstrap.servers": BROKER, "topic": "prices"})
    )


def topic_to_topics_of_rows(place: Place) -> StreamingQuery:
    topic = F.when(F.col("price") > 10, "dear").otherwise("cheap").alias("topic")
    out = place.topic().select(topic, F.to_json(F.struct("price")).alias("value"))
    return place.start(out.writeStream.format("kafka").option("kafka.bootstrap.servers", BROKER))


def assigned_topics(place: Place) -> StreamingQuery:
    reader = place.spark.readStream.format("kafka").options(**{"kafka.bootstrap.servers": BROKER, **IMPATIENT})
    return place.start(reader.option("assign", '{"orders": [0], "bids": [1]}').load().writeStream.format("noop"))


def table_to_table(place: Place) -> StreamingQuery:
    orders = place.spark.readStream.table(place.make_table())
    place.spark.sql(f"CREATE TABLE {place.table}_copy (order_id string, price double) USING iceberg")
    writer = orders.writeStream.queryName(place.name).option("checkpointLocation", str(place.folder / "c"))
    return writer.toTable(f"{place.table}_copy")


def topic_joined_to_table(place: Place) -> StreamingQuery:
    known = place.spark.table(place.make_table("order_id string, supplier string"))
    return place.start(place.topic().join(known, "order_id").select("price", "supplier").writeStream.format("noop"))


Query = Callable[[Place], StreamingQuery]
TABLE: list[tuple[Query, list[str], list[str], list[str]]] = [
    (rates_to_memory, ["spark:rate NAME"], ["spark:memory NAME"], ["NAME.value -> NAME.twice"]),
    (rates_to_console, ["spark:rate NAME"], ["spark:console NAME"], ["NAME.value -> NAME.value"]),
    (rates_to_foreach, ["spark:rate NAME"], ["spark:foreach NAME"], ["NAME.value -> NAME.value"]),
    (files_to_files, ["file FOLDER/drop"], ["file FOLDER/out"], ["drop.price -> out.price"]),
    (lines_to_lines, ["file FOLDER/lines"], ["file FOLDER/out"], ["lines.price -> out.price"]),
    (files_to_older_table, ["file FOLDER/drop"], ["file SPARK/NAME"], ["drop.price -> NAME.price"]),
    (older_table_to_nowhere, ["file SPARK/NAME"], ["spark:noop NAME"], ["NAME.price -> NAME.price"]),
    (topic_to_table, ["kafka://127.0.0.1:1 orders"], ["file WAREHOUSE/NAME/orders"], ["orders.price -> orders.price"]),
    (
        topic_to_path_of_table,
        ["kafka://127.0.0.1:1 orders"],
        ["file WAREHOUSE/NAME/orders"],
        ["orders.price -> orders.price"],
    ),
    (
        topic_to_topic,
        ["kafka://127.0.0.1:1 orders"],
        ["kafka://127.0.0.1:1 prices"],
        ["orders.price -> prices.price"],
    ),
    (
        topic_to_topics_of_rows,
        ["kafka://127.0.0.1:1 orders"],
        ["kafka://127.0.0.1:1 cheap", "kafka://127.0.0.1:1 dear"],
        ["orders.price -> cheap.price", "orders.price -> dear.price"],
    ),
    (
        assigned_topics,
        ["kafka://127.0.0.1:1 bids", "kafka://127.0.0.1:1 orders"],
        ["spark:noop NAME"],
        ["orders.value -> NAME.value", "bids.value -> NAME.value"],
    ),
    (
        table_to_table,
        ["file WAREHOUSE/NAME/orders"],
        ["file WAREHOUSE/NAME/orders_copy"],
        ["orders.price -> orders_copy.price"],
    ),
    (
        topic_joined_to_table,
        ["file WAREHOUSE/NAME/orders", "kafka://127.0.0.1:1 orders"],
        ["spark:noop NAME"],
        ["orders.supplier -> NAME.supplier", "orders.price -> NAME.price"],
    ),
]


@pytest.mark.parametrize(("query", "inputs", "outputs", "columns"), TABLE, ids=[row[0].__name__ for row in TABLE])
def test_a_query_is_told_by_what_it_reads_and_writes(
    query: Query,
    inputs: list[str],
    outputs: list[str],
    columns: list[str],
    place: Place,
    heard: Heard,
) -> None:
    running = query(place)
    found = heard.columns(place.name)
    running.stop()
    heard.wait(place.name, "ABORT")

    def meant(texts: list[str]) -> list[str]:
        warehouse = str(place.spark.conf.get("spark.sql.catalog.local_ib.warehouse")).removeprefix("file://")
        older = str(place.spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
        known = {"NAME": place.name, "FOLDER": str(place.folder), "WAREHOUSE": warehouse, "SPARK": older}
        for key, value in known.items():
            texts = [text.replace(key, value) for text in texts]
        return texts

    assert names(heard.wait(place.name, "ABORT")["inputs"]) == meant(inputs)
    assert names(heard.wait(place.name, "ABORT")["outputs"]) == meant(outputs)
    assert set(meant(columns)) <= set(found)


FORMATS = ("avro", "csv", "json", "orc", "parquet")


def test_files_of_every_format_are_read_and_written(place: Place, heard: Heard) -> None:
    orders = place.spark.createDataFrame([("a", 1.5)], "order_id string, price double")
    for format in FORMATS:
        orders.write.format(format).save(str(place.folder / f"{format}-in"))
    read = place.spark.readStream.schema("order_id string, price double")
    frames = [read.format(format).load(str(place.folder / f"{format}-in")) for format in FORMATS]
    every = reduce(DataFrame.union, frames)
    queries = [
        every.writeStream.format(format)
        .queryName(f"{place.name}_{format}")
        .option("checkpointLocation", str(place.folder / f"{format}-checkpoint"))
        .trigger(availableNow=True)
        .start(str(place.folder / f"{format}-out"))
        for format in FORMATS
    ]
    for format, query in zip(FORMATS, queries, strict=True):
        query.awaitTermination()
        completed = heard.wait(f"{place.name}_{format}", "COMPLETE")
        assert names(completed["inputs"]) == [f"file {place.folder}/{each}-in" for each in FORMATS]
        assert names(completed["outputs"]) == [f"file {place.folder}/{format}-out"]
        fed = set(heard.columns(f"{place.name}_{format}"))
        assert {f"{each}-in.price -> {format}-out.price" for each in FORMATS} <= fed


def test_several_topics_of_one_source_are_all_inputs(place: Place, heard: Heard) -> None:
    place.start(place.topic(subscribe="orders, bids").writeStream.format("noop"))
    assert heard.columns(place.name) == [
        f"{topic}.{column} -> {place.name}.{column}" for topic in ("bids", "orders") for column in ("order_id", "price")
    ]


def test_a_socket_is_a_node_that_is_marked(place: Place, heard: Heard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: server.accept(), daemon=True).start()
        options = {"host": "127.0.0.1", "port": server.getsockname()[1]}
        lines = place.spark.readStream.format("socket").options(**options).load()
        place.start(lines.writeStream.format("memory"))
        told = heard.wait(place.name, "RUNNING")
    assert names(told["inputs"]) == [f"spark:socket 127.0.0.1:{options['port']}"]
    assert UNNAMED in facets_of(told["inputs"][0])


def test_a_start_names_everything_at_once_and_columns_follow(place: Place, heard: Heard) -> None:
    topic_to_table(place)
    started = heard.wait(place.name, "START")
    assert names(started["inputs"]) == ["kafka://127.0.0.1:1 orders"]
    assert len(started["outputs"]) == 1
    facets = started["run"]["facets"]
    assert facets["processing_engine"]["version"] == place.spark.version
    assert facets["parent"]["job"]["name"] == "tests"
    assert LEASE in facets
    [topic] = heard.wait(place.name, "RUNNING")["inputs"]
    assert [each["name"] for each in facets_of(topic)["schema"]["fields"]] == ["order_id", "price"]


def test_a_query_without_a_name_is_called_after_its_application_and_its_sink(place: Place, heard: Heard) -> None:
    out = place.folder / f"out_{place.name}"
    writer = place.files().writeStream.format("json").option("checkpointLocation", str(place.folder / "c"))
    query = writer.trigger(availableNow=True).start(str(out))
    query.awaitTermination()
    heard.wait(f"tests.{out.name}", "COMPLETE")


def test_queries_without_names_into_one_sink_are_jobs_of_their_own_at_every_start(place: Place, heard: Heard) -> None:
    table = place.make_table()

    def start(checkpoint: str) -> StreamingQuery:
        writer = place.files().writeStream.option("checkpointLocation", str(place.folder / checkpoint))
        return writer.toTable(table)

    def jobs(*queries: StreamingQuery) -> list[str]:
        runs = [str(query.runId) for query in queries]
        wait_for(lambda: set(runs) <= {event["run"]["runId"] for event in heard.all()})
        told = {event["run"]["runId"]: event["job"]["name"] for event in heard.all()}
        return [told[run].removeprefix(f"tests.{place.name}.") for run in runs]

    eu, us, asia = start("eu"), start("us"), start("asia")
    assert jobs(eu, us, asia) == ["orders", "orders.drop", "orders.drop.asia"]
    for query in (eu, us, asia):
        query.stop()
    asia, us, eu = start("asia"), start("us"), start("eu")
    assert jobs(eu, us, asia) == ["orders", "orders.drop", "orders.drop.asia"]


KAFKA = Asking("kafka", {"kafka.bootstrap.servers": BROKER, "subscribe": "orders"})


@pytest.mark.parametrize(
    ("sink", "checkpoint", "expected"),
    [
        (
            Table("s3://lake/stats", "demo", "db.stats"),
            "s3://c/a",
            ["db.stats", "db.stats.orders", "db.stats.orders.a"],
        ),
        (Asking("parquet", {"path": "/lake/stats/"}), "/c/a/", ["stats", "stats.orders", "stats.orders.a"]),
        (None, "/tmp/temporary-1f", ["foreachbatch", "foreachbatch.orders"]),
    ],
)
def test_a_query_without_a_name_is_called_after_what_stays_the_same(
    sink: Found | None, checkpoint: str, expected: list[str]
) -> None:
    found = FoundPlan((FoundLeaf((1,), KAFKA, None),), sink, None)
    assert derived_names(Names("tests", "app", {}), found, checkpoint, "id") == [
        *(f"app.{name}" for name in expected),
        f"app.{expected[1]}.id",
    ]


def test_a_query_that_runs_already_is_followed_from_then_on(place: Place, tmp_path: Path) -> None:
    query = place.start(place.rates().writeStream.format("noop"))
    with captured(place.spark, tmp_path) as heard:
        assert heard.wait(place.name, "START")["run"]["runId"] == str(query.runId)
        query.stop()
        heard.wait(place.name, "ABORT")


# -- ends ------------------------------------------------------------------------------------------


def test_a_query_that_has_read_what_there_is_completes(place: Place, heard: Heard) -> None:
    place.start(place.files(3).writeStream.format("memory"), availableNow=True).awaitTermination()
    completed = heard.wait(place.name, "COMPLETE")
    progress = completed["run"]["facets"][PROGRESS]
    assert progress["total"] == {"batches": 3, "inputRows": 3}
    assert completed["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 3
    assert LEASE not in completed["run"]["facets"]


def test_a_query_that_is_stopped_aborts_though_its_trigger_would_have_ended_it(place: Place, heard: Heard) -> None:
    slow = place.files(200).writeStream.foreachBatch(lambda batch, number: None)
    query = place.start(slow, availableNow=True)
    heard.wait(place.name, "START")
    query.stop()
    heard.wait(place.name, "ABORT")


def test_a_query_that_fails_says_why(place: Place, heard: Heard) -> None:
    def fail(batch: DataFrame, number: int) -> None:
        raise ValueError("no such supplier, password=hunter2")

    query = place.start(place.files().writeStream.foreachBatch(fail))
    with pytest.raises(StreamingQueryException):
        query.awaitTermination()
    error = heard.wait(place.name, "FAIL")["run"]["facets"]["errorMessage"]
    assert error["message"] == "ValueError: no such supplier, password=***"
    assert "Traceback" in error["stackTrace"]
    assert "hunter2" not in json.dumps(heard.events(place.name))


def test_an_error_inside_an_expression_fails_with_the_jvms_stack(place: Place, heard: Heard) -> None:
    broken = place.files().select(F.raise_error(F.lit("the price is missing")).alias("x"))
    query = place.start(broken.writeStream.format("noop"))
    with pytest.raises(StreamingQueryException):
        query.awaitTermination()
    error = heard.wait(place.name, "FAIL")["run"]["facets"]["errorMessage"]
    assert error["programmingLanguage"] == "JAVA"
    assert "the price is missing" in error["stackTrace"]


def test_a_query_that_cannot_make_its_plan_fails_with_what_it_would_have_read(place: Place, heard: Heard) -> None:
    place.start(place.rates().writeStream.format("noop"), once=True).awaitTermination()
    other = place.start(place.files().writeStream.format("noop"))  # from the checkpoint of another source
    with pytest.raises(StreamingQueryException):
        other.awaitTermination()
    failed = heard.wait(place.name, "FAIL")
    assert failed["run"]["runId"] == str(other.runId)
    assert names(failed["inputs"]) == [f"file {place.folder}/drop"]


def test_a_query_started_again_is_a_new_run_that_names_the_one_before(place: Place, heard: Heard) -> None:
    first = place.start(place.files(1).writeStream.format("noop"))
    heard.wait(place.name, "START")
    first.stop()
    heard.wait(place.name, "ABORT")
    second = place.start(place.files(2).writeStream.format("noop"))
    wait_for(lambda: heard.kinds(place.name).count("START") == 2)
    starts = [event for event in heard.events(place.name) if event["eventType"] == "START"]
    assert [event["run"]["runId"] for event in starts] == [str(first.runId), str(second.runId)]
    follows = starts[1]["run"]["facets"][FOLLOWS]
    assert follows["runId"] == str(first.runId)
    assert follows["reason"] == "started from its checkpoint: that run was stopped"


def test_closing_ends_what_still_runs_and_says_nothing_after(place: Place, heard: Heard) -> None:
    place.start(place.rates().writeStream.format("noop"))
    heard.wait(place.name, "RUNNING")
    heard.capture.close()
    assert heard.kinds(place.name)[-1] == "ABORT"
    before = len(heard.all())
    other = place.rates().writeStream.format("noop").queryName(f"{place.name}_later").start()
    other.stop()
    assert len(heard.all()) == before


@pytest.mark.long
def test_two_hundred_micro_batches_are_one_run_of_one_job(place: Place, heard: Heard) -> None:
    place.start(place.files(200).writeStream.format("noop"), availableNow=True).awaitTermination()
    heard.wait(place.name, "COMPLETE")
    assert heard.events(place.name)[-1]["run"]["facets"][PROGRESS]["total"]["batches"] == 200
    assert len(heard.events(place.name)) < 20
    assert {event["job"]["name"] for event in heard.all()} == {place.name}
    assert len({event["run"]["runId"] for event in heard.all()}) == 1
    told = {name for event in heard.all() for name in names([*event["inputs"], *event["outputs"]])}
    assert told == {f"file {place.folder}/drop", f"spark:noop {place.name}"}
