"""A connector's file: JSON with comments, in which ${NAME} stands for what differs from place to place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.errors import HeadwaterError

# Only capitals: ${env:NAME} is for the worker, which keeps the secrets, and ${headers[…]} for Camel.
PLACEHOLDER = re.compile(r"\$\{([A-Z][A-Z0-9_]*)\}")
# A string comes first, so that what looks like a comment inside one is left alone.
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_WORTH_LISTING = 30


class ConnectorFileError(HeadwaterError):
    """A connector's file that is missing or cannot be used."""


@dataclass(frozen=True)
class Connector:
    """A connector as its file describes it."""

    name: str
    config: Mapping[str, str]


def read(file: Path, values: Mapping[str, str]) -> Connector:
    """The connector of a file, with its placeholders filled: {"name": …, "config": {…}}, or the settings alone.

    Settings alone are of the connector that their own "name" says, else of the one that the file is named after.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise ConnectorFileError(f"cannot read a connector from {file}: {error}") from error
    return parse(text, values, str(file), file.stem)


def parse(text: str, values: Mapping[str, str], origin: str, name: str = "") -> Connector:
    """The connector that a text describes; `name` is that of settings which say none."""
    try:
        described = json.loads(without_comments(text))
    except ValueError as error:
        raise ConnectorFileError(f"cannot read a connector from {origin}: {error}") from error
    match described:
        case {"name": str(given), "config": dict(config)} if given:
            return Connector(given, _filled(config, values, origin))
        case {"connector.class": str()}:
            config = _filled(described, values, origin)
            given = config.pop("name", name)
            if given:
                return Connector(given, config)
    raise ConnectorFileError(
        f'{origin} is no connector; expected {{"name": "…", "config": {{"connector.class": "…", …}}}} '
        f"or the settings alone"
    )


def without_comments(text: str) -> str:
    """JSON without // and /* */; lines stay where they are, so that an error names the right one."""

    def kept(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else "\n" * match[0].count("\n")

    return _COMMENT.sub(kept, text)


def fill(text: str, values: Mapping[str, str], origin: str) -> str:
    """Text with its placeholders filled; what the worker or Camel fills is left as it is."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            few = len(values) <= _WORTH_LISTING
            known = f"known ones: {', '.join(sorted(values))}" if few else "set it in the environment"
            raise ConnectorFileError(f"unknown placeholder {match[0]} at {origin}; {known}")
        return values[match[1]]

    return PLACEHOLDER.sub(value, text)


def _filled(config: Mapping[str, Any], values: Mapping[str, str], origin: str) -> dict[str, str]:
    return {key: fill(value, values, f"{key} in {origin}") for key, value in texts(config, origin).items()}


def texts(config: Mapping[str, Any], origin: str) -> dict[str, str]:
    """Every setting as text, as a worker keeps them; ConnectorFileError if one is a list, a group or nothing."""
    return {key: _text(value, key, origin) for key, value in config.items()}


def _text(value: object, key: str, origin: str) -> str:
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
    raise ConnectorFileError(f"{key} in {origin} is a {type(value).__name__}; expected a text, a number, true or false")
