"""Java's properties files, in which Kafka, the registry and Spark read their settings."""

from collections.abc import Mapping


def properties(settings: Mapping[str, str]) -> str:
    """The text of a properties file. Java reads it as Latin-1, so any other character is escaped."""
    return "".join(f"{name}={''.join(map(escaped, value))}\n" for name, value in settings.items())


def escaped(character: str) -> str:
    """A character of a value, as it must be written."""
    if character == "\\":
        return "\\\\"
    if " " <= character <= "~":
        return character
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
