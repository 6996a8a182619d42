"""Columns of a batch as PostgreSQL's binary arrays: the driver's own list adapter inspects every item in Python."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a server on SQLite does without
    from psycopg import Connection

_HEADER = struct.Struct(">iiIii")  # dimensions, has nulls, element type, length, lower bound
_NULL = struct.pack(">i", -1)
_BOOLEANS = {None: _NULL, False: b"\0\0\0\1\0", True: b"\0\0\0\1\1"}
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


def _big_ints(values: Sequence[int | None]) -> bytes:
    return b"".join([_NULL if value is None else _int8(8, value) for value in values])


def _small_ints(values: Sequence[int | None]) -> bytes:
    return b"".join([_NULL if value is None else _int2(2, value) for value in values])


def _booleans(values: Sequence[bool | None]) -> bytes:
    return b"".join([_BOOLEANS[value] for value in values])


def _byteas(values: Sequence[bytes | None]) -> bytes:
    return b"".join([_NULL if value is None else _length(len(value)) + value for value in values])


def _texts(values: Sequence[str | None]) -> bytes:
    return _byteas([None if value is None else value.encode() for value in values])


# Object ids of PostgreSQL's own types, of the element and of its array, and how the items are written.
_FORMS: dict[type[Array], tuple[int, int, Callable[[Sequence[Any]], bytes]]] = {
    BigInts: (20, 1016, _big_ints),
    SmallInts: (21, 1005, _small_ints),
    Booleans: (16, 1000, _booleans),
    Texts: (25, 1009, _texts),
    Byteas: (17, 1001, _byteas),
}


def register(connection: Connection[Any]) -> None:
    """Teach a connection to send these."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    def dumper(element: int, array: int, encode: Callable[[Sequence[Any]], bytes]) -> type[Dumper]:
        class ArrayDumper(Dumper):
            oid = array
            format = Format.BINARY

            def dump(self, obj: Array) -> bytes:
                return _HEADER.pack(1, 1, element, len(obj.values), 1) + encode(obj.values)

        return ArrayDumper

    for kind, form in _FORMS.items():
        connection.adapters.register_dumper(kind, dumper(*form))
