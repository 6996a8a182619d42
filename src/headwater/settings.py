"""What can be set, and how each value is found: flag, then environment, then headwater.toml, then default."""

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.errors import SettingError

CONFIG_FILE = "headwater.toml"
CONFIG_VARIABLE = "HEADWATER_CONFIG"
DEFAULT_DATABASE = "sqlite:///~/.local/share/headwater/headwater.db"
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True)
class Kind:
    """A sort of value: its Python type, how to tell a good one, and how to say what a good one is."""

    type: type[int] | type[str]
    accepts: Callable[[Any], bool]
    expected: str
    several: bool = False  # a list of texts in a settings file is the same as those texts with commas between them


def whole(low: int, high: int | None = None) -> Kind:
    """A whole number from low to high, both allowed."""
    expected = f"a whole number from {low} to {high}" if high is not None else f"a whole number of at least {low}"
    return Kind(int, lambda n: n >= low and (high is None or n <= high), expected)


def text(pattern: str, expected: str) -> Kind:
    """Text that matches the whole of a pattern."""
    return Kind(str, lambda s: re.fullmatch(pattern, s) is not None, expected)


def texts(pattern: str, expected: str) -> Kind:
    """Any number of texts, none included, each of which matches the whole of a pattern; commas are between them."""
    return Kind(
        str,
        lambda s: not s or all(re.fullmatch(pattern, each.strip()) for each in s.split(",")),
        expected,
        several=True,
    )


@dataclass(frozen=True)
class Setting:
    """One thing that can be set: as a flag, as HEADWATER_<NAME>, or as a line in headwater.toml."""

    name: str
    default: int | str
    kind: Kind
    help: str

    @property
    def variable(self) -> str:
        """The environment variable of this setting."""
        return f"HEADWATER_{self.name.upper()}"


SETTINGS = (
    Setting("host", "127.0.0.1", text(r"\S+", "a host name or an address"), "address the server listens on"),
    Setting("port", 5000, whole(0, 65535), "port the server listens on; 0 picks a free one"),
    Setting(
        "database",
        DEFAULT_DATABASE,
        text(r"sqlite:///.+|postgresql://.+", "sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/NAME"),
        "where lineage is kept: sqlite:///PATH or postgresql://…; the default honours XDG_DATA_HOME",
    ),
    Setting(
        "url",
        "http://127.0.0.1:5000",
        text(r"https?://[^\s/]+(/\S*)?", "an address such as http://127.0.0.1:5000"),
        "address of the server that the commands ask",
    ),
    Setting("max_event_mb", 64, whole(1), "largest event taken, in MB after decompression"),
    Setting("max_inflight_mb", 256, whole(1), "bytes of events held in memory at once, in MB, before senders wait"),
    Setting("queue", 2000, whole(1), "events that may wait for the writer before senders get 503"),
    Setting("late_after", 3600, whole(0), "seconds an event may lag behind its arrival before it is noted as late"),
    Setting(
        "connect",
        "",
        texts(r"([\w.-]+=)?https?://[^\s/,]+(/[^\s,]*)?", "addresses such as http://localhost:8083, or NAME=ADDRESS"),
        "Kafka Connect clusters to watch, as URL or NAME=URL",
    ),
    Setting(
        "registry",
        "",
        text(r"(https?://\S+)?", "an address such as http://user:password@localhost:8081"),
        "schema registry of the watched connectors' topics, where their own settings do not tell it",
    ),
    Setting(
        "bootstrap",
        "",
        text(r"\S*", "HOST:PORT, or several with commas between them"),
        "brokers of the watched Connect clusters; also KAFKA_BOOTSTRAP",
    ),
    Setting("log_level", "info", text("|".join(LOG_LEVELS), f"one of {', '.join(LOG_LEVELS)}"), "least severe log"),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The value of every setting; its fields are the names in SETTINGS, which a test compares."""

    host: str
    port: int
    database: str
    url: str
    max_event_mb: int
    max_inflight_mb: int
    queue: int
    late_after: int
    connect: str
    registry: str
    bootstrap: str
    log_level: str


def load_settings(overrides: Mapping[str, object], env: Mapping[str, str], cwd: Path) -> Settings:
    """Find every setting: overrides (None means not given), environment, settings file, default.

    Raises SettingError for a value that cannot be used or a name that is not a setting.
    """
    file = settings_file(env, cwd)
    lines = read_settings_file(file) if file else {}
    check_names(overrides, "a flag")
    check_names(lines, str(file))
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        if (given := overrides.get(setting.name)) is not None:
            value = parse(setting, given, f"--{setting.name.replace('_', '-')}")
        # An empty variable counts as unset: that is how a container or a shell passes on "nothing".
        elif written := env.get(setting.variable):
            value = parse(setting, written, setting.variable)
        elif setting.name in lines:
            value = check(setting, lines[setting.name], str(file))
        else:
            value = setting.default
        values[setting.name] = value
    values["database"] = place_database(values["database"], env)
    values["url"] = values["url"].rstrip("/")
    return Settings(**values)


def settings_file(env: Mapping[str, str], cwd: Path) -> Path | None:
    """The settings file in use: the one HEADWATER_CONFIG names, else headwater.toml in cwd, else none."""
    if named := env.get(CONFIG_VARIABLE):
        file = cwd / Path(named).expanduser()
        if not file.is_file():
            raise SettingError(
                f"no settings file at {str(file)!r}, which --config or {CONFIG_VARIABLE} names; "
                f"create it or correct the path"
            )
        return file
    file = cwd / CONFIG_FILE
    return file if file.is_file() else None


def read_settings_file(file: Path) -> dict[str, Any]:
    """The lines of a settings file by name, not yet checked."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingError(f"cannot read settings from {file}: {error}; it must be a TOML file") from error


def check_names(given: Mapping[str, object], origin: str) -> None:
    """Raise SettingError for the first name that is not a setting."""
    names = [setting.name for setting in SETTINGS]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known settings: {', '.join(names)}"
            raise SettingError(f"unknown setting {name!r} in {origin}; {hint}")


def parse(setting: Setting, given: object, origin: str) -> int | str:
    """A value from a place that has only text, such as the environment."""
    if setting.kind.type is int and isinstance(given, str) and re.fullmatch(r"\s*[+-]?[0-9]+\s*", given):
        given = int(given)
    return check(setting, given, origin)


def check(setting: Setting, given: object, origin: str) -> int | str:
    """The value as given, if the setting accepts it; SettingError if not."""
    kind = setting.kind
    if kind.several and isinstance(given, list) and all(isinstance(each, str) for each in given):
        given = ",".join(given)
    # bool is a subclass of int, but `port = true` is a mistake.
    if isinstance(given, kind.type) and not isinstance(given, bool) and kind.accepts(given):
        return given
    shown = repr(hide_password(given)) if isinstance(given, str) else repr(given)
    raise SettingError(f"setting {setting.name!r} is {shown} in {origin}; expected {kind.expected}")


def place_database(url: str, env: Mapping[str, str]) -> str:
    """Fill in the home directory of a SQLite path, and XDG_DATA_HOME in the default one."""
    if url == DEFAULT_DATABASE and (data := env.get("XDG_DATA_HOME", "")).startswith("/"):
        return f"sqlite:///{data.rstrip('/')}/headwater/headwater.db"
    if url.startswith("sqlite:///~/"):
        home = env.get("HOME") or str(Path.home())
        return f"sqlite:///{home.rstrip('/')}/{url.removeprefix('sqlite:///~/')}"
    return url


def hide_password(url: str) -> str:
    """The same URL with its password, if it has one, replaced: for messages and logs."""
    return re.sub(r"(://[^:/?#@]*):.*@", r"\1:***@", url)
