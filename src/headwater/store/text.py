"""Text from inside facets, made fit for an index of either database."""

from __future__ import annotations

from headwater.openlineage.events import content_hash

LONGEST = 1_000  # bytes; PostgreSQL cannot index an entry of more than about 2,700


def indexable(text: str, longest: int = LONGEST) -> str:
    """`text` as it is, or cut with a hash of the rest so that two long ones stay two; U+0000 is replaced."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if len(text) * 4 <= longest:
        return text
    data = text.encode()
    if len(data) <= longest:
        return text
    return data[: longest - 40].decode(errors="ignore") + "\u2026" + content_hash(data).hex()


def folded(name: str) -> str:
    """What search matches: lower case, the first few hundred characters."""
    return name[:400].lower()
