"""Topics on a real broker."""

from __future__ import annotations

from confluent_kafka import Producer
from pyspark.sql import functions as F

from headwater.capture.spark.progress import PROGRESS
from headwater.stack.lab import Lab
from tests.capture.spark.heard import Heard, names
from tests.capture.spark.place import Place


def test_topics_of_a_pattern_are_told_once_they_are_met(place: Place, heard: Heard, running_lab: Lab) -> None:
    broker = running_lab.address("kafka")
    producer = Producer({"bootstrap.servers": broker})
    for topic in ("orders", "offers"):
        for _ in range(10):
            producer.produce(f"{place.name}-{topic}", value=b'{"price": 1.5}')
    assert producer.flush(30) == 0
    options = {"kafka.bootstrap.servers": broker, "subscribePattern": f"{place.name}-.*", "maxOffsetsPerTrigger": "6"}
    records = place.spark.readStream.format("kafka").options(**options, startingOffsets="earliest").load()
    record = F.from_json(F.col("value").cast("string"), "price double").alias("record")
    writer = records.select(record).select("record.price").writeStream.format("parquet")
    query = place.start(writer.option("path", str(place.folder / "out")), availableNow=True)
    query.awaitTermination()
    completed = heard.wait(place.name, "COMPLETE")
    assert names(heard.wait(place.name, "START")["inputs"]) == []
    assert names(completed["inputs"]) == [f"kafka://{broker} {place.name}-{topic}" for topic in ("offers", "orders")]
    assert heard.columns(place.name) == [f"{place.name}-{topic}.price -> out.price" for topic in ("offers", "orders")]
    progress = completed["run"]["facets"][PROGRESS]
    assert progress["total"]["inputRows"] == 20
    assert [source["lag"] for source in progress["sources"]] == [0]
