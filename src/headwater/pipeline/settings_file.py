"""Frozen dataclasses as TOML files: each field of the outermost one is a table, each field of that a setting."""

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

from headwater.errors import SettingError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def setting(help: str, default: Any = MISSING, secret: bool = False) -> Any:
    """One line of a settings file: what it is for, and its default; without one it must be given.

    A secret is never part of the dataclass's repr.
    """
    if callable(default):
        return field(default_factory=default, repr=not secret, metadata={"help": help})
    return field(default=default, repr=not secret, metadata={"help": help})


def read_toml(kind: type[T], path: Path, env: Mapping[str, str]) -> T:
    """Read a settings file; a value that is wholly ${NAME} comes from the environment."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingError(f"cannot read settings from {path}: {error}; it must be a TOML file") from error
    return Reader(path, env).table(kind, tables, "")


def write_toml(path: Path, settings: "DataclassInstance") -> None:
    """Write a settings file that only its owner can read, in one step; what is at its default is left out."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in toml_lines(settings)))
    new.replace(path)


def toml_lines(settings: "DataclassInstance") -> Iterator[str]:
    """The settings as lines of TOML; what is at its default is left out."""
    for table in fields(settings):
        values = getattr(settings, table.name)
        given = {f.name: getattr(values, f.name) for f in fields(values) if getattr(values, f.name) != default_of(f)}
        nested = {name: value for name, value in given.items() if isinstance(value, Mapping)}
        if plain := given.keys() - nested.keys():
            yield f"[{table.name}]"
            yield from (f"{name} = {toml_value(given[name])}" for name in given if name in plain)
        for name, inner in nested.items():
            yield f"[{table.name}.{name}]"
            yield from (f"{json.dumps(key)} = {toml_value(value)}" for key, value in inner.items())


def toml_value(value: object) -> str:
    """A value in TOML, whose text, numbers, truths and lists are written as JSON writes them."""
    # TOML has no escaped surrogates, so characters beyond ASCII are written as themselves.
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False).replace("\x7f", "\\u007f")


def default_of(item: Field[Any]) -> object:
    """What a setting is when the file does not name it."""
    return item.default_factory() if item.default_factory is not MISSING else item.default


@dataclass(frozen=True)
class Reader:
    """Turns the tables of one file into dataclasses; every complaint names the file and the setting."""

    path: Path
    env: Mapping[str, str]

    def table(self, kind: type[T], given: Mapping[str, Any], name: str) -> T:
        """One table of the file."""
        known = {item.name: item for item in fields(kind)}
        for key in given:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
                raise SettingError(f"unknown setting {dotted(name, key)!r} in {self.path}; {hint}")
        values = {}
        for key, item in known.items():
            if key in given:
                values[key] = self.value(item.type, given[key], dotted(name, key))
            elif item.default is MISSING and item.default_factory is MISSING:
                what = item.metadata.get("help", f"a table [{key}]")
                raise SettingError(f"setting {dotted(name, key)!r} is missing in {self.path}; expected {what}")
        return kind(**values)

    def value(self, kind: Any, given: object, name: str) -> Any:
        """One value, checked against the type of its field."""
        if isinstance(kind, type) and is_dataclass(kind) and isinstance(given, dict):
            return self.table(kind, given, name)
        if get_origin(kind) is Mapping and isinstance(given, dict):
            return {key: self.text(str(value), dotted(name, key)) for key, value in given.items()}
        if get_origin(kind) is tuple and isinstance(given, list) and all(isinstance(one, str) for one in given):
            return tuple(self.text(one, name) for one in given)
        if kind is str and isinstance(given, str):
            return self.text(given, name)
        # bool is a subclass of int, but `max_offsets = true` is a mistake.
        if kind in (int, bool) and type(given) is kind:
            return given
        raise SettingError(f"setting {name!r} in {self.path} is {type(given).__name__}; expected {expected(kind)}")

    def text(self, given: str, name: str) -> str:
        """Text as written, or from the environment if it is ${NAME}: a secret need not be in the file."""
        if not (match := re.fullmatch(r"\$\{(\w+)\}", given)):
            return given
        if (value := self.env.get(match[1])) is None:
            raise SettingError(f"setting {name!r} in {self.path} is {given}, and no such variable is set; export it")
        return value


def dotted(table: str, name: str) -> str:
    """The full name of a setting."""
    return f"{table}.{name}" if table else name


def expected(kind: Any) -> str:
    """What a type is called in TOML."""
    names = {str: "text in quotes", int: "a whole number", bool: "true or false"}
    return names.get(kind) or ("a list of texts" if get_origin(kind) is tuple else "a table")
