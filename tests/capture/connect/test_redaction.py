"""Secrets never leave: whatever a setting is called, however deep it is and whatever message repeats it."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.capture.connect.redaction import (
    MASK,
    SECRET_WORDS,
    is_secret,
    redact,
    redact_json,
    redact_text,
    restored,
    secrets_of,
)

SECRET = "hunter2-XyZ"
SECRET_KEYS = [
    "database.password",
    "connection.password",
    "database.history.producer.ssl.keystore.password",
    "ssl.key.password",
    "ssl.keystore.key",
    "ssl.truststore.password",
    "sasl.jaas.config",
    "producer.override.sasl.jaas.config",
    "basic.auth.user.info",
    "value.converter.basic.auth.user.info",
    "schema.registry.basic.auth.user.info",
    "transforms.openlineage.key.converter.basic.auth.user.info",
    "value.converter.apicurio.auth.password",
    "bearer.auth.token",
    "oauth.client.secret",
    "aws.access.key.id",
    "aws.secret.access.key",
    "iceberg.catalog.s3.access-key-id",
    "iceberg.catalog.s3.secret-access-key",
    "iceberg.catalog.token",
    "iceberg.catalog.credential",
    "camel.component.aws2-s3.secret-key",
    "camel.component.aws2-s3.secretKey",
    "camel.component.aws2-s3.accessKey",
    "gcs.credentials.json",
    "gcp.service.account.json",
    "keyfile",
    "azblob.account.key",
    "azure.datalake.gen2.client.key",
    "azure.storage.connection.string",
    "azure.datalake.sas.token",
    "snowflake.private.key",
    "snowflake.private.key.passphrase",
    "delta.lake.token",
    "http.auth.header",
    "http.authorization",
    "confluent.license",
    "api.key",
    "api-key",
    "API_KEY",
    "apiKey",
    "DATABASE_PASSWORD",
    "Password",
    "passwd",
    "db.pwd",
    "session.cookie",
    "message.signature",
    "encryption.key",
    "master-key",
    "db.pass",
    "DB_PW",
    "azure.storage.sas",
]
OPEN_KEYS = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "key.converter.schema.registry.url": "http://registry:8081",
    "transforms.key.field": "order_id",
    "message.key.columns": "public.orders:id",
    "pk.mode": "record_key",
    "basic.auth.credentials.source": "USER_INFO",
    "aws.credentials.provider.class": "com.example.Provider",
    "gcs.credentials.path": "/etc/key.json",
    "ssl.keystore.location": "/etc/keystore.jks",
    "oauth.token.endpoint.url": "https://login.example.com/token",
    "transforms.rename.renames": "password:pw,token:t",
    "transforms.cast.spec": "password:string",
    "connection.url": "jdbc:postgresql://db:5432/shop?sslmode=require",
    "camel.sink.url": "aws2-s3://bucket?region=eu&keyName=a/${date:now:yyyyMMdd}.json",
    "errors.log": "Basic authentication failed, bearer authorization needed",
    "topics": "orders",
    "tasks.max": "3",
}
VALUES = [
    ("http://user:{}@registry:8081/path", "http://********@registry:8081/path"),
    ("http://user:a@{}/b@registry:8081", "http://********@registry:8081"),
    ("http://{}@registry:8081", "http://********@registry:8081"),
    ("mongodb+srv://user:{}@cluster.example.net/?a=b@c", "mongodb+srv://********@cluster.example.net/?a=b@c"),
    ("one:1,redis://:{}@cache:6379", "one:1,redis://********@cache:6379"),
    ("jdbc:postgresql://db/shop?user=me&password={}&ssl=true", "jdbc:postgresql://db/shop?user=me&password=********&ssl=true"),
    ("jdbc:sqlserver://db;user=me;password={};encrypt=true", "jdbc:sqlserver://db;user=me;password=********;encrypt=true"),
    ("jdbc:oracle:thin:scott/{}@db:1521:shop", "jdbc:oracle:thin:********@db:1521:shop"),
    ("aws2-s3://b?accessKey={0}&secretKey={0}&region=eu", "aws2-s3://b?accessKey=********&secretKey=********&region=eu"),
    ("X-Api-Key:{}|Accept:text/plain", "X-Api-Key:********|Accept:text/plain"),
    ("Authorization: Bearer {}", "Authorization: ********"),
    ("token=http://u:{0}@h/{0}", "token=********"),
    ("Bearer {}", "Bearer ********"),
    ("Login required username=\"me\" password=\"{}\";", "Login required username=\"me\" password=\"********\";"),
    ("{{\"user\": \"me\", \"private_key\": \"{}\"}}", "{\"user\": \"me\", \"private_key\": \"********\"}"),
    ("{{\\\"private_key\\\": \\\"{}\\\"}}", "{\\\"private_key\\\": \\\"********\\\"}"),
    ("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", "********"),
    ("AKIAABCDEFGHIJKLMNOP", "********"),
]  # fmt: skip


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_a_secret_is_hidden_whatever_it_is_called(key: str) -> None:
    for spelling in (key, key.upper(), key.replace(".", "_"), key.replace(".", "-"), f"consumer.override.{key}"):
        assert redact({spelling: SECRET}) == {spelling: MASK}


@pytest.mark.parametrize("word", SECRET_WORDS)
def test_every_word_that_tells_of_a_secret_hides_it(word: str) -> None:
    assert redact({f"my.{word}": SECRET, f"MY_{word.upper()}": SECRET}) == {
        f"my.{word}": MASK,
        f"MY_{word.upper()}": MASK,
    }


@pytest.mark.parametrize(("key", "value"), OPEN_KEYS.items())
def test_what_is_no_secret_is_shown(key: str, value: str) -> None:
    assert redact({key: value}) == {key: value}


@pytest.mark.parametrize(("form", "expected"), VALUES)
def test_a_secret_in_the_middle_of_a_value_is_hidden(form: str, expected: str) -> None:
    assert redact({"some.setting": form.format(SECRET)}) == {"some.setting": expected}


@pytest.mark.parametrize(
    "value", ["${file:/etc/secrets.properties:password}", "${env:PASSWORD}", "${env:USER}:${env:PW}", ""]
)
def test_a_placeholder_stays_as_it_is(value: str) -> None:
    assert redact({"database.password": value}) == {"database.password": value}
    assert redact({"connection.url": f"http://{value}@host/" if value else ""})["connection.url"].count(MASK) == 0


def test_a_placeholder_beside_a_secret_does_not_show_it() -> None:
    assert redact({"database.password": "abc${env:X}"}) == {"database.password": MASK}


def test_secrets_are_found_in_whatever_a_worker_answers() -> None:
    answer = {
        "name": "x",
        "info": {"config": {"Database.Password": SECRET, "a": [{"token": SECRET}, f"http://u:{SECRET}@h"]}},
        "credentials": {"private": {"deep": SECRET, "many": [SECRET, 7, None, True]}},
    }
    assert redact_json(answer) == {
        "name": "x",
        "info": {"config": {"Database.Password": MASK, "a": [{"token": MASK}, f"http://{MASK}@h"]}},
        "credentials": {"private": {"deep": MASK, "many": [MASK, MASK, None, True]}},
    }


def test_a_message_does_not_repeat_what_the_settings_hide() -> None:
    config = {
        "database.password": "p ss/w",
        "value.converter.basic.auth.user.info": "admin:s3cret99",
        "connection.url": "mongodb://me:pa55word@host/db",
        "sasl.jaas.config": 'Plain required username="me" password="j4as";',
    }
    trace = 'FATAL: "p ss/w" p%20ss%2Fw s3cret99 YWRtaW46czNjcmV0OTk= me:pa55word pa55word j4as'
    said = redact_text(trace, secrets_of(config))
    assert not re.search(r"p ss/w|p%20ss|s3cret|YWRtaW4|pa55word|j4as", said)
    assert said.startswith('FATAL: "********"')


def test_a_setting_that_was_shown_hidden_keeps_its_value_when_it_comes_back() -> None:
    before = {"database.password": SECRET, "url": f"http://u:{SECRET}@h", "tasks.max": "1"}
    edited = {**redact(before), "tasks.max": "2", "new.password": "fresh"}
    assert restored(edited, before) == {**before, "tasks.max": "2", "new.password": "fresh"}


def test_a_salt_in_a_settings_name_is_hidden_and_comes_back() -> None:
    before = {f"column.mask.hash.v2.SHA-256.with.salt.{SECRET}": "public.orders.card"}
    assert redact(before) == {f"column.mask.hash.v2.SHA-256.with.salt.{MASK}": "public.orders.card"}
    assert restored(redact(before), before) == before
    assert SECRET in secrets_of(before)
    assert SECRET not in json.dumps(redact_json({"config": before}))


def test_a_worker_that_checks_settings_repeats_no_secret() -> None:
    answer = {"configs": [{"definition": {"name": "x.password"}, "value": {"name": "x.password", "value": SECRET}}]}
    assert SECRET not in json.dumps(redact_json(answer))
    open_one = {"name": "database.hostname", "value": "db"}
    assert redact_json(open_one) == open_one


def test_a_hidden_value_that_was_never_shown_is_not_made_up() -> None:
    assert restored({"other.password": MASK}, {"database.password": SECRET}) == {"other.password": MASK}


words = st.sampled_from(SECRET_WORDS)
names = st.builds(
    lambda before, word, upper: f"{before}.{word}".upper() if upper else f"{before}.{word}",
    st.sampled_from(["a", "consumer.override", "transforms.x", "MY"]),
    words,
    st.booleans(),
)
secrets = st.from_regex(r"[A-Za-z0-9!#%+_=~^-]{6,20}", fullmatch=True)


@settings(max_examples=100, deadline=None)
@given(names, secrets, st.integers(0, 4))
def test_no_secret_comes_through_however_deep_it_is(name: str, secret: str, depth: int) -> None:
    value: Any = {name: f"S3{secret}"}
    for _ in range(depth):
        value = {"config": [value]}
    assert is_secret(name)
    assert f"S3{secret}" not in json.dumps(redact_json(value))
    assert f"S3{secret}" not in redact_text(json.dumps(value))
    assert f"S3{secret}" not in redact_text(f"ERROR S3{secret} was refused", secrets_of({name: f"S3{secret}"}))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=20), st.text(max_size=60), max_size=4), st.text(max_size=100))
def test_anything_can_be_redacted_and_hidden_settings_come_back(config: dict[str, str], text: str) -> None:
    redact_text(text, secrets_of(config))
    shown = redact(config)
    assert shown.keys() == config.keys()
    assert restored(shown, config) == config
    assert redact(shown) == shown


def test_a_long_text_without_a_secret_is_read_in_one_go() -> None:
    text = "a" * 200_000 + "=" * 1000 + "://" * 5_000
    assert redact_text(text) == text
