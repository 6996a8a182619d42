from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from headwater.errors import SettingError
from headwater.settings import SETTINGS, Settings, hide_password, load_settings

HOME = {"HOME": "/home/ada"}


def load(
    overrides: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path = Path("/nowhere"),
) -> Settings:
    return load_settings(overrides or {}, HOME | dict(env or {}), cwd)


def write(directory: Path, text: str) -> Path:
    file = directory / "headwater.toml"
    file.write_text(text, "utf-8")
    return file


def test_the_settings_and_the_fields_that_hold_them_are_the_same() -> None:
    assert [(s.name, s.kind.type) for s in SETTINGS] == [(f.name, f.type) for f in fields(Settings)]


def test_every_default_is_a_value_its_own_setting_accepts() -> None:
    for setting in SETTINGS:
        assert isinstance(setting.default, setting.kind.type)
        assert setting.kind.accepts(setting.default), setting.name


def test_defaults_apply_when_nothing_is_given() -> None:
    settings = load()
    assert (settings.host, settings.port, settings.url) == ("127.0.0.1", 5000, "http://127.0.0.1:5000")
    assert (settings.max_event_mb, settings.max_inflight_mb, settings.queue) == (64, 256, 2000)


def test_a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default(tmp_path: Path) -> None:
    write(tmp_path, 'host = "file"\nport = 1\nqueue = 1\n')
    settings = load({"host": "flag", "port": None}, {"HEADWATER_HOST": "env", "HEADWATER_PORT": "2"}, tmp_path)
    assert (settings.host, settings.port, settings.queue, settings.late_after) == ("flag", 2, 1, 3600)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, "sqlite:////home/ada/.local/share/headwater/headwater.db"),
        ({"XDG_DATA_HOME": "/data"}, "sqlite:////data/headwater/headwater.db"),
        # The XDG specification asks that a relative path be ignored.
        ({"XDG_DATA_HOME": "data"}, "sqlite:////home/ada/.local/share/headwater/headwater.db"),
        ({"HEADWATER_DATABASE": "sqlite:///~/x.db"}, "sqlite:////home/ada/x.db"),
        ({"HEADWATER_DATABASE": "sqlite:///x.db"}, "sqlite:///x.db"),
        ({"HEADWATER_DATABASE": "postgresql://u:p@db/lineage"}, "postgresql://u:p@db/lineage"),
    ],
)
def test_the_database_lands_where_the_user_keeps_data(env: dict[str, str], expected: str) -> None:
    assert load(env=env).database == expected


def test_an_empty_variable_counts_as_unset() -> None:
    assert load(env={"HEADWATER_PORT": ""}).port == 5000


def test_a_trailing_slash_of_the_url_is_dropped() -> None:
    assert load({"url": "https://lineage.example/base/"}).url == "https://lineage.example/base"


def test_a_named_settings_file_is_read_instead_of_the_one_in_the_directory(tmp_path: Path) -> None:
    write(tmp_path, "port = 1\n")
    (tmp_path / "other.toml").write_text("port = 2\n")
    assert load(env={"HEADWATER_CONFIG": "other.toml"}, cwd=tmp_path).port == 2


@pytest.mark.parametrize(
    ("overrides", "env", "toml", "parts"),
    [
        ({"port": 70000}, {}, "", ["'port'", "70000", "--port", "from 0 to 65535"]),
        ({}, {"HEADWATER_PORT": "http"}, "", ["'port'", "'http'", "HEADWATER_PORT", "whole number"]),
        ({}, {"HEADWATER_PORT": "١٢"}, "", ["'port'", "HEADWATER_PORT", "whole number"]),
        ({}, {}, 'port = "5000"', ["'port'", "'5000'", "headwater.toml", "whole number"]),
        ({}, {}, "port = true", ["'port'", "True", "headwater.toml"]),
        ({}, {}, "prot = 5000", ["'prot'", "headwater.toml", "did you mean 'port'?"]),
        ({}, {}, "[server]\nport = 1", ["'server'", "headwater.toml", "known settings: host, port"]),
        ({}, {}, "port =", ["headwater.toml", "TOML"]),
        ({}, {"HEADWATER_LOG_LEVEL": "loud"}, "", ["'log_level'", "'loud'", "debug, info, warning, error"]),
        ({"queue": 0}, {}, "", ["'queue'", "0", "at least 1"]),
        ({"max_event_mb": -1}, {}, "", ["'max_event_mb'", "-1", "--max-event-mb"]),
        ({"database": "mysql://x"}, {}, "", ["'database'", "'mysql://x'", "sqlite:///PATH"]),
        ({"url": "localhost:5000"}, {}, "", ["'url'", "'localhost:5000'", "http://127.0.0.1:5000"]),
        ({"colour": "red"}, {}, "", ["'colour'"]),
        ({}, {"HEADWATER_CONFIG": "gone.toml"}, "", ["gone.toml", "HEADWATER_CONFIG"]),
    ],
)
def test_a_bad_setting_is_refused_with_its_name_value_origin_and_what_was_expected(
    overrides: dict[str, object], env: dict[str, str], toml: str, parts: list[str], tmp_path: Path
) -> None:
    if toml:
        write(tmp_path, toml)
    with pytest.raises(SettingError) as caught:
        load(overrides, env, tmp_path)
    for part in parts:
        assert part in str(caught.value)


def test_a_password_never_shows_in_a_message() -> None:
    with pytest.raises(SettingError) as caught:
        load({"database": "postgres://ada:s3:cr@t@db/lineage"})
    assert "postgres://ada:***@db/lineage" in str(caught.value)
    assert hide_password("sqlite:///a.db") == "sqlite:///a.db"
    assert hide_password("postgresql://ada@db:5432/x") == "postgresql://ada@db:5432/x"
