"""Records as a producer writes them: Avro by fastavro, in a Confluent frame; and a registry that is a dictionary."""

import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import fastavro
from pyspark.sql import DataFrame, SparkSession

from headwater.pipeline.registry import Schema, SchemaRegistry, UnknownSchema
from headwater.pipeline.schemas import Schemas, frame
from headwater.pipeline.settings import Registry

Field = Mapping[str, Any]


def field(name: str, kind: Any, nullable: bool = True) -> Field:
    """A field as Debezium registers it: all but the key may be null."""
    return {"name": name, "type": ["null", kind], "default": None} if nullable else {"name": name, "type": kind}


MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
ORDER = (
    field("order_id", "string", nullable=False),
    field("bid_time", MILLIS),
    field("price", "double"),
    field("item", "string"),
    field("supplier", "string"),
)


def record(*fields: Field, name: str = "Value") -> dict[str, Any]:
    """An Avro record schema."""
    return {"type": "record", "name": name, "namespace": "shop.public.orders", "fields": list(fields)}


ORDERS = record(*ORDER)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def now() -> datetime:
    """The present."""
    return datetime.now(UTC)


def order(**changes: Any) -> dict[str, Any]:
    """An order like any other, save for what is given."""
    return {"order_id": "o1", "bid_time": NOON, "price": 12.34, "item": "lamp", "supplier": "Alice"} | changes


def avro(value: Mapping[str, Any], schema: Any = ORDERS) -> bytes:
    """A record in Avro, without a frame."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), dict(value))
    return out.getvalue()


def framed(value: Mapping[str, Any], schema: Any = ORDERS, schema_id: int = 1) -> bytes:
    """A record as it is on a topic."""
    return frame(schema_id) + avro(value, schema)


class Shelf(SchemaRegistry):
    """A registry that holds what a test gives it; the real one is in the tests of the jobs."""

    def __init__(self, schemas: Mapping[int, Any]) -> None:
        super().__init__(Registry(url="http://nowhere"))
        object.__setattr__(self, "held", dict(schemas))
        object.__setattr__(self, "asked", [])

    held: dict[int, Any]
    asked: list[int]

    def schema(self, schema_id: int) -> Schema:
        """The schema that the test gave."""
        self.asked.append(schema_id)
        if schema_id not in self.held:
            raise UnknownSchema(f"no {schema_id}")
        held = self.held[schema_id]
        return held if isinstance(held, Schema) else Schema(schema_id, json.dumps(held))

    def versions(self, subject: str, newest: int) -> list[Schema]:
        """All of them."""
        return [self.schema(schema_id) for schema_id in sorted(self.held)[-newest:]]


def known(spark: SparkSession, schemas: Mapping[int, Any]) -> Schemas:
    """What a job knows that has met these schemas."""
    found = Schemas(spark, Shelf(schemas), "orders-value")
    found.refresh()
    return found


def kafka_frame(spark: SparkSession, values: Sequence[bytes | None]) -> DataFrame:
    """Records as Spark reads them from Kafka; each value's offset is its place in the list."""
    rows = [(None, value, "orders", 0, offset, NOON) for offset, value in enumerate(values)]
    schema = "key binary, value binary, topic string, partition int, offset long, timestamp timestamp"
    return spark.createDataFrame(rows, schema)
