"""A connector's settings, read the way Connect reads them."""

import re
from collections.abc import Mapping

Config = Mapping[str, str]


def listed(text: str) -> tuple[str, ...]:
    """The items of a comma list, without blanks and without items that are empty."""
    return tuple(item for each in text.split(",") if (item := each.strip()))


def option(config: Config, *keys: str, default: str = "") -> str:
    """The first of these settings that is there and is not empty."""
    return next((value for key in keys if (value := config.get(key, "").strip())), default)


def flag(config: Config, key: str, default: bool = False) -> bool:
    """A setting that is true or false."""
    value = config.get(key, "").strip().lower()
    return value == "true" if value in ("true", "false") else default


def under(config: Config, prefix: str) -> dict[str, str]:
    """The settings whose names begin with a prefix, by the rest of their names."""
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}


def java_pattern(text: str) -> re.Pattern[str] | None:
    """A regular expression of Java's; None where Python has no such thing."""
    try:
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", text))
    except (re.error, RecursionError, OverflowError):
        return None


def java_expanded(match: re.Match[str], replacement: str) -> str | None:
    """What Java puts in the place of a match, with its $1 and ${name}; None if there is no such group."""
    try:
        return re.sub(r"\\(.)|\$(\d+)|\$\{(\w+)\}", lambda found: _group(match, found), replacement, flags=re.DOTALL)
    except (IndexError, ValueError):
        return None


def _group(match: re.Match[str], found: re.Match[str]) -> str:
    literal, digits, name = found.groups()
    if literal is not None:
        return str(literal)
    if name is not None:
        return match[name] or ""
    # Java reads as many digits as there are groups: $12 is the first group and a 2 where there is no twelfth.
    count = next((n for n in range(len(digits), 0, -1) if int(digits[:n]) <= match.re.groups), 1)
    return (match[int(digits[:count])] or "") + digits[count:]
