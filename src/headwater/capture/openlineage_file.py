"""openlineage.yml: read with PyYAML where that is installed, else the part of YAML that such files use."""

import json
import re
from pathlib import Path
from typing import Any

from headwater.errors import SettingError

_KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s#:'"\[{&*!|>%@`][^:#]*?)\s*:(?:\s+(.*))?""")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:#.*)?""")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
_Line = tuple[int, int, str]  # its number, how far it is indented, and its words
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def read_openlineage_file(path: Path) -> dict[str, Any]:
    """The content of an openlineage.yml; SettingError names the line that cannot be understood."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"cannot read {path}: {error}; check OPENLINEAGE_CONFIG and the file's rights") from None
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        content: object = parse_subset(text, path)
    else:
        try:
            content = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise _bad(path, mark.line + 1 if mark else 1, getattr(error, "problem", None) or str(error)) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise _bad(path, 1, f"expected settings such as 'transport:', found {type(content).__name__}")
    return content


def parse_subset(text: str, path: Path) -> object:
    """Nested settings by indentation, lists, quoted and plain values, values in [] or {} written as JSON."""
    lines: list[_Line] = []
    for number, line in enumerate(text.splitlines(), 1):
        indent, words = len(line) - len(line.lstrip(" ")), line.strip()
        if words.startswith("#") or words in ("", "---"):
            continue
        if line[indent] == "\t":
            raise _bad(path, number, "indented with a tab; YAML wants spaces")
        lines.append((number, indent, words))
    content, rest = _block(lines, 0, path)
    if rest < len(lines):
        raise _bad(path, lines[rest][0], "indented less than the lines it belongs to")
    return content


def _block(lines: list[_Line], at: int, path: Path) -> tuple[Any, int]:
    """The settings or the list that begins at a line, and the line after it."""
    if at >= len(lines):
        return None, at
    indent = lines[at][1]
    content, at = (_list if _is_item(lines[at][2]) else _settings)(lines, at, path)
    if at < len(lines) and lines[at][1] > indent:
        raise _bad(path, lines[at][0], "indented more than the line above, which has a value already")
    return content, at


def _settings(lines: list[_Line], at: int, path: Path) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    indent = lines[at][1]
    while at < len(lines) and lines[at][1] == indent and not _is_item(lines[at][2]):
        number, _, words = lines[at]
        pair = _KEY.fullmatch(words)
        if pair is None:
            raise _bad(path, number, f"expected 'name: value', found {words!r}")
        key, written = pair[1].strip("\"'"), _without_comment(pair[2] or "")
        at += 1
        if written:
            found[key] = _scalar(written, number, path)
        elif at < len(lines) and (lines[at][1] > indent or (lines[at][1] == indent and _is_item(lines[at][2]))):
            found[key], at = _block(lines, at, path)
        else:
            found[key] = None
    return found, at


def _list(lines: list[_Line], at: int, path: Path) -> tuple[list[Any], int]:
    found: list[Any] = []
    indent = lines[at][1]
    while at < len(lines) and lines[at][1] == indent and _is_item(lines[at][2]):
        number, _, words = lines[at]
        inner = words[1:].lstrip(" ")
        if not inner:
            value, at = _block(lines, at + 1, path)
        elif _KEY.fullmatch(inner):
            # The rest of the line begins settings of its own, as far in as it stands.
            lines[at] = (number, indent + len(words) - len(inner), inner)
            value, at = _block(lines, at, path)
        else:
            value, at = _scalar(inner, number, path), at + 1
        found.append(value)
    return found, at


def _is_item(words: str) -> bool:
    return words == "-" or words.startswith("- ")


def _scalar(written: str, number: int, path: Path) -> Any:
    written = _without_comment(written)
    if written[:1] in "[{":
        try:
            return json.loads(written)
        except ValueError:
            raise _bad(
                path, number, f"{written!r} is no JSON; write it so, or install PyYAML to read any YAML"
            ) from None
    if written[:1] in "&*!|>%@`":
        raise _bad(path, number, f"{written!r} needs PyYAML to be read: pip install pyyaml")
    if written[:1] in "\"'":
        if len(written) < 2 or written[-1] != written[0]:
            raise _bad(path, number, f"the quote in {written} is not closed")
        return json.loads(written) if written[0] == '"' else written[1:-1].replace("''", "'")
    if written.lower() in _WORDS:
        return _WORDS[written.lower()]
    if _NUMBER.fullmatch(written):
        return float(written) if any(c in written for c in ".eE") else int(written)
    return written


def _without_comment(written: str) -> str:
    if quoted := _QUOTED.fullmatch(written):
        return quoted[1]
    return re.split(r"(?:^|\s)#", written, maxsplit=1)[0].rstrip()


def _bad(path: Path, line: int, problem: str) -> SettingError:
    return SettingError(f"cannot understand line {line} of {path}: {problem}")
