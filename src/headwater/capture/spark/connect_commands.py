"""What a Spark Connect client asks of its server: the datasets that a command names. Plans are resolved over there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.capture.spark.datasets import Asked

# A command as `plain` gives it: the fields of a protobuf message that are set, by their names.
Command = Mapping[str, Any]

_TARGET = re.compile(
    r"\s*(insert\s+(?:into|overwrite)(?:\s+table)?|merge\s+into|create\s+(?:or\s+replace\s+)?table(?:\s+if\s+not\s+exists)?"
    r"|replace\s+table|update|delete\s+from|truncate\s+table)\s+((?:`[^`]+`|[\w-]+)(?:\.(?:`[^`]+`|[\w-]+))*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Table:
    """A table by the name that the program has for it."""

    name: str


Place = Asked | Table


@dataclass(frozen=True)
class Work:
    """What a command does: a verb, what it reads and writes, and for a stream its name and whether it ends itself."""

    verb: str
    inputs: tuple[Place, ...] = ()
    outputs: tuple[Place, ...] = ()
    sql: str = ""
    stream: bool = False
    name: str = ""
    ends: bool = True


def plain(message: Any) -> Any:
    """A protobuf message as mappings and lists; data that a program brings along is left out."""
    if hasattr(message, "ListFields"):
        return {field.name: plain(value) for field, value in message.ListFields()}
    if isinstance(message, Mapping) or hasattr(message, "items"):
        return {key: plain(value) for key, value in message.items()}
    if isinstance(message, str | int | float | bool):
        return message
    if isinstance(message, bytes):
        return ""
    return [plain(each) for each in message]


def work_of(command: Command) -> Work | None:
    """What a command does; None if it changes no data."""
    if write := command.get("write_operation"):
        return _write(write)
    if write := command.get("write_operation_v2"):
        verb = {
            1: "create",
            2: "overwrite",
            3: "overwrite_partitions",
            4: "append",
            5: "replace",
            6: "create_or_replace",
        }
        return Work(verb.get(write.get("mode", 0), "write"), _reads(write), (Table(write["table_name"]),))
    if write := command.get("write_stream_operation_start"):
        return _stream(write)
    if sql := command.get("sql_command"):
        return _sql(str(sql.get("sql", "")))
    return None


def _write(write: Command) -> Work:
    if table := write.get("table"):
        verb = {1: "save_as_table", 2: "insert_into"}.get(table.get("save_method", 0), "save")
        return Work(verb, _reads(write), (Table(table["table_name"]),))
    options = {**write.get("options", {}), **({"path": write["path"]} if "path" in write else {})}
    return Work("save", _reads(write), (Asked(write.get("source", "parquet"), options, "save"),))


def _stream(write: Command) -> Work:
    options, name = dict(write.get("options", {})), write.get("query_name", "")
    if "table_name" in write:
        sink: Place = Table(write["table_name"])
    elif "foreach_batch" in write or "foreach_writer" in write:
        sink = Asked("foreachbatch" if "foreach_batch" in write else "foreach", {}, name or "stream")
    else:
        path = {"path": write["path"]} if "path" in write else {}
        sink = Asked(write.get("format", "parquet"), {**options, **path}, name or "stream")
    ends = bool(write.get("available_now") or write.get("once"))
    return Work("stream", _reads(write, name or "stream"), (sink,), stream=True, name=name, ends=ends)


def _sql(text: str) -> Work | None:
    if not (match := _TARGET.match(text)):
        return None
    verb = "_".join(re.sub(r"\b(if not exists|or replace|table)\b", "", match[1].lower()).split())
    return Work(verb, (), (Table(match[2].replace("`", "")),), sql=text)


def _reads(write: Command, owner: str = "read") -> tuple[Place, ...]:
    return tuple(dict.fromkeys(_sources(write.get("input", {}), owner)))


def _sources(relation: Any, owner: str) -> Iterator[Place]:
    """Every table and file that a relation reads, however deep."""
    waiting = [relation]
    while waiting:
        here = waiting.pop()
        if isinstance(here, list):
            waiting += reversed(here)
        elif isinstance(here, Mapping):
            if isinstance(read := here.get("read"), Mapping):
                yield from _read(read, owner)
            waiting += reversed([value for key, value in here.items() if key != "read"])


def _read(read: Command, owner: str) -> Iterator[Place]:
    if table := read.get("named_table"):
        yield Table(table["unparsed_identifier"])
    if source := read.get("data_source"):
        paths = {"paths": ",".join(source["paths"])} if source.get("paths") else {}
        yield _Hashable(source.get("format", "parquet"), {**source.get("options", {}), **paths}, owner)


class _Hashable(Asked, frozen=True):
    """The same source is named once, however often a plan reads it."""

    def __hash__(self) -> int:
        return hash((self.format, tuple(sorted(self.options.items()))))
