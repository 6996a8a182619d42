"""What a job knows about the schemas on its topic: by the id in each record's frame, learned from the registry."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro
from pyspark.sql.types import StructField, StructType

from headwater.pipeline.failures import JavaError, first_line
from headwater.pipeline.registry import Schema, SchemaRegistry, UnknownSchema

# Each known schema is one more comparison for each record; older ones are learned when a record needs them.
NEWEST = 10
# A schema that was missing may be registered later.
FORGET_SECONDS = 300.0


@dataclass(frozen=True)
class Writer:
    """A schema that records were written with, as Spark reads it."""

    id: int
    avro: str
    fields: tuple[StructField, ...]

    @property
    def frame(self) -> bytes:
        """The five bytes before every record written with it."""
        return frame(self.id)


def frame(schema_id: int) -> bytes:
    """A Confluent frame: a zero and the schema's id."""
    return b"\0" + schema_id.to_bytes(4, "big")


@dataclass
class Schemas:
    """The schemas of one subject that this process has met; `usable` decode, `unusable` have a reason not to."""

    spark: SparkSession
    registry: SchemaRegistry
    subject: str
    clock: Callable[[], float] = time.monotonic
    usable: dict[int, Writer] = field(default_factory=dict)
    unusable: dict[int, str] = field(default_factory=dict)
    _forget_at: float = 0.0

    def refresh(self) -> None:
        """Learn the subject's newest versions, whether or not a record has come with them."""
        for schema in self.registry.versions(self.subject, NEWEST):
            self._add(schema)

    def learn(self, ids: Iterable[int]) -> None:
        """Ask the registry about ids seen in records."""
        for schema_id in ids:
            try:
                self._add(self.registry.schema(schema_id))
            except UnknownSchema:
                self.unusable[schema_id] = f"schema id {schema_id} is not in the registry"
                self._forget_at = self._forget_at or self.clock() + FORGET_SECONDS

    @property
    def forgets_now(self) -> bool:
        """Whether it is time to ask again about ids that the registry did not have."""
        return bool(self._forget_at) and self.clock() > self._forget_at

    def forget_the_missing(self) -> None:
        """Once in a while, forget which ids the registry did not have, so that it is asked again."""
        if self.forgets_now:
            self.unusable = {}
            self._forget_at = 0.0

    def gained(self, known: Iterable[str]) -> list[StructField]:
        """Fields of the schemas met so far whose names are not among those known, the newest schema's type first."""
        found = {name.lower() for name in known}
        new = []
        for writer in sorted(self.usable.values(), key=lambda one: one.id, reverse=True):
            for one in writer.fields:
                if one.name.lower() not in found:
                    found.add(one.name.lower())
                    new.append(one)
        return new

    def _add(self, schema: Schema) -> None:
        if schema.id in self.usable:
            return
        self.unusable.pop(schema.id, None)
        try:
            self.usable[schema.id] = Writer(schema.id, schema.text, avro_fields(self.spark, schema))
        except (PySparkException, JavaError, ValueError) as error:
            self.unusable[schema.id] = f"schema id {schema.id} cannot be read: {first_line(error)}"


def avro_fields(spark: SparkSession, schema: Schema) -> tuple[StructField, ...]:
    """The columns of an Avro record as Spark decodes it; ValueError if it is no record."""
    if schema.type != "AVRO":
        raise ValueError(f"it is {schema.type}, expected AVRO")
    # FAILFAST keeps what the schema says about nulls, which the forgiving mode gives up.
    decoded = from_avro(F.lit(b"").cast("binary"), schema.text, {"mode": "FAILFAST"})
    struct = spark.range(0).select(decoded.alias("record")).schema["record"].dataType
    if not isinstance(struct, StructType):
        raise ValueError(f"it is {struct.simpleString()}, expected a record")
    names = [one.name.lower() for one in struct.fields]
    if len(set(names)) < len(names):
        raise ValueError("two of its fields differ only in case, which Spark cannot tell apart")
    return tuple(struct.fields)
