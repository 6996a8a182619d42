"""Stored JSON, small: compressed when that pays, and recognised by its first byte when read."""

import zstandard

_WORTHWHILE = 160  # bytes below which a frame's header eats the gain
_MAGIC = b"\x28\xb5\x2f\xfd"


class Packer:
    """Compresses for one thread; zstandard's contexts are reused, not shared."""

    def __init__(self) -> None:
        self._compress = zstandard.ZstdCompressor(level=1, write_checksum=False).compress

    def pack(self, data: bytes) -> bytes:
        """`data` as it is stored."""
        return self._compress(data) if len(data) >= _WORTHWHILE or data.startswith(_MAGIC) else data


def pack(data: bytes) -> bytes:
    """`data` as it is stored, for the odd write outside the writer thread."""
    return Packer().pack(data)


def unpack(data: bytes) -> bytes:
    """What was packed; only a frame starts as a frame does."""
    if data[:4] != _MAGIC:
        return bytes(data)
    return zstandard.ZstdDecompressor().decompress(data)
