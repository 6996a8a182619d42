"""Cases written as text: what a connector is set to, what its topics have in them, and the lineage that follows.

A file has one case. Its first line is a sentence about it. Then come parts, each a word with a colon in a line of its
own and indented lines below: `config:` (key = value), `topics:` (name: fields, and perhaps | key: fields),
`locations:` (table = address) and `lineage:`, which is the answer. Fields are written as
`id long, to struct(city string)`, and a key or value that is no record as its type alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from headwater.capture.connect.lineage import (
    ColumnEdge,
    ConnectorLineage,
    Field,
    RecordSchema,
    Side,
    TopicSchemas,
    lineage_of,
)

KAFKA = "kafka://kafka-1:9092"


class Case(Struct, frozen=True):
    """A case by its parts."""

    sentence: str
    parts: dict[str, list[str]]

    def settings(self, part: str) -> dict[str, str]:
        """A part of settings."""
        pairs = (line.split("=", 1) for line in self.parts.get(part, []))
        return {key.strip(): value.strip() for key, value in pairs}


def read(file: Path) -> Case:
    """The case in a file."""
    first, *lines = file.read_text("utf-8").splitlines()
    parts: dict[str, list[str]] = {}
    part: list[str] = []
    for line in lines:
        if header := re.fullmatch(r"(\w+(?: \S+)?):", line):
            part = parts.setdefault(header[1], [])
        elif line.strip() and not line.lstrip().startswith("#"):
            part.append(line.strip())
    return Case(first, parts)


def answer(case: Case) -> list[str]:
    """The lineage of a case, as it is written in one."""
    topics = dict(map(topic, case.parts.get("topics", [])))
    config = {"name": "my-connector", **case.settings("config")}
    return list(written(lineage_of(config, list(topics), topics, KAFKA, case.settings("locations"))))


def topic(line: str) -> tuple[str, TopicSchemas]:
    """A topic and what is in it, such as `orders: id long | key: long`; nothing behind the colon is not known."""
    name, _, rest = line.partition(":")
    value, _, key = rest.partition("| key:")
    return name.strip(), TopicSchemas(record(key), record(value))


def record(text: str) -> RecordSchema | None:
    """A key or a value."""
    text = text.strip()
    if not text:
        return None
    if re.fullmatch(r"[\w-]+(\(\d+,\d+\))?", text):
        return RecordSchema((Field("", text),))
    return RecordSchema(tuple(fields(text)))


def fields(text: str) -> Iterator[Field]:
    """Fields such as `id long, price decimal(10,2), to struct(city string)`."""
    for part in _split(text):
        name, _, type = part.strip().partition(" ")
        plain, bracket, inner = type.partition("(")
        if bracket and not re.fullmatch(r"\d+(,\d+)?\)", inner):
            yield Field(name, plain, fields=tuple(fields(inner.removesuffix(")"))))
        else:
            yield Field(name, type)


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]


# -- writing ---------------------------------------------------------------------------------------


def written(lineage: ConnectorLineage) -> Iterator[str]:
    """A lineage as lines."""
    yield lineage.kind
    for word, sides in (("in", lineage.inputs), ("out", lineage.outputs)):
        for side in sides:
            yield from _side(word, side)
    for edge in lineage.edges:
        yield _edge(edge)
    for note in lineage.notes:
        yield f"note: {note}"


def _side(word: str, side: Side) -> Iterator[str]:
    yield f"{word} {side.dataset.namespace} {side.dataset.name}: {shown(side.fields)}".rstrip(" ")
    for link in side.symlinks:
        yield f"also {link.namespace} {link.name}"
    if side.unknown:
        yield f"unknown: {side.unknown}"


def shown(many: Sequence[Field]) -> str:
    """Fields as they are written in a case."""
    return ", ".join(f"{each.name} {each.type}{f'({shown(each.fields)})' if each.fields else ''}" for each in many)


def _edge(edge: ColumnEdge) -> str:
    how = "" if (edge.type, edge.subtype) == ("DIRECT", "IDENTITY") else f" {edge.type} {edge.subtype}"
    about = "".join(
        [
            f" ({edge.description})" if edge.description else "",
            " masked" if edge.masking else "",
            f" possible: {edge.possible}" if edge.possible else "",
        ]
    )
    return f"{edge.input.name}.{edge.field} -> {edge.output.name}.{edge.column}{how}{about}"
