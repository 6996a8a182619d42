"""Writes inside foreachBatch, in a real Spark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater.capture.spark.described import UNNAMED
from tests.capture.spark.heard import Heard, facets_of, names
from tests.capture.spark.place import BROKER, Place

Function = Callable[[DataFrame, int], None]


def run(place: Place, frames: DataFrame, function: Function) -> None:
    """Hand every batch of a stream to a function, until all is read."""
    place.start(frames.writeStream.foreachBatch(function), availableNow=True).awaitTermination()


def append(place: Place) -> Function:
    return lambda batch, number: batch.selectExpr("order_id", "price * 2 AS price").writeTo(place.table).append()


def overwrite(place: Place) -> Function:
    return lambda batch, number: batch.writeTo(place.table).overwritePartitions()


def insert_into(place: Place) -> Function:
    return lambda batch, number: batch.write.insertInto(place.table)


def sql_on_a_view(place: Place) -> Function:
    def write(batch: DataFrame, number: int) -> None:
        batch.createOrReplaceTempView("news")
        batch.sparkSession.sql(f"INSERT INTO {place.table} SELECT upper(order_id), price FROM news WHERE price > 0")

    return write


def merge(place: Place) -> Function:
    def write(batch: DataFrame, number: int) -> None:
        batch.createOrReplaceTempView("news")
        batch.sparkSession.sql(
            f"""MERGE INTO {place.table} t USING (SELECT order_id, max(price) AS price FROM news GROUP BY order_id) n
            ON t.order_id = n.order_id WHEN MATCHED THEN UPDATE SET price = n.price WHEN NOT MATCHED THEN INSERT *"""
        )

    return write


@pytest.mark.parametrize("function", [append, overwrite, insert_into, sql_on_a_view, merge])
def test_a_write_is_joined_to_what_the_query_reads(
    function: Callable[[Place], Function], place: Place, heard: Heard
) -> None:
    place.make_table()
    run(place, place.files(2), function(place))
    completed = heard.wait(place.name, "COMPLETE")
    assert names(completed["inputs"]) == [f"file {place.folder}/drop"]
    [output] = names(completed["outputs"])
    assert output.endswith(f"{place.name}/orders")
    assert {"drop.price -> orders.price", "drop.order_id -> orders.order_id"} <= set(heard.columns(place.name))


def test_every_write_of_a_batch_is_an_output(place: Place, heard: Heard) -> None:
    place.make_table()

    def write(batch: DataFrame, number: int) -> None:
        batch.persist()
        batch.where("price > 1").writeTo(place.table).append()
        batch.where("price < 1").select("order_id").write.mode("append").parquet(str(place.folder / "rest"))
        letters = batch.where("false").select(F.to_json(F.struct("price")).alias("value"))
        letters.write.format("kafka").options(**{"kafka.bootstrap.servers": BROKER, "topic": "dead"}).save()
        batch.unpersist()

    run(place, place.files(2), write)
    outputs = names(heard.wait(place.name, "COMPLETE")["outputs"])
    assert [name.rpartition("/")[2] for name in outputs] == ["orders", "rest", "127.0.0.1:1 dead"]
    assert {"drop.price -> orders.price", "drop.order_id -> rest.order_id", "drop.price -> dead.price"} <= set(
        heard.columns(place.name)
    )


def test_a_table_that_a_batch_reads_is_an_input(place: Place, heard: Heard) -> None:
    known = f"local_ib.{place.name}.known"
    place.spark.sql(f"CREATE TABLE {known} (order_id string, supplier string) USING iceberg")
    place.make_table("order_id string, supplier string")

    def write(batch: DataFrame, number: int) -> None:
        table = batch.sparkSession.table(known)
        batch.join(table, "order_id", "left").select("order_id", "supplier").writeTo(place.table).append()

    run(place, place.files(), write)
    inputs = names(heard.wait(place.name, "COMPLETE")["inputs"])
    assert {name.rpartition("/")[2] for name in inputs} == {"drop", "known"}
    assert "known.supplier -> orders.supplier" in heard.columns(place.name)


def test_a_table_that_a_batch_creates_is_an_output(place: Place, heard: Heard) -> None:
    run(place, place.files(), lambda batch, number: batch.writeTo(place.table).using("iceberg").createOrReplace())
    [output] = names(heard.wait(place.name, "COMPLETE")["outputs"])
    assert output.endswith(f"{place.name}/orders")


def test_a_function_that_writes_nothing_that_we_see_is_a_node_that_is_marked(place: Place, heard: Heard) -> None:
    run(place, place.files(), lambda batch, number: print(batch.count(), end=""))
    heard.wait(place.name, "COMPLETE")
    outputs = [output for event in heard.events(place.name) for output in event["outputs"]]
    assert {output["namespace"] for output in outputs} == {"spark:foreachbatch"}
    assert any(UNNAMED in facets_of(output) for output in outputs)


def test_what_a_function_writes_by_itself_can_be_named_by_the_path_of_the_query(place: Place, heard: Heard) -> None:
    writer = place.files().writeStream.option("path", "s3://archive/orders")
    function = writer.foreachBatch(lambda batch, number: batch.foreach(lambda row: None))
    place.start(function, availableNow=True).awaitTermination()
    assert names(heard.wait(place.name, "COMPLETE")["outputs"]) == ["s3://archive orders"]


def test_many_batches_that_write_alike_are_told_of_once(place: Place, heard: Heard) -> None:
    run(place, place.files(12), lambda batch, number: batch.write.mode("append").parquet(str(place.folder / "out")))
    heard.wait(place.name, "COMPLETE")
    told = [output for event in heard.events(place.name) for output in event["outputs"] if facets_of(output)]
    assert names(told) == [f"file {place.folder}/out"]


def test_what_is_written_outside_the_function_is_not_the_streams(place: Place, heard: Heard) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("append").parquet(str(place.folder / "out"))

    place.start(place.rates(1).writeStream.foreachBatch(write))
    heard.wait(place.name, "START")
    place.spark.range(3).write.parquet(str(place.folder / "other"))
    heard.columns(place.name)
    told = {name for event in heard.events(place.name) for name in names(event["outputs"])}
    assert told == {f"file {place.folder}/out"}
