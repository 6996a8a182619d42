from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from headwater.errors import SettingError
from headwater.stack.settings import DEFAULT_PORTS, LAB_SETTINGS, LabSetting, LabSettings, load_lab_settings

DOCS = Path(__file__).parent.parent.parent / "docs"


def load(toml: str, folder: Path, env: Mapping[str, str] | None = None) -> LabSettings:
    (folder / "lab.toml").write_text(toml, "utf-8")
    return load_lab_settings(env or {}, folder)


def test_the_settings_and_the_fields_that_hold_them_are_the_same() -> None:
    assert [*(setting.field for setting in LAB_SETTINGS), "spark_conf"] == [field.name for field in fields(LabSettings)]


def test_every_default_is_a_value_its_own_setting_accepts() -> None:
    for setting in LAB_SETTINGS:
        assert setting.default is None or setting.kind.accepts(setting.default), setting.name


def test_without_a_file_everything_is_at_its_default(tmp_path: Path) -> None:
    settings = load_lab_settings({}, tmp_path)
    assert settings == LabSettings()
    assert settings.ports == {}


def test_ports_have_the_names_that_services_use() -> None:
    names = "kafka kafka_controller registry connect object_store postgres metastore history lineage"
    assert list(DEFAULT_PORTS) == names.split()


def test_a_file_has_a_table_for_each_service(tmp_path: Path) -> None:
    settings = load(
        'host = "10.0.0.1"\n[kafka]\nport = 1092\ncontroller_port = 1093\n[registry]\nurl = "https://r.example/api/"\n',
        tmp_path,
    )
    assert settings.host == "10.0.0.1"
    assert settings.ports == {"kafka": 1092, "kafka_controller": 1093}
    assert settings.registry_url == "https://r.example/api"


def test_the_environment_beats_the_file(tmp_path: Path) -> None:
    env = {"HEADWATER_LAB_KAFKA_PORT": "2092", "HEADWATER_LAB_HOST": ""}
    settings = load('host = "file"\n[kafka]\nport = 1092\n', tmp_path, env)
    assert (settings.kafka_port, settings.host) == (2092, "file")


def test_spark_properties_may_be_written_with_quotes_or_without(tmp_path: Path) -> None:
    settings = load('[spark.conf]\n"spark.a.b" = 1\nspark.c.d = true\nspark.c.e = "x"\n', tmp_path)
    assert settings.spark_conf == {"spark.a.b": "1", "spark.c.d": "true", "spark.c.e": "x"}


def test_a_named_file_is_read_instead_of_the_one_in_the_directory(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[kafka]\nport = 2\n")
    env = {"HEADWATER_LAB_CONFIG": "other.toml"}
    assert load("[kafka]\nport = 1\n", tmp_path, env).kafka_port == 2


@pytest.mark.parametrize(
    ("toml", "env", "parts"),
    [
        ("[kafka]\nport = 70000", {}, ["'kafka.port'", "70000", "lab.toml", "from 1 to 65535"]),
        ("[kafka]\nport = true", {}, ["'kafka.port'", "True"]),
        ("[kafka]\nprot = 1", {}, ["'kafka.prot'", "did you mean 'kafka.port'?"]),
        ("[minio]\nport = 1", {}, ["'minio.port'", "lab.toml"]),
        ("kafka = 9092", {}, ["unknown setting 'kafka'"]),
        ('[kafka]\nbootstrap = "broker"', {}, ["'kafka.bootstrap'", "'broker'", "HOST:PORT"]),
        ('[metastore]\nuri = "http://x"', {}, ["'metastore.uri'", "thrift://HOST:PORT"]),
        ('[spark]\ndriver_memory = "lots"', {}, ["'spark.driver_memory'", "such as 1g"]),
        ("[spark]\nconf = 1", {}, ["'spark.conf'", "table"]),
        ("[spark.conf]\nx = [1]", {}, ["'x'", "[spark.conf]"]),
        ("", {"HEADWATER_LAB_KAFKA_PORT": "many"}, ["'kafka.port'", "'many'", "HEADWATER_LAB_KAFKA_PORT"]),
        ("", {"HEADWATER_LAB_CONFIG": "gone.toml"}, ["gone.toml", "--config"]),
        ("kafka =", {}, ["lab.toml", "TOML"]),
    ],
)
def test_a_bad_setting_is_refused_with_its_name_value_origin_and_what_was_expected(
    toml: str, env: dict[str, str], parts: list[str], tmp_path: Path
) -> None:
    with pytest.raises(SettingError) as caught:
        load(toml, tmp_path, env)
    for part in parts:
        assert part in str(caught.value)


def test_a_secret_never_shows_in_a_message_or_a_repr(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        load('[postgres]\nurl = "mysql://ada:s3cret@db/shop"', tmp_path)
    assert "s3cret" not in str(caught.value)
    settings = load('[registry]\npassword = "s3cret"\n[postgres]\nurl = "postgresql://a:s3cret@db/shop"\n', tmp_path)
    assert settings.registry_password == "s3cret"
    assert "s3cret" not in repr(settings)


@pytest.mark.parametrize("setting", LAB_SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_on_the_lab_page(setting: LabSetting) -> None:
    text = (DOCS / "lab.md").read_text("utf-8")
    assert f"`{setting.name}`" in text, f"docs/lab.md does not mention {setting.name}: {setting.help}"
    if setting.default is not None:
        assert f"`{setting.name}` | `{setting.default}`" in text
