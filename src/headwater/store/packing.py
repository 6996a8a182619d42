"""Stored JSON, small: compressed when that pays, and recognised by its first bytes when read."""

import threading

import zstandard

_WORTHWHILE = 160  # bytes below which a frame's header eats the gain
_MAGIC = b"\x28\xb5\x2f\xfd"


class _Contexts(threading.local):
    """zstandard's contexts are dear to make and must not be shared between threads."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=1, write_checksum=False).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_contexts = _Contexts()


def pack(data: bytes) -> bytes:
    """`data` as it is stored."""
    return _contexts.compress(data) if len(data) >= _WORTHWHILE or data.startswith(_MAGIC) else data


def unpack(data: bytes) -> bytes:
    """What was packed; only a frame starts as a frame does."""
    return _contexts.decompress(data) if data[:4] == _MAGIC else bytes(data)
