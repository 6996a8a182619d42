"""The pipeline's connector files: that each can be read, and is filled from the settings."""

import json
import re
from dataclasses import replace

import pytest

from headwater.capture.connect.files import ConnectorFileError, without_comments
from headwater.errors import SettingError
from headwater.pipeline.connectors.files import FOLDER, load, placeholders, secrets, variants
from headwater.pipeline.settings import S3, Catalog, Connect, Kafka, PipelineSettings, Registry, Shop, Spark

SETTINGS = PipelineSettings(
    kafka=Kafka(bootstrap="broker:9092"),
    registry=Registry(url="http://registry:8081/apis/ccompat/v7", username="u", password="registry-secret"),
    catalog=Catalog(uri="thrift://metastore:9083", warehouse="s3://warehouse"),
    s3=S3(
        endpoint="http://store:9000", access_key="access-secret", secret_key="s3-secret", archive="s3a://archive/orders"
    ),
    spark=Spark(checkpoints="file:///nowhere"),
    shop=Shop(url="postgresql://shop:shop-secret@db:5442/shop"),
    connect=Connect(url="http://connect:8083"),
)


def test_an_unknown_connector_is_an_error_that_lists_ours() -> None:
    with pytest.raises(ConnectorFileError, match="orders-iceberg-sink-multi"):
        load("orders-sauce", {})


@pytest.mark.parametrize("variant", variants())
def test_each_of_our_files_is_filled_from_the_settings_and_holds_no_secret(variant: str) -> None:
    connector = load(variant, placeholders(SETTINGS))
    text = json.dumps(dict(connector.config))
    assert connector.name == variant.removesuffix("-multi")
    assert not any(secret in text for secret in secrets(SETTINGS))
    assert not re.findall(r"\$\{[A-Z_]+\}", text)
    passwords = [value for key, value in connector.config.items() if re.search("password|secret|access-key", key)]
    assert passwords
    assert all(value.startswith("${env:") for value in passwords)


@pytest.mark.parametrize("variant", [name for name in variants() if name.endswith("-multi")])
def test_a_multi_topic_variant_is_its_connector_with_bids_too(variant: str) -> None:
    one, many = (load(name, placeholders(SETTINGS)) for name in (variant.removesuffix("-multi"), variant))
    assert one.name == many.name
    topics = [(c.config.get("topics") or c.config["table.include.list"].replace("public.", "")) for c in (one, many)]
    assert topics[0] in ("orders", "bids")
    assert topics[1] == "orders,bids"


def test_every_variant_is_a_file_and_every_file_is_json_once_its_comments_are_gone() -> None:
    assert len(variants()) == 6
    for file in FOLDER.glob("*.json"):
        json.loads(without_comments(file.read_text()))


def test_settings_become_placeholders() -> None:
    values = placeholders(SETTINGS)
    assert values["REGISTRY_API"] == "http://registry:8081/apis/registry/v2"
    assert (values["SHOP_HOST"], values["SHOP_PORT"], values["SHOP_USER"]) == ("db", "5442", "shop")
    assert values["BUCKET"] == "archive"


def test_a_shop_without_a_database_is_a_setting_to_correct() -> None:
    with pytest.raises(SettingError, match=r"shop\.url"):
        placeholders(replace(SETTINGS, shop=Shop(url="")))
