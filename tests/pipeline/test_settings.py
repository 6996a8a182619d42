import stat
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import SettingError
from headwater.pipeline.settings import (
    Catalog,
    Kafka,
    PipelineSettings,
    Registry,
    Spark,
    load_pipeline_settings,
    read_settings,
    write_settings,
)

LEAST = """
[kafka]
bootstrap = "broker:9092"
[registry]
url = "http://registry"
[catalog]
warehouse = "s3://warehouse"
[spark]
checkpoints = "hdfs:///checkpoints"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "pipeline.toml"
    file.write_text(text, "utf-8")
    return file


def some() -> PipelineSettings:
    return PipelineSettings(
        kafka=Kafka(bootstrap="broker:9092", options={"security.protocol": "SASL_SSL"}),
        registry=Registry(url="http://registry", username="u", password='p"\\ä\x7f${x}'),
        catalog=Catalog(warehouse="s3://warehouse"),
        spark=Spark(checkpoints="hdfs:///c", jars=("a.jar", "b.jar"), shuffle_partitions=4, conf={"spark.x.y": "1"}),
    )


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "pipeline.toml"
    write_settings(file, some())
    assert read_settings(file, {}) == some()


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, "old")
    file.chmod(0o644)
    write_settings(file, some())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["pipeline.toml"]


def test_a_secret_is_not_part_of_what_is_printed() -> None:
    settings = some()
    settings = replace(settings, s3=replace(settings.s3, access_key="AKIA", secret_key="hush"))
    settings = replace(settings, shop=replace(settings.shop, url="postgresql://u:hush@h/d"))
    assert "hush" not in repr(settings)
    assert "AKIA" not in repr(settings)
    assert settings.registry.password not in repr(settings)


def test_defaults_are_those_of_the_lab(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, LEAST), {})
    assert settings.catalog.table("orders") == "demo_ib.default.orders"
    assert settings.topics.dead_letters == "orders-dead-letters"
    assert settings.stream.max_offsets == 200_000


def test_a_value_can_come_from_the_environment(tmp_path: Path) -> None:
    file = written(tmp_path, LEAST + '[s3]\nsecret_key = "${S3_SECRET}"\n')
    assert read_settings(file, {"S3_SECRET": "hush"}).s3.secret_key == "hush"
    with pytest.raises(SettingError, match=r"'s3.secret_key' .* is \$\{S3_SECRET\}, and no such variable is set"):
        read_settings(file, {})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (LEAST.replace("[kafka]", "[kakfa]"), "unknown setting 'kakfa' in .*; did you mean 'kafka'?"),
        (LEAST + "x = 1", "unknown setting 'spark.x' in .*; known here: master, checkpoints"),
        (
            LEAST.replace('bootstrap = "broker:9092"', ""),
            "setting 'kafka.bootstrap' is missing in .*; expected brokers",
        ),
        (LEAST.split("[spark]")[0], "setting 'spark' is missing in .*; expected a table"),
        (LEAST.replace('"broker:9092"', "9092"), "setting 'kafka.bootstrap' in .* is int; expected text in quotes"),
        (LEAST + "jars = 'a.jar'", "setting 'spark.jars' in .* is str; expected a list of texts"),
        (LEAST + "[stream]\nmax_offsets = true", "'stream.max_offsets' in .* is bool; expected a whole number"),
        ("[kafka", "cannot read settings from .*: .*; it must be a TOML file"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_a_remedy(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        read_settings(written(tmp_path, text), {})


def test_the_file_is_named_by_flag_or_variable(tmp_path: Path) -> None:
    file = written(tmp_path, LEAST)
    assert load_pipeline_settings(str(file), {}) == load_pipeline_settings(None, {"HEADWATER_PIPELINE": str(file)})
    with pytest.raises(SettingError, match="give one with --settings FILE or HEADWATER_PIPELINE"):
        load_pipeline_settings(None, {})


def test_every_setting_says_what_it_is_for() -> None:
    for table in fields(PipelineSettings):
        for item in fields(table.type):  # type: ignore[arg-type]
            assert item.metadata.get("help"), f"{table.name}.{item.name}"


@pytest.mark.parametrize("table", fields(PipelineSettings), ids=lambda table: table.name)
def test_every_setting_is_on_the_page_about_the_pipeline(table: Field[Any]) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "pipeline.md").read_text("utf-8")
    for item in fields(table.type):  # type: ignore[arg-type]
        assert f"| `{table.name}.{item.name}` |" in page, f"docs/pipeline.md does not list {table.name}.{item.name}"
