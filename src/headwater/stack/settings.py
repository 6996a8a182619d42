"""What can be set about the lab, and how each value is found: environment, then lab.toml, then default."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.errors import SettingError
from headwater.settings import Kind, hide_password, read_settings_file, text, whole

CONFIG_FILE = "lab.toml"
CONFIG_VARIABLE = "HEADWATER_LAB_CONFIG"

PORT = whole(1, 65535)
WORD = text(r"\S+", "a text without spaces")
HTTP = text(r"https?://[^\s/]+(/\S*)?", "an address such as http://HOST:PORT")


@dataclass(frozen=True)
class LabSetting:
    """One thing that can be set: a line in lab.toml, in the table before the dot, or HEADWATER_LAB_<TABLE>_<NAME>."""

    name: str
    default: int | str | None
    kind: Kind
    help: str
    secret: bool = False

    @property
    def field(self) -> str:
        """The field of LabSettings that holds it."""
        return self.name.replace(".", "_")

    @property
    def variable(self) -> str:
        """The environment variable of this setting."""
        return f"HEADWATER_LAB_{self.field.upper()}"


LAB_SETTINGS = (
    LabSetting("host", "127.0.0.1", WORD, "address that every service listens on"),
    LabSetting("kafka.port", 9092, PORT, "port of the broker"),
    LabSetting("kafka.controller_port", 9093, PORT, "port on which the broker talks to itself"),
    LabSetting(
        "kafka.bootstrap", None, text(r"[^\s:,]+:\d+(,[^\s:,]+:\d+)*", "HOST:PORT[,HOST:PORT…]"), "your own brokers"
    ),
    LabSetting("registry.port", 8081, PORT, "port of the schema registry"),
    LabSetting("registry.url", None, HTTP, "your own schema registry, where its Confluent API begins"),
    LabSetting("registry.username", None, WORD, "user at your own schema registry"),
    LabSetting("registry.password", None, WORD, "password at your own schema registry", secret=True),
    LabSetting("connect.port", 8083, PORT, "port of the Kafka Connect worker"),
    LabSetting("connect.url", None, HTTP, "your own Kafka Connect"),
    LabSetting("object_store.port", 9000, PORT, "port of the object store"),
    LabSetting("object_store.endpoint", None, HTTP, "your own S3 endpoint"),
    LabSetting("object_store.access_key", None, WORD, "access key at your own S3 endpoint", secret=True),
    LabSetting("object_store.secret_key", None, WORD, "secret key at your own S3 endpoint", secret=True),
    LabSetting("postgres.port", 5442, PORT, "port of the shop's PostgreSQL"),
    LabSetting(
        "postgres.url",
        None,
        text(r"postgresql://[^\s@:/]+(:\S+)?@[^\s@/]+/\S+", "postgresql://USER:PASSWORD@HOST:PORT/NAME"),
        "your own shop database, with wal_level=logical",
        secret=True,
    ),
    LabSetting("metastore.port", 9083, PORT, "port of the Hive Metastore"),
    LabSetting("metastore.uri", None, text(r"thrift://[^\s/]+:\d+", "thrift://HOST:PORT"), "your own Hive Metastore"),
    LabSetting("history.port", 18080, PORT, "port of the Spark History Server"),
    LabSetting("lineage.port", 5000, PORT, "port of the lineage server"),
    LabSetting("lineage.url", None, HTTP, "your own lineage server"),
    LabSetting("spark.master", "local[2]", WORD, "where jobs run: local[2], spark://…, yarn, k8s://…"),
    LabSetting(
        "spark.driver_memory",
        "1g",
        text(r"[1-9]\d*[mg]", "a number and m or g, such as 1g"),
        "memory of a job's driver",
    ),
)
# The table [spark.conf] holds any further Spark property, so its names are not ours to list.
SPARK_CONF = "spark.conf"

DEFAULT_PORTS: Mapping[str, int] = {
    setting.name.removesuffix("_port").removesuffix(".port").replace(".", "_"): setting.default
    for setting in LAB_SETTINGS
    if setting.kind is PORT and isinstance(setting.default, int)
}


@dataclass(frozen=True, kw_only=True)
class LabSettings:
    """The value of every setting; its fields are the names in LAB_SETTINGS. A port is None unless it was set."""

    host: str = "127.0.0.1"
    kafka_port: int | None = None
    kafka_controller_port: int | None = None
    kafka_bootstrap: str | None = None
    registry_port: int | None = None
    registry_url: str | None = None
    registry_username: str | None = None
    registry_password: str | None = field(default=None, repr=False)
    connect_port: int | None = None
    connect_url: str | None = None
    object_store_port: int | None = None
    object_store_endpoint: str | None = None
    object_store_access_key: str | None = field(default=None, repr=False)
    object_store_secret_key: str | None = field(default=None, repr=False)
    postgres_port: int | None = None
    postgres_url: str | None = field(default=None, repr=False)
    metastore_port: int | None = None
    metastore_uri: str | None = None
    history_port: int | None = None
    lineage_port: int | None = None
    lineage_url: str | None = None
    spark_master: str = "local[2]"
    spark_driver_memory: str = "1g"
    spark_conf: Mapping[str, str] = field(default_factory=dict)

    @property
    def ports(self) -> dict[str, int]:
        """The ports that were set, by port name."""
        set_ports = {name: getattr(self, f"{name}_port") for name in DEFAULT_PORTS}
        return {name: port for name, port in set_ports.items() if port is not None}


def load_lab_settings(env: Mapping[str, str], cwd: Path) -> LabSettings:
    """Find every setting: environment, settings file, default.

    Raises SettingError for a value that cannot be used or a name that is not a setting.
    """
    file = settings_file(env, cwd)
    lines, spark_conf = flatten(read_settings_file(file), file) if file else ({}, {})
    check_names(lines, str(file))
    values: dict[str, Any] = {"spark_conf": spark_conf}
    for setting in LAB_SETTINGS:
        if written := env.get(setting.variable):
            values[setting.field] = parse(setting, written, setting.variable)
        elif setting.name in lines:
            values[setting.field] = check(setting, lines[setting.name], str(file))
    return LabSettings(**values)


def settings_file(env: Mapping[str, str], cwd: Path) -> Path | None:
    """The settings file in use: the one HEADWATER_LAB_CONFIG names, else lab.toml in cwd, else none."""
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


def flatten(tables: Mapping[str, Any], file: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The lines of a settings file by dotted name, and the Spark properties of [spark.conf] apart from them."""
    lines: dict[str, Any] = {}
    for name, value in tables.items():
        if isinstance(value, dict):
            lines.update({f"{name}.{key}": inner for key, inner in value.items()})
        else:
            lines[name] = value
    properties = lines.pop(SPARK_CONF, {})
    if not isinstance(properties, dict):
        raise SettingError(f"{SPARK_CONF!r} in {file} must be a table of Spark properties: [{SPARK_CONF}]")
    return lines, spark_properties(properties, file)


def spark_properties(table: Mapping[str, Any], file: Path, prefix: str = "") -> dict[str, str]:
    """Spark properties as text by full name; a dotted name without quotes arrives from TOML as nested tables."""
    found: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= spark_properties(value, file, f"{prefix}{name}.")
        elif isinstance(value, bool):
            found[prefix + name] = str(value).lower()
        elif isinstance(value, str | int | float):
            found[prefix + name] = str(value)
        else:
            raise SettingError(
                f"{prefix + name!r} under [{SPARK_CONF}] in {file} must be a text, a number or a boolean"
            )
    return found


def check_names(given: Mapping[str, object], origin: str) -> None:
    """Raise SettingError for the first name that is not a setting."""
    names = [setting.name for setting in LAB_SETTINGS]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known settings: {', '.join(names)}"
            raise SettingError(f"unknown setting {name!r} in {origin}; {hint}")


def parse(setting: LabSetting, given: str, origin: str) -> int | str:
    """A value from the environment, which has only text."""
    number = given.strip()
    return check(setting, int(number) if setting.kind.type is int and number.isdecimal() else given, origin)


def check(setting: LabSetting, given: object, origin: str) -> int | str:
    """The value as given, but for a slash that ends an address, if the setting accepts it; SettingError if not."""
    kind = setting.kind
    # bool is a subclass of int, but `port = true` is a mistake.
    if isinstance(given, kind.type) and not isinstance(given, bool) and kind.accepts(given):
        return given.rstrip("/") if isinstance(given, str) and kind is HTTP else given
    shown = "wrong" if setting.secret else repr(hide_password(given) if isinstance(given, str) else given)
    raise SettingError(f"setting {setting.name!r} is {shown} in {origin}; expected {kind.expected}")
