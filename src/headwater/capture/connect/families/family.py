"""What a family of connectors knows: which datasets its settings name, and how their columns are in its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.options import Config
from headwater.capture.connect.schemas.record import Field
from headwater.capture.connect.transforms.flow import Column, Record, Use, inside, struct, unknown
from headwater.openlineage.naming import DatasetName

Locations = Mapping[str, str]
NOWHERE: Locations = {}


class Target(Struct, frozen=True):
    """A dataset that a sink writes the records of a topic to; `whole` is what decides whether it does."""

    dataset: DatasetName
    columns: Sequence[Column]
    symlinks: tuple[DatasetName, ...] = ()
    unknown: str = ""
    whole: tuple[Use, ...] = ()


class Origin(Struct, frozen=True):
    """Where a source has the records of a topic from; `topic` is what it is called before the transforms.

    Records that the connector makes up have no dataset. `possible` says why its columns are not certain; of one that is
    `opaque` there is nothing to say about columns.
    """

    dataset: DatasetName | None
    topic: str
    symlinks: tuple[DatasetName, ...] = ()
    unknown: str = ""
    possible: str = ""
    opaque: bool = False
    fields: tuple[Field, ...] = ()  # of the topic, where the settings tell them


class Shape(Struct, frozen=True):
    """How the columns of a dataset are in a record: `row` takes them out, `emit` puts them in."""

    row: Callable[[Record], Column]
    emit: Callable[[Config, Origin, Record], Record]


class Sink(Struct, frozen=True):
    """A family of sinks."""

    title: str
    targets: Callable[[Config, Record, Locations], tuple[Target, ...]]
    kind: Literal["sink"] = "sink"


def no_origins(config: Config) -> tuple[Origin, ...]:
    """Settings that name no dataset."""
    return ()


def no_origin(config: Config, topic: str) -> Origin | None:
    """A topic's name that says nothing of where it comes from."""
    return None


def nothing_else(config: Config, topic: str) -> str:
    """Every topic has records of the source."""
    return ""


# -- shapes ----------------------------------------------------------------------------------------


def used(column: Column, path: str = "") -> Column:
    """The column, and what is in it, as columns of a dataset that have these names there."""
    inner = tuple(used(each, inside(column.type, path, each.name)) for each in column.fields)
    return replace(column, fields=inner, uses=(Use(path),) if path else ())


def plain_row(record: Record) -> Column:
    """The value is the row; a key may have columns that the value has not."""
    value = record.value
    if not value.members and value.type not in ("", "struct"):
        return struct([replace(value, name="value")])
    return with_key(value, record)


def with_key(row: Column, record: Record) -> Column:
    """A row with the columns of the key, which are columns of the table too."""
    names = {each.name for each in row.fields}
    more = tuple(each for each in record.key.fields if each.name not in names)
    if not row.type and more:
        return struct((*row.fields, *more), partial=row.partial)
    return replace(row, fields=(*row.fields, *more)) if more and row.type == "struct" else row


def plain_emit(config: Config, origin: Origin, record: Record) -> Record:
    """The row is the value, and some of its columns are the key."""
    key = used(record.key) if record.key.fields else record.key
    return replace(record, key=key, value=used(record.value, "" if record.value.members else "value"))


PLAIN = Shape(plain_row, plain_emit)


def lines_row(record: Record) -> Column:
    """A line of text is the value."""
    return struct([Column("line", "string")])


def lines_emit(config: Config, origin: Origin, record: Record) -> Record:
    """The line is the value."""
    return replace(record, key=unknown("it has no key"), value=Column("", "string", uses=(Use("line"),)))


LINES = Shape(lines_row, lines_emit)


class Source(Struct, frozen=True):
    """A family of sources: origins by the settings alone, and by the name of a topic before the transforms."""

    title: str
    origins: Callable[[Config], tuple[Origin, ...]] = no_origins
    origin_of: Callable[[Config, str], Origin | None] = no_origin
    shape: Shape = PLAIN
    # What a topic is for that has no records of the source, such as a heartbeat.
    other: Callable[[Config, str], str] = nothing_else
    kind: Literal["source"] = "source"


Family = Source | Sink


# -- what sinks share ------------------------------------------------------------------------------


def columns_of(record: Record) -> tuple[Column, ...]:
    """The columns that a sink makes of a value: its fields, or one column for a value that is none."""
    value = record.value
    if value.members or value.partial or value.type in ("struct", "null"):
        return value.members
    return (replace(value, name="value"),)


def filled(form: str, topic: str) -> str:
    """A name with ${topic} in it."""
    return form.replace("${topic}", topic)


def folder(path: str) -> str:
    """The part of a path that is the same for all records: the folders before the first that is not."""
    plain, mark, _ = path.partition("${") if "${" in path else path.partition("{{")
    return plain.rpartition("/")[0] if mark else plain.rstrip("/")


def mapping(text: str) -> dict[str, str]:
    """A setting such as topic1:table1,topic2:table2."""
    pairs = (each.rpartition(":") for each in text.split(",") if ":" in each)
    return {first.strip(): second.strip() for first, _, second in pairs}


def open_name(name: str) -> str:
    """Why a dataset whose name has a part that only the records know is not fully known; empty if it has none."""
    return f"the part {name[name.index('${') :]} of its name is in the records" if "${" in name else ""
