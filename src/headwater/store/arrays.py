"""Columns of a batch as PostgreSQL's binary arrays: the driver's own list adapter inspects every item in Python."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from psycopg import Connection
from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEADER = struct.Struct(">iiIii")  # dimensions, has nulls, element type, length, lower bound
_NULL = struct.pack(">i", -1)
_length = struct.Struct(">i").pack
_int8 = struct.Struct(">iq").pack
_int2 = struct.Struct(">ih").pack


class Array:
    """One column. Its subclasses say of what; psycopg picks the dumper by class."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values


class BigInts(Array): ...


class SmallInts(Array): ...


class Booleans(Array): ...


class Texts(Array): ...


class Byteas(Array): ...


def _items(values: Iterable[Any], encode: Callable[[Any], bytes]) -> bytes:
    return b"".join([_NULL if value is None else encode(value) for value in values])


def _bytea(value: bytes) -> bytes:
    return _length(len(value)) + value


def _text(value: str) -> bytes:
    return _bytea(value.encode())


def _dumper(element: int, array: int, encode: Callable[[Any], bytes]) -> type[Dumper]:
    class ArrayDumper(Dumper):
        oid = array
        format = Format.BINARY

        def dump(self, obj: Array) -> bytes:
            values = obj.values
            return _HEADER.pack(1, 1, element, len(values), 1) + _items(values, encode)

    return ArrayDumper


# Object ids of PostgreSQL's own types: of the element, and of its array.
_DUMPERS: dict[type[Array], type[Dumper]] = {
    BigInts: _dumper(20, 1016, lambda value: _int8(8, value)),
    SmallInts: _dumper(21, 1005, lambda value: _int2(2, value)),
    Booleans: _dumper(16, 1000, lambda value: b"\0\0\0\1\1" if value else b"\0\0\0\1\0"),
    Texts: _dumper(25, 1009, _text),
    Byteas: _dumper(17, 1001, _bytea),
}


def register(connection: Connection[Any]) -> None:
    """Teach a connection to send these."""
    for kind, dumper in _DUMPERS.items():
        connection.adapters.register_dumper(kind, dumper)
