"""Confluent-framed Avro to columns, with a reason for every record that cannot be read."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro
from pyspark.sql.types import (
    AtomicType,
    BinaryType,
    DataType,
    DateType,
    NumericType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from headwater.pipeline.schemas import Schemas, Writer, frame

# The column that says why a record is put aside; null for a record that is well.
PROBLEM = "_problem"
UNKNOWN = "headwater does not know schema id"
MOMENTS = (TimestampType, TimestampNTZType, DateType)


@dataclass(frozen=True)
class Wanted:
    """A column that a job wants out of each record; a record without a value for a required one is put aside."""

    name: str
    type: DataType
    required: bool = False


def decode(
    frames: DataFrame, wanted: Sequence[Wanted], schemas: Schemas, keep: Sequence[str] = (), strict: bool = True
) -> DataFrame:
    """The wanted columns of each record in `value`, the columns to keep, and PROBLEM.

    Strict, a schema id that is not known yet fails the query (see unknown_schema), so that nothing is
    decided before the registry was asked; otherwise it is a problem of the record.
    """
    writers = [schemas.usable[schema_id] for schema_id in sorted(schemas.usable, reverse=True)]
    # Decoding and reading the fields are two steps, so that each record is decoded once and not once a field.
    decoded = frames.select("*", *[decoded_by(writer).alias(column(writer)) for writer in writers])
    values = [value(one, writers).alias(one.name) for one in wanted]
    well = all_of(
        any_of(present(writer) for writer in writers),
        *[value(one, writers).isNotNull() for one in wanted if one.required],
        *[~lost(one, writer) for writer in writers for one in wanted],
    )
    problem = F.when(well, F.lit(None).cast("string"))
    for case, reason in problems(wanted, schemas, writers, strict):
        problem = problem.when(case, reason)
    return decoded.select(*values, *keep, problem.alias(PROBLEM))


def unknown_schema(error: BaseException) -> int | None:
    """The schema id that a strict decode did not know, if that is what the error is about."""
    match = re.search(rf"{UNKNOWN} (\d+)", str(error))
    return int(match[1]) if match else None


def unknown_ids(frames: DataFrame, schemas: Schemas, most: int) -> list[int]:
    """Ids in the frames that are not known, at most that many."""
    known = [*schemas.usable, *schemas.unusable]
    ids = frames.where(is_frame()).select(frame_id().alias("id")).where(~F.col("id").isin(known))
    return [row.id for row in ids.distinct().limit(most).collect()]


# -- the record ----------------------------------------------------------------------------------------


def column(writer: Writer) -> str:
    """Where a record is that this schema has written."""
    return f"_schema_{writer.id}"


def decoded_by(writer: Writer) -> Column:
    """The record, if this schema has written it; a record that does not decode has no field."""
    body = F.expr("substring(value, 6)")
    return F.when(written_by(writer.frame), from_avro(body, writer.avro, {"mode": "PERMISSIVE"}))


def written_by(frame: bytes) -> Column:
    """Whether the record begins with this frame."""
    return F.expr("substring(value, 1, 5)") == F.lit(bytearray(frame))


def is_frame() -> Column:
    """Whether the value can be a framed record at all."""
    return (F.length("value") >= 5) & (F.expr("substring(value, 1, 1)") == F.lit(bytearray(1)))


def frame_id() -> Column:
    """The schema id in the frame."""
    return F.conv(F.hex(F.expr("substring(value, 2, 4)")), 16, 10).cast("long")


def present(writer: Writer) -> Column:
    """Whether the record decoded: a failure leaves every field null, also those that the schema never lets be."""
    never_null = [one.name for one in writer.fields if not one.nullable]
    names = never_null[:1] or [one.name for one in writer.fields]
    return any_of(F.col(column(writer))[name].isNotNull() for name in names)


# -- the columns ---------------------------------------------------------------------------------------


def value(wanted: Wanted, writers: Iterable[Writer]) -> Column:
    """The column's value, whichever schema wrote it."""
    return F.coalesce(*[converted(wanted, writer) for writer in writers], F.lit(None).cast(wanted.type))


def given(wanted: Wanted, writer: Writer) -> tuple[Column, DataType] | None:
    """The field as it was written, and its type; None if the schema has no such field."""
    for one in writer.fields:
        if one.name.lower() == wanted.name.lower():
            return F.col(column(writer))[one.name], one.dataType
    return None


def converted(wanted: Wanted, writer: Writer) -> Column:
    """The field in the wanted type; null where it does not fit."""
    if (found := given(wanted, writer)) is None or not fits(found[1], wanted.type):
        return F.lit(None).cast(wanted.type)
    if found[1] == wanted.type:
        return found[0]
    field = next(one.name for one in writer.fields if one.name.lower() == wanted.name.lower())
    return F.expr(f"try_cast({column(writer)}.`{field}` AS {wanted.type.simpleString()})")


def lost(wanted: Wanted, writer: Writer) -> Column:
    """Whether a value was given that the wanted type cannot hold."""
    if (found := given(wanted, writer)) is None or found[1] == wanted.type:
        return F.lit(False)
    return found[0].isNotNull() & converted(wanted, writer).isNull()


def fits(given: DataType, wanted: DataType) -> bool:
    """Whether values of one type can mean something as another; a bare number is no moment."""
    if given == wanted:
        return True
    if not isinstance(given, AtomicType) or not isinstance(wanted, AtomicType) or isinstance(given, BinaryType):
        return False
    if isinstance(wanted, NumericType):
        return isinstance(given, NumericType | StringType)
    if isinstance(wanted, MOMENTS):
        return isinstance(given, (*MOMENTS, StringType))
    return isinstance(wanted, StringType)


# -- the problems --------------------------------------------------------------------------------------


def problems(
    wanted: Sequence[Wanted], schemas: Schemas, writers: Sequence[Writer], strict: bool
) -> Iterable[tuple[Column, Column]]:
    """What can be wrong with a record, in the order in which it is looked at, each with its words."""
    yield F.col("value").isNull(), F.lit("no value: a tombstone")
    yield F.length("value") < 5, said("not a Confluent frame: only ", F.length("value"), " bytes")
    first = F.hex(F.expr("substring(value, 1, 1)"))
    yield ~is_frame(), said("not a Confluent frame: it begins with 0x", first, " instead of 0x00")
    for schema_id, reason in schemas.unusable.items():
        yield written_by(frame(schema_id)), F.lit(reason)
    known = any_of(written_by(writer.frame) for writer in writers)
    if strict:
        yield ~known, F.raise_error(said(f"{UNKNOWN} ", frame_id()))
    yield ~known, said("schema id ", frame_id(), " is not in the registry")
    yield ~any_of(present(writer) for writer in writers), said("does not decode with schema id ", frame_id())
    for one in wanted:
        for writer in writers:
            if found := given(one, writer):
                text = found[0].cast("string")
                words = said(f"{one.name} ", text, f" does not fit {one.type.simpleString()}")
                yield lost(one, writer), words
        if one.required:
            yield value(one, writers).isNull(), F.lit(f"{one.name} is null")


def said(*parts: str | Column) -> Column:
    """A sentence with values in it."""
    return F.concat(*[F.lit(part) if isinstance(part, str) else part.cast("string") for part in parts])


def any_of(cases: Iterable[Column]) -> Column:
    """Whether one of the cases holds."""
    return reduce(lambda one, other: one | other, cases, F.lit(False))


def all_of(*cases: Column) -> Column:
    """Whether every case holds."""
    return reduce(lambda one, other: one & other, cases, F.lit(True))
